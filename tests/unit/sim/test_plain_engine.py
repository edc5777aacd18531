"""The fast engine does what the plain one does, instant by instant."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from specbench.sim.config import SimConfig, SimSpeculation
from specbench.sim.model import Engine
from tests.unit.sim.plain_engine import PlainEngine
from tests.unit.sim.virtual import config, request, run_until_idle

LONGEST = 40 + 50


@st.composite
def any_config(draw: st.DrawFn) -> SimConfig:
    rates = draw(st.lists(st.sampled_from([0.0, 0.5, 0.9, 1.0]), max_size=4))
    drafter = SimSpeculation(len(rates), tuple(rates), 0.001, 0.0001)
    plain = config(drafter if rates else None, max_num_seqs=draw(st.integers(1, 10)))
    return replace(
        plain,
        cost=replace(plain.cost, per_context_token_s=0.000_003),
        max_model_len=draw(st.sampled_from([LONGEST, 1000])),
        block_size=draw(st.sampled_from([1, 4, 16])),
        kv_capacity_tokens=draw(st.integers(112, 300)),
        max_num_batched_tokens=draw(st.one_of(st.none(), st.integers(1, 80))),
    )


@settings(max_examples=300, deadline=None)
@given(
    any_config(),
    st.lists(st.tuples(st.integers(1, 40), st.integers(1, 50)), min_size=1),
    st.integers(0, 3),
)
def test_the_fast_engine_agrees_with_the_plain_one(
    caps: SimConfig, shapes: list[tuple[int, int]], seed: int
) -> None:
    requests = [request(str(i), out, prompt) for i, (prompt, out) in enumerate(shapes)]
    plain = PlainEngine(caps, seed, requests)
    plain.run()
    # An idle engine begins a step with the first request that comes; here all are told
    # of during an opening step, so that the next one sees the whole queue.
    engine = Engine(caps, seed)
    engine.submit(request("opener", 1, 1), 0)
    began = engine.next_step_time()
    assert began is not None
    for wanted in requests:
        engine.submit(wanted, 1)
    history = run_until_idle(engine)
    del history.outputs["opener"]
    told = {
        name: [(instant - began, output.tokens) for instant, output in outputs]
        for name, outputs in history.outputs.items()
    }
    assert told == plain.told
    assert engine.counters.preemptions == plain.preemptions
