"""What a real SGLang 0.5.23 said of single requests' drafts, under each drafter that
was captured: the adapter reads it from the streams as they were sent."""

from pathlib import Path

import pytest

from specbench.engines.sglang_requests import read_request
from specbench.schema.drafting import RequestDrafts
from specbench.wire.completions import StreamReading, read_stream

CAPTURES = Path(__file__).parent / "captures" / "sglang" / "0.5.23"
TOLD = sorted(
    str(path.relative_to(CAPTURES))
    for path in CAPTURES.glob("*/*.sse")
    if b"spec_tokens_details" in path.read_bytes()
)


def stream(name: str) -> StreamReading:
    return read_stream([(1, (CAPTURES / name).read_bytes())])


def read(name: str) -> RequestDrafts:
    figures = stream(name).speculation
    assert figures is not None
    found = read_request(figures)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("name", "passes", "accepted", "by_position", "width"),
    [
        ("standalone-chain/chat.sse", 8, 15, (6, 5, 4), 3),
        ("standalone-tree/completions.sse", 6, 17, (6, 6, 5), 5),
        ("standalone-bad-draft/chat.sse", 20, 3, (2, 1), 3),
        ("standalone-self-draft/completions.sse", 8, 24, (8, 8, 8), 3),
        ("eagle3-random-draft-tree/chat.sse", 23, 0, (0,), 5),
        ("adaptive/chat.sse", 23, 0, (0,), 3),
        ("ngram/chat.sse", 2, 21, (2,) * 10 + (1,), 11),
        ("simulated-accept-2.5/chat.sse", 9, 14, (9, 5), 3),
    ],
)
def test_figures_of_each_drafter_are_read(
    name: str, passes: int, accepted: int, by_position: tuple[int, ...], width: int
) -> None:
    assert read(name) == RequestDrafts(
        steps=passes,
        drafts=passes,
        draft_tokens=passes * width,
        accepted_tokens=accepted,
        accepted_by_position=by_position,
        longest_draft=width,
    )


@pytest.mark.parametrize("name", TOLD)
def test_steps_and_accepted_tokens_give_all_tokens_behind_the_first(name: str) -> None:
    found, tokens = read(name), stream(name).output_tokens
    assert found.steps is not None
    assert tokens is not None
    beyond = found.steps + found.accepted_tokens - (tokens - 1)
    assert 0 <= beyond <= (found.longest_draft or 0)


@pytest.mark.parametrize("name", TOLD)
def test_the_engines_own_length_counts_prefills_token_and_ours_does_not(
    name: str,
) -> None:
    reading, found = stream(name), read(name)
    assert reading.speculation is not None
    assert reading.output_tokens is not None
    assert found.drafts
    said = reading.speculation["spec_accept_length"]
    assert said == pytest.approx(reading.output_tokens / found.drafts)
    if not found.accepted_tokens:
        assert 1 + found.accepted_tokens / found.drafts == 1.0 < said


def test_without_speculation_the_server_says_nothing_of_drafts() -> None:
    assert stream("base/chat.sse").speculation is None
