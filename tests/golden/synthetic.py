"""Cells made from ratios alone, so that tests know the answer beforehand."""

import math
from dataclasses import dataclass, field, replace

from specbench.report.facts import RunFacts
from specbench.schema.acceptance import Acceptance
from specbench.schema.cell import CellKey, Condition
from specbench.schema.findings import (
    CellStats,
    Distribution,
    Drift,
    LatencyBasis,
    PrefillShare,
    RunFindings,
    WholeRun,
)
from specbench.schema.record import DatasetUse

TARGET = "SmolLM2-135M-Instruct"
LAUNCH_FACTORS = (1.0, 1.03, 0.98, 1.01)
"""How launches differ: the arm's n-th against its own mean."""
BASELINE_FACTORS = (1.0, 0.99, 1.02, 1.0)


@dataclass(frozen=True, slots=True)
class ArmCourse:
    """One arm on one data set: speedups by load, and its drafts."""

    throughput: tuple[float, ...]
    tpot: tuple[float, ...]
    by_position: tuple[float, ...] = (0.62, 0.45, 0.33)
    has_acceptance: bool = True
    tail: float = 1.15
    """Its p95 over its median TPOT, against the baseline's."""


@dataclass(frozen=True, slots=True)
class Course:
    """One data set: the baseline's throughput by load and the arms on it."""

    dataset: str
    baseline: tuple[float, ...]
    arms: dict[str, ArmCourse] = field(default_factory=dict)
    context: int = 0


def latency(p50: float) -> Distribution:
    """A distribution of the usual shape around a median, in seconds."""
    return Distribution(
        n=64, mean=p50 * 1.04, p50=p50, p90=p50 * 1.2, p95=p50 * 1.3, p99=p50 * 1.6
    )


def make_cell(key: CellKey, throughput: float, tpot_s: float) -> CellStats:
    """A clean cell of the baseline."""
    load = key.condition.concurrency
    return CellStats(
        key=key,
        completed=64,
        empty=0,
        failed=0,
        errors=(),
        window_s=64 * 64 / throughput,
        in_flight=load * 0.99,
        running_batch=load * 0.98,
        waiting=0.0,
        kv_usage=min(0.9, 0.004 * load),
        output_throughput=throughput,
        request_throughput=throughput / 64,
        output_tokens=4096,
        tokens_exact=True,
        ttft=latency(0.05 + 0.01 * load),
        tpot=latency(tpot_s),
        tpot_is_usual=False,
        tpot_usual=latency(tpot_s),
        mean_tpot_by_token=tpot_s * 1.02,
        itl=latency(tpot_s),
        chunk_gap=latency(tpot_s),
        e2e_latency=latency(0.05 + 64 * tpot_s),
        acceptance=None,
        tokens_per_step=1.0,
        preemptions=0.0,
        prefix_hit_rate=0.0,
        looping_share=0.05,
        mean_output_tokens=64.0,
        finish_reasons={"length": 60, "stop": 4},
        client_lag_p99=0.0004 + 0.00005 * load,
        client_lag_watched=1.0,
        client_cpu_share=0.1,
        window_share=0.75,
        drift=Drift(1.0, 1.1),
        window_completed=48,
        window_error=0.004,
        prefill_share=PrefillShare(0.08, 0.03, 0.95 * tpot_s, 2000)
        if key.arm == "baseline"
        else None,
        gpu=None,
        missing={
            "acceptance": "the server reports no speculation counters",
            "gpu": "no GPU was read in this cell",
        },
        latency_basis=LatencyBasis.FULL_LOAD,
        whole_run=WholeRun(
            duration_s=4096 / (throughput * 0.94),
            output_throughput=throughput * 0.94,
            ttft=latency(0.06 + 0.01 * load),
            tpot=latency(tpot_s),
            tpot_usual=latency(tpot_s),
            itl=latency(tpot_s),
            chunk_gap=latency(tpot_s),
            e2e_latency=latency(0.06 + 64 * tpot_s),
            acceptance=None,
        ),
    )


def with_drafts(cell: CellStats, by_position: tuple[float, ...]) -> CellStats:
    """The same cell with a drafter whose acceptance is known."""
    drafts = 130.0
    accepted = drafts * math.fsum(by_position)
    before = (1.0, *by_position[:-1])
    return replace(
        cell,
        acceptance=Acceptance(
            drafts=drafts,
            draft_tokens=drafts * len(by_position),
            accepted_tokens=accepted,
            rate=math.fsum(by_position) / len(by_position),
            length=1 + math.fsum(by_position),
            by_position=by_position,
            conditional_by_position=tuple(
                now / given for now, given in zip(by_position, before, strict=True)
            ),
            source="counters over the window",
        ),
        tokens_per_step=1 + 0.2 * math.fsum(by_position),
        missing={"gpu": "no GPU was read in this cell"},
    )


def make_cells(
    courses: tuple[Course, ...], loads: tuple[int, ...], launches: int
) -> tuple[CellStats, ...]:
    """Every cell of a full grid, in launch order."""
    cells = []
    for launch in range(1, launches + 1):
        for course in courses:
            for place, load in enumerate(loads):
                condition = Condition(TARGET, course.dataset, course.context, 0.0, load)
                tokens = course.baseline[place] * BASELINE_FACTORS[launch - 1]
                tpot = 0.9 * load / tokens
                cells.append(
                    make_cell(CellKey(condition, "baseline", launch), tokens, tpot)
                )
                cells += [
                    _arm_cell(
                        CellKey(condition, name, launch),
                        arm,
                        tokens * arm.throughput[place] * LAUNCH_FACTORS[launch - 1],
                        tpot / arm.tpot[place] / LAUNCH_FACTORS[launch - 1],
                    )
                    for name, arm in course.arms.items()
                ]
    return tuple(cells)


def make_facts(findings: RunFindings) -> RunFacts:
    """Facts that fit synthetic findings."""
    datasets = dict.fromkeys(c.key.condition.dataset for c in findings.cells)
    return RunFacts(
        sweep_name="smollm2-ngram",
        run_id="20260301T101500Z-3f9a",
        started_utc="2026-03-01T10:15:00Z",
        device="2 cores of Intel Xeon Platinum 8481C",
        engines=("vLLM 0.32.0",),
        models=("HuggingFaceTB/SmolLM2-135M-Instruct",),
        datasets=tuple(
            DatasetUse(name, f"datasets/{name}.jsonl", "0" * 64, 16, ())
            for name in datasets
        ),
        launches_per_arm=max((c.key.replicate for c in findings.cells), default=0),
        specbench_version="0.1.0",
        measurement_version=1,
    )


def _arm_cell(key: CellKey, arm: ArmCourse, tokens: float, tpot: float) -> CellStats:
    cell = make_cell(key, tokens, tpot)
    slow = latency(tpot)
    cell = replace(cell, tpot=replace(slow, p95=slow.p95 * arm.tail))
    return with_drafts(cell, arm.by_position) if arm.has_acceptance else cell
