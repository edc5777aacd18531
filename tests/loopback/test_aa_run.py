"""The baseline against itself: what runs, what is kept, and what a later run knows."""

from pathlib import Path
from typing import Any

import pytest

from specbench.errors import ExitCode
from tests.loopback.cli import ran_to_its_end, specbench, strict_json, write_sweep
from tests.loopback.engine_script import write_engine
from tests.loopback.test_measure import serve

TWICE = "--set=measure.replicates=2"


def manifests(folder: Path) -> list[dict[str, Any]]:
    """Of all runs, by start."""
    paths = (folder / "results" / "sweep").glob("*/manifest.json")
    found = [strict_json(path.read_text()) for path in paths]
    return sorted(found, key=lambda manifest: str(manifest["started_utc"]))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """In which an A/A run was made, and a run of the sweep after it."""
    folder = tmp_path_factory.mktemp("aa")
    changes = """max_tokens = 24 -> max_tokens = 12
                 concurrency = [1, 4] -> concurrency = [2, 4]"""
    write_sweep(folder, write_engine(folder), changes)
    env = {"XDG_STATE_HOME": str(folder / "state")}
    for arguments in (["--aa", TWICE], []):
        done = specbench("run", "sweep.toml", *arguments, cwd=folder, env=env)
        assert ran_to_its_end(done), done.stdout + done.stderr
        (folder / f"told-{len(arguments)}").write_text(done.stderr)
    return folder


def aa_run(folder: Path) -> Path:
    paths = (folder / "results" / "sweep").glob("*/manifest.json")
    return next(p for p in paths if strict_json(p.read_text())["aa"]).parent


def test_an_aa_run_launches_the_baseline_twice_in_balanced_order(folder: Path) -> None:
    paths = sorted(aa_run(folder).glob("launches/*/launch.json"))
    launches = [strict_json(path.read_text()) for path in paths]
    assert [r["arm"] for r in launches] == ["baseline", "aa", "aa", "baseline"]
    commands = [
        [part for part in r["command"] if part not in r["url"].split(":")]
        for r in launches
    ]
    assert all(command == commands[0] for command in commands)
    assert "--speculative-config" not in commands[0]


def test_no_drafts_are_missed_in_a_second_baseline(folder: Path) -> None:
    report = strict_json((aa_run(folder) / "report.json").read_text())
    codes = {f["code"] for cell in report["cells"] for f in cell["findings"]}
    assert {cell["key"]["arm"] for cell in report["cells"]} == {"baseline", "aa"}
    assert "no-drafts" not in codes


def test_the_stored_run_says_that_it_was_an_aa_run(folder: Path) -> None:
    aa, later = manifests(folder)
    assert (aa["aa"], later["aa"]) == (True, False)
    assert aa["notes"][0].startswith("an A/A run")
    assert aa["noise"] == []


def test_the_noise_is_kept_and_a_later_run_is_told_of_it(folder: Path) -> None:
    report = strict_json((aa_run(folder) / "report.json").read_text())
    found = [f for cell in report["cells"] for f in cell["findings"]]
    if any(f["severity"] == "void" and f["code"].startswith("client-") for f in found):
        pytest.skip("the client was late on this machine: too few cells count")
    (kept,) = (folder / "state" / "specbench" / "noise").iterdir()
    (record,) = strict_json(kept.read_text())
    assert str(kept) in (folder / "told-2").read_text()
    assert record["run_id"] == aa_run(folder).name
    assert {noise["launches"] for noise in record["noise"]} == {2}
    _, later = manifests(folder)
    assert later["noise"] == [record]


def test_a_dry_run_shows_the_arms_of_an_aa_run(tmp_path: Path) -> None:
    write_sweep(tmp_path, write_engine(tmp_path))
    arguments = ("run", "sweep.toml", "--aa", "--dry-run", "--format", "json")
    done = specbench(*arguments, cwd=tmp_path)
    plan = strict_json(done.stdout)
    assert plan["is_aa"]
    assert [c["arm"] for c in plan["cells"]] == ["baseline", "baseline", "aa", "aa"]
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    ("urls", "words"),
    [
        (["baseline=http://127.0.0.1:9"], "no URL for aa"),
        (["ngram=http://127.0.0.1:9"], "there is no arm 'ngram'"),
    ],
)
def test_running_servers_are_named_for_the_arms_of_the_aa_run(
    tmp_path: Path, urls: list[str], words: str
) -> None:
    write_sweep(tmp_path, write_engine(tmp_path))
    given = [part for url in urls for part in ("--url", url)]
    done = specbench("run", "sweep.toml", "--aa", *given, cwd=tmp_path)
    assert done.returncode == ExitCode.BAD_INPUT
    assert words in done.stderr


def test_one_running_server_can_stand_for_both_arms_and_serves_no_kept_prefix(
    tmp_path: Path,
) -> None:
    write_sweep(tmp_path, write_engine(tmp_path))
    server, url = serve("--enable-prefix-caching")
    try:
        done = specbench(
            *("run", "sweep.toml", "--aa", "--format", "json"),
            *("--url", f"baseline={url}", "--url", f"aa={url}"),
            cwd=tmp_path,
            env={"XDG_STATE_HOME": str(tmp_path / "state")},
        )
    finally:
        server.terminate()
        server.communicate(timeout=20)
    assert ran_to_its_end(done), done.stdout + done.stderr
    assert "no launch noise was kept: nothing was launched" in done.stderr
    assert not (tmp_path / "state").exists()
    cells = strict_json(done.stdout)["cells"]
    assert {cell["key"]["arm"] for cell in cells} == {"baseline", "aa"}
    rates = {
        (cell["key"]["arm"], cell["key"]["condition"]["concurrency"]): cell[
            "prefix_hit_rate"
        ]
        for cell in cells
    }
    # a cell meets the prompts of its own warm-up again, but none of the other arm's
    for load in (1, 4):
        assert rates["aa", load] == rates["baseline", load] < 0.2
