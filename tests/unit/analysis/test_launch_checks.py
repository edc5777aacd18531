"""Launch-wide findings: unequal arms and a GPU in use void every cell of the launch."""

from dataclasses import replace

import pytest

from specbench.analysis.launch_checks import add_launch_findings, shared_gpu, unequal
from specbench.schema.cell import CellKey
from specbench.schema.host import GpuFacts, GpuProcess, HostFacts
from specbench.schema.record import EngineFacts, LaunchRecord
from tests.factories import cell_stats, condition

FACTS = EngineFacts("vllm", "0.32.0", "m", 2048, 46592, 22.75, 16, 2048, False)


def launch(arm: str, facts: EngineFacts | None = FACTS) -> LaunchRecord:
    return LaunchRecord(1, "target", arm, 1, ("vllm",), facts=facts)


@pytest.mark.parametrize(
    "changed",
    [
        replace(FACTS, max_num_seqs=8),
        replace(FACTS, max_num_batched_tokens=4096),
        replace(FACTS, max_model_len=1024),
        replace(FACTS, prefix_caching=True),
        replace(FACTS, version="0.33.0"),
    ],
)
def test_an_arm_that_differs_from_the_baseline_is_void(changed: EngineFacts) -> None:
    launches = [launch("baseline"), launch("arm", changed)]
    cells = [
        cell_stats(key=CellKey(condition(), arm, 1)) for arm in ("baseline", "arm")
    ]
    baseline, arm = add_launch_findings(cells, launches)
    assert not baseline.is_void
    assert arm.is_void


@pytest.mark.parametrize(
    "changed",
    [
        replace(FACTS, kv_capacity_tokens=40000, notes=("async off",)),
        replace(FACTS, max_num_seqs=None, version=None),
        None,
    ],
)
def test_what_may_differ_or_cannot_be_read_back_is_not_judged(
    changed: EngineFacts | None,
) -> None:
    launches = [launch("baseline"), launch("arm", changed)]
    assert unequal(launches[1], launches) == ()


def gpu(index: int, processes: tuple[GpuProcess, ...] | None) -> GpuFacts:
    nothing = (None,) * 7
    return GpuFacts(index, f"GPU-{index}", "card", *nothing, None, processes)


@pytest.mark.parametrize(
    ("visible", "is_found"), [("GPU-1", True), ("1", True), ("GPU-0", False)]
)
def test_only_a_process_on_the_chosen_gpu_voids(visible: str, is_found: bool) -> None:
    host = HostFacts(
        *("h", "os", "k", "3.11", None, None, None, None, None),
        gpus=(gpu(0, ()), gpu(1, (GpuProcess(42, None),))),
        gpu_note=None,
    )
    record = replace(launch("arm"), env={"CUDA_VISIBLE_DEVICES": visible}, host=host)
    assert bool(shared_gpu(record)) is is_found


def test_processes_that_cannot_be_listed_are_not_called_present() -> None:
    host = HostFacts(
        *("h", "os", "k", "3.11", None, None, None, None, None),
        gpus=(gpu(0, None),),
        gpu_note=None,
    )
    record = replace(launch("arm"), env={"CUDA_VISIBLE_DEVICES": "0"}, host=host)
    assert shared_gpu(record) == ()
