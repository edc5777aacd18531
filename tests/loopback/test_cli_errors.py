"""Bad input gives one clear message that names the file and the key (or the log), the
right exit code, and no traceback; nothing is started and nothing is written."""

import socket
from pathlib import Path

import pytest

from specbench.errors import ExitCode
from tests.loopback.cli import specbench, strict_json, write_sweep
from tests.loopback.engine_script import write_engine


def refused(folder: Path, *arguments: str) -> str:
    """What a refused run says."""
    done = specbench("run", "sweep.toml", *arguments, cwd=folder)
    assert done.returncode == ExitCode.BAD_INPUT, done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert not (folder / "results").exists()
    assert done.stderr.startswith("error: ")
    return done.stderr


def test_an_unknown_key_is_named_with_the_one_that_was_meant(tmp_path: Path) -> None:
    write_sweep(tmp_path, write_engine(tmp_path), "max_tokens = 24 -> max_token = 24")
    said = refused(tmp_path)
    assert "sweep.toml" in said
    assert "workload.max_token" in said
    assert "max_tokens" in said


def test_a_missing_executable_is_named_with_its_key(tmp_path: Path) -> None:
    write_sweep(tmp_path, "no/such/vllm")
    said = refused(tmp_path)
    assert "sweep.toml: target.executable" in said
    assert "no/such/vllm" in said


def test_a_missing_program_of_path_is_named_with_its_key(tmp_path: Path) -> None:
    write_sweep(tmp_path, "no-such-vllm-at-all")
    said = refused(tmp_path)
    assert "sweep.toml: target.executable" in said
    assert "PATH" in said


@pytest.mark.parametrize("model", ["./models/nope", "/models/nope", "here/nope"])
def test_a_model_path_that_does_not_exist_is_named(tmp_path: Path, model: str) -> None:
    (tmp_path / "here").mkdir()
    write_sweep(tmp_path, write_engine(tmp_path), f"some/model -> {model}")
    said = refused(tmp_path)
    assert "sweep.toml: target.model" in said
    assert model in said


def test_a_given_port_that_is_taken_is_named_and_its_owner_left_alone(
    tmp_path: Path,
) -> None:
    write_sweep(tmp_path, write_engine(tmp_path))
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        other.settimeout(0)
        port = other.getsockname()[1]
        said = refused(tmp_path, "--set", f"target.port={port}")
        assert str(port) in said
        with pytest.raises(BlockingIOError):
            other.accept()


def test_a_data_set_with_no_usable_line_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text('{"turns": []}\nnot json\n')
    write_sweep(tmp_path, write_engine(tmp_path), "mt-bench-style -> bad.jsonl")
    said = refused(tmp_path)
    assert "bad.jsonl" in said
    assert "line 1" in said


def test_a_sweep_file_that_is_no_toml_is_named_with_the_line(tmp_path: Path) -> None:
    (tmp_path / "sweep.toml").write_text("[target\nmodel = 1\n")
    assert "sweep.toml" in refused(tmp_path)


def test_an_arm_that_the_engine_does_not_know_is_named(tmp_path: Path) -> None:
    write_sweep(tmp_path, write_engine(tmp_path), '"ngram", -> "telepathy",')
    said = refused(tmp_path)
    assert "sweep.toml: arms[0] (ngram)" in said
    assert "telepathy" in said


def test_a_dry_run_starts_nothing_and_is_strict_json(tmp_path: Path) -> None:
    write_sweep(tmp_path, write_engine(tmp_path))
    done = specbench("run", "sweep.toml", "--dry-run", "--format", "json", cwd=tmp_path)
    assert done.returncode == ExitCode.FINE
    plan = strict_json(done.stdout)
    assert [(c["arm"], c["concurrency"]) for c in plan["cells"]] == [
        *[("baseline", 1), ("baseline", 4)],
        *[("ngram", 1), ("ngram", 4)],
    ]
    assert plan["expected_s"] > 0
    assert not (tmp_path / "results").exists()


def test_a_server_that_does_not_answer_is_named(tmp_path: Path) -> None:
    done = specbench("measure", "http://127.0.0.1:9", cwd=tmp_path)
    assert done.returncode == ExitCode.ENGINE_FAILED
    assert "http://127.0.0.1:9" in done.stderr
    assert "Traceback" not in done.stderr
