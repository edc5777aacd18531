"""Memory that a sweep asks for, beside what there is."""

import pytest

from specbench.planning.memory import MemoryPlan, ModelSize, Room, plan_memory
from specbench.theory.kv_memory import KvMemory
from specbench.units import BYTES_PER_GIB
from tests.unit.planning.sweep_texts import SOUND, read

KIB = 1024
LLAMA = ModelSize("llama", 15 * BYTES_PER_GIB, KvMemory(128 * KIB, "32 layers"))
GPU = Room(80 * BYTES_PER_GIB, "1x GPU")


def planned(*overrides: str, model: ModelSize = LLAMA, room: Room = GPU) -> MemoryPlan:
    spec = read(SOUND, *overrides)
    return plan_memory(spec, spec.targets[0], model, {}, room)


def test_the_largest_cell_is_the_one_with_the_most_tokens_when_all_requests_end() -> (
    None
):
    need = planned("workload.context=[512, 1024]").largest
    assert need.condition.context == 1024
    assert need.tokens == 16 * (1024 + 256)
    assert need.bytes == need.tokens * 128 * KIB
    assert not need.is_at_least


def test_prompts_of_unknown_length_come_on_top() -> None:
    need = planned().largest
    assert need.tokens == 16 * 256
    assert need.is_at_least


def test_an_open_loop_has_as_many_at_most_as_the_engine_admits() -> None:
    text = SOUND.replace("concurrency = [1, 4, 16]", "request_rate = [0.5, 2]")
    spec = read(text, "target.args.max-num-seqs=32")
    need = plan_memory(spec, spec.targets[0], LLAMA, {}, GPU).largest
    assert need.sequences == 32


def test_the_cache_gets_what_the_weights_leave_of_the_engines_share() -> None:
    told = planned("target.args.gpu-memory-utilization=0.5")
    assert told.capacity_tokens == 25 * BYTES_PER_GIB // (128 * KIB)
    assert told.gpu_share == 0.5
    untold = planned()
    assert untold.capacity_tokens == 65 * BYTES_PER_GIB // (128 * KIB)
    assert untold.gpu_share is None


def test_memory_that_is_for_the_cache_alone_is_not_shared_with_the_weights() -> None:
    room = Room(4 * BYTES_PER_GIB, "set", is_for_cache=True)
    assert planned(room=room).capacity_tokens == 4 * BYTES_PER_GIB // (128 * KIB)


def test_what_by_that_cannot_fit_is_named() -> None:
    room = Room(1 * BYTES_PER_GIB, "set", is_for_cache=True)
    plan = planned("workload.context=[0, 256, 1024]", room=room)
    assert plan.capacity_tokens == 8192
    assert [(x.condition.context, x.condition.concurrency) for x in plan.misfits] == [
        (1024, 16)
    ]
    assert "8,192" in plan.misfits[0].why


@pytest.mark.parametrize(
    ("model", "room"),
    [
        (LLAMA, Room(None, "nobody knows")),
        (ModelSize("m", 1, KvMemory(None, "MLA")), GPU),
        (ModelSize("m", None, KvMemory(1024, "")), GPU),
    ],
)
def test_where_something_is_not_known_nothing_is_concluded(
    model: ModelSize, room: Room
) -> None:
    plan = planned("workload.context=[3000]", model=model, room=room)
    assert plan.capacity_tokens is None
    assert plan.misfits == ()


def test_weights_that_do_not_fit_leave_no_cache() -> None:
    room = Room(8 * BYTES_PER_GIB, "small")
    assert planned("workload.context=[512]", room=room).capacity_tokens == 0
