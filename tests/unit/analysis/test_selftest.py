"""What a level says of the client, the limit, and the word before a sweep."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.analysis.selftest import (
    advise,
    answer_s,
    describe_limit,
    find_limit,
    holds_for,
    judge_level,
)
from specbench.schema.selftest import SelftestVerdict
from tests.unit.selftests import (
    CARRIES,
    ERRS,
    MATCH,
    OFFERED,
    SEEN,
    SERVER_BOUND,
    level,
    result,
)


def test_a_level_inside_every_bound_is_carried() -> None:
    judged = judge_level(SEEN)
    assert judged.verdict is CARRIES
    assert judged.reasons == ()
    assert judged.offered_chunks_per_s == pytest.approx(OFFERED)
    assert judged.ttft_error_s == 0.0005
    assert judged.lost_chunks == 0


@pytest.mark.parametrize(
    ("inside", "outside", "word"),
    [
        ({"lag_p99_s": 0.002}, {"lag_p99_s": 0.0021}, "lag"),
        # 3 ms + 1 % of 200 ms
        ({"ttft_error_p50_s": 0.005}, {"ttft_error_p50_s": 0.0051}, "TTFT"),
        ({"ttft_error_p99_s": -0.005}, {"ttft_error_p99_s": -0.0051}, "TTFT"),
        ({"tpot_error_p50": 0.01}, {"tpot_error_p50": 0.0101}, "TPOT"),
        ({"tpot_error_p99": -0.01}, {"tpot_error_p99": -0.0101}, "TPOT"),
        ({"chunks_read": 500}, {"chunks_read": 499}, "lost"),
        ({"unmatched": 0}, {"unmatched": 1}, "unmatched"),
        ({"lag_p99_s": 0.0}, {"lag_p99_s": None}, "lag"),
    ],
)
def test_each_bound_on_the_figures_has_two_sides(
    inside: dict[str, float], outside: dict[str, float | None], word: str
) -> None:
    good = judge_level(replace(SEEN, match=replace(MATCH, **inside)))  # type: ignore[arg-type]
    bad = judge_level(replace(SEEN, match=replace(MATCH, **outside)))  # type: ignore[arg-type]
    assert good.verdict is CARRIES
    assert bad.verdict is ERRS
    assert word in bad.reasons[0]


def test_less_than_99_percent_of_the_offered_chunks_errs_but_for_one_chunk() -> None:
    bound = 0.99 - 1 / (SEEN.streams * SEEN.chunks)
    just = replace(SEEN, delivered_chunks_per_s=(bound + 0.0001) * OFFERED)
    under = replace(SEEN, delivered_chunks_per_s=(bound - 0.0001) * OFFERED)
    assert judge_level(just).verdict is CARRIES
    assert judge_level(under).verdict is ERRS
    assert judge_level(replace(SEEN, delivered_chunks_per_s=None)).verdict is CARRIES


def test_a_failed_request_errs_also_beside_a_late_server() -> None:
    late = replace(MATCH, late_p99_s=0.1)
    assert judge_level(replace(SEEN, failed_requests=1)).verdict is ERRS
    both = judge_level(replace(SEEN, failed_requests=1, match=late))
    assert both.verdict is ERRS


def test_a_server_later_than_a_quarter_gap_says_nothing_of_the_client() -> None:
    on_time = replace(MATCH, late_p99_s=0.005)
    late = replace(MATCH, late_p99_s=0.0051, lag_p99_s=1.0)
    assert judge_level(replace(SEEN, match=on_time)).verdict is CARRIES
    judged = judge_level(replace(SEEN, match=late))
    assert judged.verdict is SERVER_BOUND
    assert "server" in judged.reasons[0]
    assert "lag" in judged.reasons[1]


def test_an_answer_lasts_its_ttft_and_the_gaps_between_its_chunks() -> None:
    assert answer_s(0.2, 0.02, 50) == pytest.approx(1.18)
    assert answer_s(0.2, 0.02, 1) == pytest.approx(0.2)


VERDICTS = st.lists(st.sampled_from(list(SelftestVerdict)), max_size=8)


@given(VERDICTS)
def test_the_limit_lies_under_the_first_level_that_errs(
    verdicts: list[SelftestVerdict],
) -> None:
    levels = [level(8 * 2**place, verdict) for place, verdict in enumerate(verdicts)]
    limit = find_limit(levels)
    erred = [x.streams for x in levels if x.verdict is ERRS]
    assert (limit.erred.streams if limit.erred else None) == min(erred, default=None)
    if limit.carried is not None:
        assert limit.carried.verdict is CARRIES
        assert not erred or limit.carried.streams < min(erred)
    below = [
        x.streams
        for x in levels
        if x.verdict is CARRIES and (not erred or x.streams < min(erred))
    ]
    assert (limit.carried.streams if limit.carried else None) == max(
        below, default=None
    )
    assert describe_limit(levels).endswith(".")


def test_the_limit_is_one_sentence_that_names_both_sides() -> None:
    text = describe_limit([level(16), level(64), level(128, ERRS)])
    assert "carries 64 streams" in text
    assert "at 128 it errs: lag p99" in text
    assert "the highest level tried" in describe_limit([level(16)])
    assert "already at 16" in describe_limit([level(16, ERRS)])
    assert "could not keep" in describe_limit([level(16), level(64, SERVER_BOUND)])
    assert "Nothing is known" in describe_limit([level(16, SERVER_BOUND)])


def test_without_a_selftest_only_many_streams_are_worth_a_word() -> None:
    assert advise(None, 64) is None
    word = advise(None, 65)
    assert word is not None
    assert word.startswith("note: ")
    assert "specbench selftest" in word
    assert "\n" not in word


def test_a_sweep_within_what_was_carried_gets_no_word() -> None:
    assert advise(result(level(16), level(256), level(512, ERRS)), 256) is None


def test_a_sweep_beyond_what_was_carried_is_warned_with_advice() -> None:
    word = advise(result(level(16), level(256), level(512, ERRS)), 257)
    assert word is not None
    assert word.startswith("warning: ")
    assert "257 streams" in word
    assert "carried 256 streams" in word
    assert "lower concurrency" in word


def test_faster_streams_are_beyond_the_limit_at_fewer_of_them() -> None:
    stored = result(level(256))
    assert advise(stored, 128, chunks_per_s=100) is None
    word = advise(stored, 129, chunks_per_s=100)
    assert word is not None
    assert "12,900 chunks/s" in word
    assert "129 streams" not in word


def test_a_client_that_carried_nothing_is_a_warning_at_any_load() -> None:
    word = advise(result(level(16, ERRS)), 1)
    assert word is not None
    assert word.startswith("warning: ")


def test_a_result_holds_for_its_own_machine_and_version_only() -> None:
    stored = result(level(16))
    assert holds_for(stored, stored.machine)
    assert not holds_for(stored, replace(stored.machine, cpus=4))
    assert not holds_for(stored, replace(stored.machine, specbench_version="0.2.0"))
