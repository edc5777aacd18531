"""What can spoil all cells of a launch: arms that were not the same server but for
speculation, and a GPU that somebody else used. Decided from the launches' records."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from specbench.schema.findings import CellStats, Finding, Severity
from specbench.schema.record import EngineFacts, LaunchRecord
from specbench.schema.sweep import BASELINE


@dataclass(frozen=True, slots=True)
class Cap:
    """A setting that must not differ between the arms of a target."""

    words: str
    read: Callable[[EngineFacts], object]


CAPS = (
    Cap("cap on running sequences", lambda f: f.max_num_seqs),
    Cap("token budget of a step", lambda f: f.max_num_batched_tokens),
    Cap("context limit", lambda f: f.max_model_len),
    Cap("prefix caching", lambda f: f.prefix_caching),
    Cap("engine version", lambda f: f.version),
)

LaunchName = tuple[str, str, int]
"""Target, arm, replicate."""


def add_launch_findings(
    cells: Sequence[CellStats], launches: Sequence[LaunchRecord]
) -> tuple[CellStats, ...]:
    """The cells with what is wrong with their launch."""
    wrong: dict[LaunchName, tuple[Finding, ...]] = {
        (r.target, r.arm, r.replicate): (*unequal(r, launches), *shared_gpu(r))
        for r in launches
    }
    return tuple(
        replace(cell, findings=(*wrong.get(_name(cell), ()), *cell.findings))
        for cell in cells
    )


def _name(cell: CellStats) -> LaunchName:
    return (cell.key.condition.target, cell.key.arm, cell.key.replicate)


def unequal(
    record: LaunchRecord, launches: Sequence[LaunchRecord]
) -> tuple[Finding, ...]:
    """Settings, as read back from the engines, in which an arm differs from the first
    baseline of its target. What cannot be read back is not judged."""
    baseline = next(
        (
            r.facts
            for r in launches
            if r.target == record.target and r.arm == BASELINE and r.facts
        ),
        None,
    )
    if record.facts is None or baseline is None:
        return ()
    found = []
    for cap in CAPS:
        here, there = cap.read(record.facts), cap.read(baseline)
        if here is not None and there is not None and here != there:
            found.append(
                Finding(
                    Severity.VOID,
                    "arms-differ",
                    f"{cap.words}: {here}, but {there} in the baseline",
                    "set it explicitly in target.args, so that all arms get the same",
                )
            )
    if record.facts.model_id != baseline.model_id:
        found.append(
            Finding(
                Severity.FLAG,
                "model-names-differ",
                f"serves {record.facts.model_id!r}, the baseline {baseline.model_id!r}",
                "make sure that it is the same model with the same weights",
            )
        )
    return tuple(found)


def shared_gpu(record: LaunchRecord) -> tuple[Finding, ...]:
    """Another process held memory on a GPU just before the launch took it."""
    if record.host is None:
        return ()
    chosen = record.env.get("CUDA_VISIBLE_DEVICES", "").split(",")
    for gpu in record.host.gpus:
        is_ours = gpu.uuid in chosen or str(gpu.index) in chosen
        if is_ours and gpu.processes:
            pids = ", ".join(str(p.pid) for p in gpu.processes)
            return (
                Finding(
                    Severity.VOID,
                    "gpu-in-use",
                    f"GPU {gpu.index} ({gpu.name}) was in use by process {pids}",
                    "end that process, or choose another GPU by CUDA_VISIBLE_DEVICES",
                ),
            )
    return ()
