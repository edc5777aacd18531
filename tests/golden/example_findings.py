"""The fixed record of the golden tests: an n-gram drafter that loses on open prompts
from a small batch on and wins throughout on prompts that ask for repetition. Two
launches, one void cell, one missing figure, one drafter that did not start."""

from collections.abc import Callable
from dataclasses import replace

from specbench.report.facts import RunFacts
from specbench.schema.comparison import (
    Component,
    LaunchNoise,
    NoiseRecord,
    SpeedupMetric,
)
from specbench.schema.findings import CellStats, Finding, RunFindings, Severity
from specbench.schema.record import DatasetUse
from tests.golden.comparing import compare
from tests.golden.synthetic import (
    TARGET,
    ArmCourse,
    Course,
    make_cells,
    make_facts,
)

LOADS = (1, 2, 4, 8, 16)
ARM = "ngram-k3"
OPEN = Course(
    "open",
    (19.5, 38.3, 82.1, 112.4, 239.0),
    {
        ARM: ArmCourse(
            throughput=(1.25, 1.01, 0.93, 0.90, 0.79),
            tpot=(1.11, 0.975, 0.93, 0.88, 0.85),
            by_position=(0.62, 0.47, 0.37),
        )
    },
)
GROUNDED = Course(
    "grounded",
    (21.3, 41.4, 76.4, 131.2, 179.7),
    {
        ARM: ArmCourse(
            throughput=(1.97, 1.75, 1.54, 1.29, 1.20),
            tpot=(2.55, 2.37, 1.91, 2.06, 2.00),
            by_position=(0.84, 0.75, 0.67),
        )
    },
)

AA_RUN = NoiseRecord(
    target=TARGET,
    model="HuggingFaceTB/SmolLM2-135M-Instruct",
    engine="vllm",
    engine_version="0.32.0",
    device="2 cores of Intel Xeon Platinum 8481C",
    run_id="20260227T081200Z-aa01",
    measured_utc="2026-02-27T08:12:00Z",
    noise=tuple(
        LaunchNoise(metric, Component(launch, 3), Component(cell, 12), 4, 5)
        for metric, launch, cell in (
            (SpeedupMetric.THROUGHPUT, 0.008**2, 0.005**2),
            (SpeedupMetric.TPOT, 0.007**2, 0.004**2),
            (SpeedupMetric.TPOT_P95, 0.0, 0.021**2),
        )
    ),
)
LAG = Finding(
    Severity.VOID,
    "client-lag",
    "the client's lag p99 is 31.2 ms: over 3.0 ms it can move TTFT, TPOT or throughput",
    "give the client CPUs of its own, or lower the load on this machine; `specbench"
    " selftest` says what it can carry",
)


def looping(share: float) -> Finding:
    """The flag for outputs that loop."""
    return Finding(
        Severity.FLAG,
        "looping",
        f"{share:.0%} of the outputs loop",
        "drafters profit from loops: take a larger model, other prompts or a lower"
        " output limit before you generalise",
    )


def example_findings() -> RunFindings:
    """The record, as the analysis would hand it over."""
    failed = (
        "launch 3 (draft-k3 on SmolLM2-135M-Instruct): exited with code 1 after 6.2 s:"
        " ValueError: 14 attention heads cannot be split over 4 GPUs (log:"
        " launches/3/engine.log)"
    )
    cells = make_cells((GROUNDED, OPEN), LOADS, launches=2)
    findings = compare(map(_spoil, cells), (failed,))
    return replace(findings, prior=(AA_RUN,))


def small_findings() -> RunFindings:
    """Six cells, for golden files that hold every figure."""
    cells = make_cells((OPEN,), LOADS, launches=1)
    few = [c for c in cells if c.key.condition.concurrency in (1, 2, 4)]
    return compare(map(_spoil, few))


def example_facts() -> RunFacts:
    """Circumstances of the record."""
    facts = make_facts(example_findings())
    return replace(
        facts,
        datasets=(
            DatasetUse("open", "datasets/open.jsonl", "1" * 64, 16, ()),
            DatasetUse(
                "grounded",
                "datasets/grounded.jsonl",
                "2" * 64,
                16,
                ("line 5: not valid JSON", "line 9: blank turn"),
            ),
        ),
        notes=("the client was pinned to CPU 1, the engine to CPU 0",),
    )


def _spoil(cell: CellStats) -> CellStats:
    for (dataset, load, arm, launch), change in CHANGES.items():
        key = cell.key
        place = (key.condition.dataset, key.condition.concurrency, key.arm)
        if place == (dataset, load, arm) and launch in (0, key.replicate):
            return change(cell)
    return cell


def _lag(cell: CellStats) -> CellStats:
    return replace(cell, client_lag_p99=0.0312, findings=(LAG,))


def _loop(cell: CellStats) -> CellStats:
    share = 0.25 if cell.key.arm == ARM else 0.19
    return replace(cell, looping_share=share, findings=(looping(share),))


def _no_steps(cell: CellStats) -> CellStats:
    reason = "the sources disagree: 1.240 by accepted tokens, 1.110 by chunks"
    return replace(cell, tokens_per_step=None, missing={"tokens_per_step": reason})


CHANGES: dict[tuple[str, int, str, int], Callable[[CellStats], CellStats]] = {
    ("grounded", 16, ARM, 2): _lag,
    ("grounded", 1, ARM, 0): _loop,
    ("grounded", 1, "baseline", 1): _loop,
    ("open", 4, ARM, 0): _no_steps,
}
"""(data set, load, arm, launch; 0 = every launch) -> what is wrong with the cell."""
