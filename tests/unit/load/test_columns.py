"""A sample on its way from a load process to its parent."""

import pickle

from hypothesis import given
from hypothesis import strategies as st

from specbench.load.columns import pack_sample, unpack_sample
from specbench.schema.sample import Chunk, Outcome, RequestSample, Role
from specbench.wire.counts import HIGHEST

INSTANTS = st.integers(0, 2**62)
COUNTS = st.none() | st.integers(0, HIGHEST)
CHUNKS = st.builds(
    Chunk,
    arrival_ns=INSTANTS,
    text=st.text(),
    is_reasoning=st.booleans(),
    tokens_so_far=COUNTS,
)
SAMPLES = st.builds(
    RequestSample,
    index=st.integers(0, 10**6),
    prompt_id=st.text(),
    category=st.text(),
    slot=st.integers(0, 2048),
    role=st.sampled_from(Role),
    scheduled_ns=INSTANTS,
    sent_ns=INSTANTS,
    end_ns=INSTANTS,
    outcome=st.sampled_from(Outcome),
    error=st.none() | st.text(),
    http_status=st.none() | st.integers(100, 999),
    chunks=st.lists(CHUNKS).map(tuple),
    prompt_tokens=COUNTS,
    output_tokens=COUNTS,
    finish_reason=st.none() | st.text(),
    speculation=st.none() | st.dictionaries(st.text(), st.integers()),
)


@given(SAMPLES)
def test_a_sample_arrives_as_it_was_sent(sample: RequestSample) -> None:
    sent = pickle.dumps(pack_sample(sample), pickle.HIGHEST_PROTOCOL)
    assert unpack_sample(pickle.loads(sent)) == sample
