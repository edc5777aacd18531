"""Several ranks: each is an engine of its own, and requests spread as vLLM spreads
them."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.sim.config import SimConfig
from specbench.sim.model import Engine
from specbench.sim.ranks import Ranks
from specbench.sim.request import StepOutput
from tests.unit.sim.virtual import MS, config, drafter, request


def ranked(count: int, max_num_seqs: int = 1000) -> SimConfig:
    return replace(config(drafter(0.7, 0.5), max_num_seqs), ranks=count)


def spread(engine: Ranks) -> list[int]:
    return [rank.running + rank.waiting for rank in engine.engines]


def run(engine: Ranks) -> list[tuple[int, StepOutput]]:
    seen = []
    while (now := engine.next_step_time()) is not None:
        seen += [(now, output) for output in engine.step()]
    return seen


@given(
    st.integers(1, 5),
    st.lists(st.tuples(st.integers(0, 200), st.integers(1, 20)), min_size=1),
)
def test_every_request_ends_once_and_time_never_goes_back(
    count: int, wanted: list[tuple[int, int]]
) -> None:
    engine = Ranks(ranked(count), seed=0)
    seen = []
    for number, (arrival, output) in enumerate(sorted(wanted)):
        while (now := engine.next_step_time()) is not None and now <= arrival * MS:
            seen += [(now, out) for out in engine.step()]
        engine.submit(request(str(number), output), arrival * MS)
    seen += run(engine)
    assert [instant for instant, _ in seen] == sorted(instant for instant, _ in seen)
    for number, (_, output) in enumerate(sorted(wanted)):
        mine = [out for _, out in seen if out.request_id == str(number)]
        assert sum(out.tokens for out in mine) == output
        assert [out.is_finished for out in mine].count(True) == 1
    total = sum(rank.counters.generation_tokens for rank in engine.engines)
    assert total == sum(output for _, output in wanted)


@given(st.integers(1, 6), st.integers(0, 40))
def test_a_burst_is_spread_evenly(count: int, requests: int) -> None:
    engine = Ranks(ranked(count), seed=0)
    for number in range(requests):
        engine.submit(request(str(number)), 0)
    assert max(spread(engine)) - min(spread(engine)) <= 1


def test_equals_are_taken_in_turn() -> None:
    engine = Ranks(ranked(3), seed=0)
    homes = []
    for number in range(6):
        engine.submit(request(str(number), max_tokens=1), number * 1000 * MS)
        homes.append(spread(engine).index(1))
        run(engine)
    assert homes == [0, 1, 2, 0, 1, 2]


def test_a_new_request_goes_where_fewest_are() -> None:
    engine = Ranks(ranked(2), seed=0)
    for name, tokens in [("a", 1), ("b", 50), ("c", 1), ("d", 50)]:
        engine.submit(request(name, max_tokens=tokens), 0)
    while engine.running + engine.waiting > 2:
        engine.step()
    assert spread(engine) == [0, 2]
    now = engine.next_step_time()
    assert now is not None
    engine.submit(request("e"), now)
    assert spread(engine) == [1, 2]


def test_a_full_kv_cache_with_a_queue_counts_as_more_load() -> None:
    # rank 0: one large request runs, one waits for room; rank 1: three small ones run
    tight = replace(
        config(max_num_seqs=4), ranks=2, block_size=4, kv_capacity_tokens=400
    )
    engine = Ranks(tight, seed=0)
    shapes = [("a", 300), ("b", 4), ("c", 300), ("d", 4)]
    for name, prompt in shapes:
        engine.submit(request(name, 50, prompt), 0)
    engine.step()
    engine.step()
    engine.submit(request("e", 50, 4), 100 * MS)
    engine.submit(request("f", 50, 4), 100 * MS)
    # f: rank 0 has 2 (1 waits) and a penalty of 6 x 0.26, rank 1 has 3 by then
    assert spread(engine) == [2, 4]


def test_one_rank_behaves_as_a_bare_engine() -> None:
    bare, ranks = Engine(ranked(1), seed=4), Ranks(ranked(1), seed=4)
    for number in range(5):
        bare.submit(request(str(number)), number * MS)
        ranks.submit(request(str(number)), number * MS)
    while (now := bare.next_step_time()) is not None:
        assert ranks.next_step_time() == now
        assert ranks.step() == bare.step()
        assert ranks.last_step == bare.last_step
    assert ranks.next_step_time() is None


def test_what_a_request_meets_does_not_depend_on_its_rank() -> None:
    def tokens(count: int) -> list[int]:
        engine = Ranks(ranked(count), seed=4)
        for name in "abc":
            engine.submit(request(name, max_tokens=40), 0)
        return [out.tokens for _, out in run(engine) if out.request_id == "c"]

    assert tokens(1) == tokens(2) == tokens(3)


def test_each_rank_steps_by_its_own_clock_and_says_which_it_is() -> None:
    engine = Ranks(ranked(2), seed=0)
    engine.submit(request("a", max_tokens=1, prompt_tokens=1000), 0)
    engine.submit(request("b", max_tokens=1, prompt_tokens=0), 0)
    assert [out.request_id for out in engine.step()] == ["b"]
    assert engine.last_step is not None
    assert engine.last_step.rank == 1
    assert [out.request_id for out in engine.step()] == ["a"]
    assert engine.last_step.rank == 0


def test_an_aborted_request_leaves_its_rank() -> None:
    engine = Ranks(ranked(2), seed=0)
    engine.submit(request("a"), 0)
    engine.abort("a")
    engine.abort("a")
    engine.abort("never seen")
    assert spread(engine) == [0, 0]
    assert run(engine) == []
    engine.submit(request("a", max_tokens=1), 1000 * MS)
    assert len(run(engine)) == 1


def test_an_id_is_free_again_once_its_request_has_ended() -> None:
    engine = Ranks(ranked(2), seed=0)
    for start in (0, 1000):
        engine.submit(request("a", max_tokens=2), start * MS)
        assert sum(out.tokens for _, out in run(engine)) == 2


def test_a_refused_request_takes_nobodys_turn() -> None:
    engine = Ranks(ranked(2), seed=0)
    with pytest.raises(ValueError, match="max_model_len"):
        engine.submit(request("big", prompt_tokens=10**6), 0)
    engine.submit(request("a"), 0)
    assert spread(engine) == [1, 0]
    with pytest.raises(ValueError, match="already"):
        engine.submit(request("a"), 0)


def test_an_idle_engine_has_no_step_and_no_rank_is_no_engine() -> None:
    with pytest.raises(ValueError, match="idle"):
        Ranks(ranked(2), seed=0).step()
    with pytest.raises(ValueError, match="at least one rank"):
        Ranks(ranked(0), seed=0)
