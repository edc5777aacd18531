"""`python -m specbench.sim`: one line when it serves, an end by signal, errors with a
hint."""

import json
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from specbench.errors import ExitCode
from specbench.sim.__main__ import main


def test_it_says_where_it_listens_and_ends_cleanly_on_a_signal(tmp_path: Path) -> None:
    truth = tmp_path / "truth.jsonl"
    command = [sys.executable, "-m", "specbench.sim", "--port=0"]
    process = subprocess.Popen(
        [*command, f"--truth-log={truth}"], stdout=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdout is not None
        address, _, document = process.stdout.readline().partition(" {")
        try:
            url = address.removeprefix("listening on ")
            with urllib.request.urlopen(f"{url}/health") as answer:
                assert answer.status == 200
            assert json.loads("{" + document)["engine"] == "sim"
        finally:
            process.send_signal(signal.SIGTERM)
    assert process.returncode == 0
    (line,) = truth.read_text().splitlines()
    assert json.loads(line)["kind"] == "server"


def test_a_bad_flag_is_told_with_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--max-num-seqs=0"]) == ExitCode.BAD_INPUT
    complaint = capsys.readouterr().err
    assert "--max-num-seqs" in complaint
    assert "hint: " in complaint


def test_a_truth_log_that_cannot_be_written_is_bad_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "absent" / "truth.jsonl"
    assert main(["--port=0", f"--truth-log={path}"]) == ExitCode.BAD_INPUT
    assert str(path) in capsys.readouterr().err
