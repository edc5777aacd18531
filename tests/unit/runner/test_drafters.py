"""Position limits of drafters on this machine, held against a sweep's contexts."""

import json
from pathlib import Path
from typing import Any

from specbench.runner.drafters import drafter_notes, read_config
from specbench.schema.sweep import SweepSpec

HEAD = {"method": "eagle3", "model": "org/head", "num_speculative_tokens": 3}


def spec(context: list[int], speculative: dict[str, Any] = HEAD) -> SweepSpec:
    return SweepSpec.model_validate(
        {
            "targets": [{"model": "m", "engine": "vllm"}],
            "arms": [{"name": "eagle", "speculative": speculative}],
            "workload": {"datasets": ["d"], "context": context, "max_tokens": 128},
            "load": {"concurrency": [1]},
        }
    )


def save(folder: Path, text: str) -> None:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(text)


def test_a_head_in_the_cache_is_held_against_the_contexts(tmp_path: Path) -> None:
    folder = tmp_path / "models--org--head" / "snapshots" / "abc"
    save(folder, json.dumps({"max_position_embeddings": 2048}))
    environ = {"HF_HUB_CACHE": str(tmp_path)}
    (note,) = drafter_notes(spec([256, 4096]), environ)
    assert note.startswith("eagle: the drafter org/head knows 2,048 positions")
    assert "context 4096" in note
    assert drafter_notes(spec([256, 1024]), environ) == ()


def test_a_folder_is_read_too(tmp_path: Path) -> None:
    save(tmp_path / "head", json.dumps({"max_position_embeddings": 512}))
    arm = {**HEAD, "model": str(tmp_path / "head")}
    assert len(drafter_notes(spec([1024], arm), {})) == 1


def test_a_drafter_that_is_not_here_or_cannot_be_read_says_nothing(
    tmp_path: Path,
) -> None:
    environ = {"HF_HUB_CACHE": str(tmp_path)}
    assert drafter_notes(spec([4096]), environ) == ()
    assert drafter_notes(spec([4096], {"method": "ngram"}), environ) == ()
    for place, text in enumerate(("{", "[]", "null")):
        folder = tmp_path / f"broken{place}"
        save(folder, text)
        assert read_config(str(folder), {}) == {}
