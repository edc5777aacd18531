"""Downloads into the Hugging Face hub cache, told by unfinished files."""

from pathlib import Path

import pytest

from specbench.launch.downloads import (
    HOLD_S,
    DownloadWatch,
    hub_cache_folder,
    hub_download_active,
    list_unfinished,
)
from specbench.units import NS_PER_S

HOLD_NS = int(HOLD_S * NS_PER_S)


@pytest.mark.parametrize(
    ("env", "folder"),
    [
        ({"HOME": "/h"}, "/h/.cache/huggingface/hub"),
        ({"HOME": "/h", "XDG_CACHE_HOME": "/c"}, "/c/huggingface/hub"),
        ({"HOME": "/h", "HF_HOME": "/hf"}, "/hf/hub"),
        ({"HF_HOME": "/hf", "HF_HUB_CACHE": "/hub"}, "/hub"),
        ({"HF_HOME": "/hf", "HUGGINGFACE_HUB_CACHE": "/old"}, "/old"),
        ({"HUGGINGFACE_HUB_CACHE": "/old", "HF_HUB_CACHE": "/new"}, "/new"),
    ],
)
def test_cache_is_where_the_library_has_it(env: dict[str, str], folder: str) -> None:
    assert hub_cache_folder(env) == Path(folder)


def add_blob(cache: Path, name: str, size: int) -> Path:
    blob = cache / "models--org--name" / "blobs" / name
    blob.parent.mkdir(parents=True, exist_ok=True)
    blob.write_bytes(b"x" * size)
    return blob


def test_only_unfinished_blobs_are_listed(tmp_path: Path) -> None:
    add_blob(tmp_path, "abc", 9)
    unfinished = add_blob(tmp_path, "def.1234.incomplete", 5)
    ((path, (size, _)),) = list_unfinished(tmp_path).items()
    assert (path, size) == (str(unfinished), 5)


def test_cache_that_is_not_there_has_no_downloads(tmp_path: Path) -> None:
    assert list_unfinished(tmp_path / "none") == {}


def test_file_left_by_an_earlier_download_is_none() -> None:
    stale = {"a": (5, 100)}
    watch = DownloadWatch(stale)
    assert not watch.look(stale, now_ns=0)


def test_new_file_is_a_download() -> None:
    assert DownloadWatch({}).look({"a": (0, 1)}, now_ns=0)


@pytest.mark.parametrize("facts", [(6, 100), (5, 101)])
def test_file_that_changed_is_a_download(facts: tuple[int, int]) -> None:
    assert DownloadWatch({"a": (5, 100)}).look({"a": facts}, now_ns=0)


def test_download_goes_on_for_a_while_between_two_writes() -> None:
    watch = DownloadWatch({})
    files = {"a": (5, 100)}
    assert watch.look(files, now_ns=0)
    assert watch.look(files, now_ns=HOLD_NS)
    assert not watch.look(files, now_ns=HOLD_NS + 1)
    assert watch.look({"a": (6, 200)}, now_ns=HOLD_NS + 2)


def test_download_is_over_as_soon_as_its_file_is_renamed() -> None:
    watch = DownloadWatch({})
    assert watch.look({"a": (5, 100)}, now_ns=0)
    assert not watch.look({}, now_ns=1)


def test_engines_own_cache_is_watched(tmp_path: Path) -> None:
    add_blob(tmp_path, "old.incomplete", 3)
    is_downloading = hub_download_active({"HF_HUB_CACHE": str(tmp_path)}, lambda: 0)
    assert not is_downloading()
    add_blob(tmp_path, "new.incomplete", 3)
    assert is_downloading()
