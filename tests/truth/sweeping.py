"""Runs the truth sweep through the command line and judges its cells."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.truth.judge import Truth, find_truth
from tests.truth.seen import SeenCell, stored_cell
from tests.truth.server_log import Call, Page, ServerLog, read_logs

SWEEP = Path(__file__).with_name("sweep.toml")
LIMIT_S = 200
TRIES = 6


@dataclass(frozen=True, slots=True)
class JudgedCell:
    """One stored cell beside the truth."""

    figures: dict[str, Any]
    """As in report.json."""
    seen: SeenCell
    log: ServerLog
    truth: Truth

    def page(self, phase: str) -> Page:
        """The server's own note of the page that the product read at this phase."""
        return self.log.page_before(self.seen.page(phase).instant_ns)

    @property
    def calls(self) -> list[Call]:
        """All calls of the cell."""
        return self.log.calls_between(self.page("before"), self.page("after"))

    @property
    def inside(self) -> list[tuple[int, Page]]:
        """The readings inside the window: when the client had each, and the page."""
        return [
            (p.instant_ns, self.log.page_before(p.instant_ns))
            for p in self.seen.pages
            if p.phase == "inside"
        ]


@dataclass(frozen=True, slots=True)
class JudgedLoad:
    """Baseline and arm at one load in one run, neither void."""

    arms: dict[str, JudgedCell]
    speedups: dict[str, float]
    """By metric."""


def run_sweep(
    folder: Path, loads: Sequence[int], env: Mapping[str, str] | None = None
) -> Path:
    """Run it in a folder; its run folder. Its servers log into `folder/logs`."""
    (folder / "logs").mkdir(parents=True)
    text = SWEEP.read_text().replace("LOGS", str(folder / "logs"))
    executable = Path(sys.executable).with_name("specbench")
    (folder / "sweep.toml").write_text(text.replace("EXECUTABLE", str(executable)))
    done = subprocess.run(
        [sys.executable, "-m", "specbench", "run", "sweep.toml",
         f"--set=load.concurrency={list(loads)}"],
        capture_output=True,
        text=True,
        cwd=folder,
        env=env,
        timeout=LIMIT_S,
        check=False,
    )  # fmt: skip
    # 3: an arm has no cell that counts, as where the client was late
    assert done.returncode in {0, 3}, done.stdout + done.stderr
    (run,) = (folder / "results" / "sweep").iterdir()
    return run


def report_of(run: Path) -> dict[str, Any]:
    """The run's report.json."""
    report: dict[str, Any] = json.loads((run / "report.json").read_text())
    return report


def judge_sweep(folder: Path, loads: Sequence[int]) -> dict[int, JudgedLoad]:
    """Each load judged. One that the client's lag has voided is run again, some
    times; any other void cell is a fault."""
    judged: dict[int, JudgedLoad] = {}
    left = list(loads)
    for number in range(TRIES):
        if left:
            part = folder / f"try-{number}"
            judged |= _judge_run(run_sweep(part, left), part / "logs")
        left = [load for load in loads if load not in judged]
    assert not left, f"void for the client's lag {TRIES} times at {left}"
    return judged


def _judge_run(run: Path, log_folder: Path) -> dict[int, JudgedLoad]:
    report = report_of(run)
    logs = {log.speculates: log for log in read_logs(log_folder)}
    assert set(logs) == {False, True}
    cells: dict[int, dict[str, dict[str, Any]]] = {}
    for cell in report["cells"]:
        by_arm = cells.setdefault(cell["key"]["condition"]["concurrency"], {})
        by_arm[cell["key"]["arm"]] = cell
    judged = {}
    for load, by_arm in cells.items():
        codes = {c for cell in by_arm.values() for c in void_codes(cell)}
        assert all(code.startswith("client-") for code in codes), codes
        if not codes:
            arms = {
                arm: _judge(run, load, cell, logs[arm != "baseline"])
                for arm, cell in by_arm.items()
            }
            judged[load] = JudgedLoad(arms, _speedups(report, load))
    return judged


def void_codes(cell: Mapping[str, Any]) -> set[str]:
    """Codes of the findings that void a cell."""
    return {f["code"] for f in cell["findings"] if f["severity"] == "void"}


def _judge(run: Path, load: int, cell: dict[str, Any], log: ServerLog) -> JudgedCell:
    seen = stored_cell(run / "cells" / cell["cell_id"], load)
    first, last = (
        log.page_before(seen.page(phase).instant_ns) for phase in ("before", "after")
    )
    truth = find_truth(seen, log, log.calls_between(first, last))
    return JudgedCell(cell, seen, log, truth)


def _speedups(report: dict[str, Any], load: int) -> dict[str, float]:
    return {
        curve["metric"]: point["speedup"]["value"]
        for curve in report["curves"]
        for point in curve["points"]
        if point["condition"]["concurrency"] == load
    }
