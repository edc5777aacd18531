"""The token-weighted mean TPOT: all decode time over all decode tokens."""

import pytest

from specbench.analysis.decode_time import mean_tpot_by_token
from specbench.analysis.requests import derive_figures
from specbench.schema.sample import RequestSample
from tests.factories import chunks_of, failed_sample, sample, steady_sample


def mean_of(*samples: RequestSample) -> float | None:
    return mean_tpot_by_token(samples, [derive_figures(s) for s in samples])


def test_a_long_answer_counts_by_its_tokens() -> None:
    short = steady_sample(0, 11, 40.0)  # 10 decode tokens in 400 ms
    long = steady_sample(0, 91, 10.0)  # 90 in 900 ms
    assert mean_of(short, long) == pytest.approx(1.3 / 100)
    assert mean_of(short) == pytest.approx(0.040)


def test_tokens_of_the_first_chunk_are_left_out_as_in_the_tpot_of_a_request() -> None:
    packed = sample(chunks_of([100, 200, 300], [4, 3, 3], counted=True))
    assert mean_of(packed) == derive_figures(packed).tpot
    # 6 tokens in 200 ms and 10 in 400
    assert mean_of(packed, steady_sample(0, 11, 40.0)) == pytest.approx(0.600 / 16)


def test_without_running_counts_it_has_the_usual_form() -> None:
    bare = sample(chunks_of([100, 300], [1, 1], counted=False), output_tokens=5)
    assert mean_of(bare) == derive_figures(bare).tpot_usual
    # 4 tokens in 200 ms and 10 in 400
    assert mean_of(bare, steady_sample(0, 11, 40.0)) == pytest.approx(0.600 / 14)


def test_requests_without_a_tpot_take_no_part() -> None:
    one_token = sample(chunks_of([100], [1], counted=True))
    failed = failed_sample(chunks=chunks_of([100, 900], [1, 1], counted=True))
    good = steady_sample(0, 11, 20.0)
    assert mean_of(one_token, failed, good) == pytest.approx(0.020)
    assert mean_of(one_token, failed) is None
