"""Damaged metrics pages are counts, or an absence with a reason: no exception but the
one that names the line, and never a figure that strict JSON could not hold."""

import math
import random
from collections.abc import Iterator
from dataclasses import astuple
from pathlib import Path

import pytest

from specbench.analysis.acceptance import acceptance_between
from specbench.engines.vllm_metrics import PREFIX, read_metrics
from specbench.schema.snapshot import EngineCounters, EngineReading, Phase
from specbench.store.format import to_json
from specbench.wire.errors import WireError
from specbench.wire.prometheus import cut_to_prefix
from tests.factories import gauges
from tests.fuzz.damage import damaged
from tests.fuzz.seeds import TIMES, announce, randomness
from tests.fuzz.smallest import complaint, smallest
from tests.fuzz.watch import alarm, rewind

PAGES = 4_000
CAPTURE = Path(__file__).parents[1] / "contract/captures/vllm/0.32.0/ngram"

_SPEC = "vllm:spec_decode_num_"
LINES = (
    "# HELP vllm:num_requests_running Number of requests in execution.",
    "# TYPE vllm:num_requests_running gauge",
    'vllm:num_requests_running{engine="0",model_name="m"} 3.0',
    'vllm:kv_cache_usage_perc{engine="0",model_name="m"} 0.25',
    f'{_SPEC}drafts_total{{engine="0",model_name="m {_SPEC}drafts_total"}} 600.0',
    f'{_SPEC}drafts_created{{engine="0",model_name="m"}} 1.7954112e+09',
    f'{_SPEC}drafts_total{{engine="1",model_name="m"}} 20',
    f'{_SPEC}draft_tokens_total{{engine="0",model_name="m"}} 1800.0',
    f'{_SPEC}accepted_tokens_total{{engine="0",model_name="m"}} 1140.0',
    f'{_SPEC}accepted_tokens_per_pos_total{{engine="0",position="0"}} 540.0',
    f'{_SPEC}accepted_tokens_per_pos_total{{position="1",engine="0"}} 3.8e+02',
    'vllm:generation_tokens_total{engine="0",model_name="\\"q\\\\\\n"} 1e3 1796013435',
)
ODD_NUMBERS = (
    "NaN",
    "+Inf",
    "-Inf",
    "-1",
    "1e308",
    "1.7e308",
    "1e309",
    "1e-320",
    "9" * 400,
    "0x10",
    "1_0",
    "",
    "٣",
    '1.0 # {trace_id="x"} 0.5',
)
ODD_POSITIONS = ("-1", "1.0", "", "²", "٣", "9" * 5000, "00", "0 ", "a", "4294967296")


def wrong(page: str) -> str | None:
    """Why a page was not taken as it should be."""
    try:
        counters, _ = read_metrics(cut_to_prefix(page, PREFIX))
        read_metrics(page)
    except WireError as error:
        return None if str(error) else "an error without a reason"
    except Exception as error:  # noqa: BLE001 (that is what is looked for)
        return f"{type(error).__name__}: {error}"[:300]
    return _wrong_counters(counters)


def _wrong_counters(counters: EngineCounters) -> str | None:
    for value in astuple(counters):
        numbers = value if isinstance(value, tuple) else (value,)
        if not all(n is None or math.isfinite(n) for n in numbers):
            return f"a count of {value}"
    before, _ = read_metrics("\n".join(LINES))
    for first, last in ((before, counters), (counters, before), (counters, counters)):
        readings = [
            EngineReading(Phase.OPEN, 0, first, gauges(1)),
            EngineReading(Phase.CLOSE, 1, last, gauges(1)),
        ]
        try:
            found = acceptance_between(readings, (Phase.OPEN, Phase.CLOSE), "test")
            to_json(found)
        except Exception as error:  # noqa: BLE001 (that is what is looked for)
            return f"acceptance: {type(error).__name__}: {error}"[:300]
    return None


def odd_pages(number: str) -> Iterator[str]:
    """Each number of the page odd, alone and in two engines."""
    for at, line in enumerate(LINES):
        if line.startswith("#"):
            continue
        odd = f"{line[: line.rindex('}') + 1]} {number}"
        yield "\n".join((*LINES[:at], odd, *LINES[at + 1 :]))
        yield "\n".join((odd, odd.replace('"0"', '"1"')))


def random_pages(rng: random.Random) -> Iterator[str]:
    """Blind damage to bytes, and lines that are missing, double or moved."""
    captured = (CAPTURE / "metrics-after.txt").read_text()
    kept = [x for x in captured.split("\n") if "spec_decode" in x or "_tokens_" in x]
    for index in range(PAGES * TIMES):
        lines = list(LINES if index % 4 else kept[:30])
        if index % 3 == 0:
            rng.shuffle(lines)
            lines = lines[: rng.randrange(len(lines) + 1)] + lines[:2]
            yield "\n".join(lines)
        else:
            data = damaged(rng, "\n".join(lines).encode())
            yield data.decode("utf-8", "replace")


def fail_with(page: str, reason: str) -> None:
    """The failure with the smallest page."""
    least = smallest(page, lambda p: wrong(p) is not None)
    pytest.fail(complaint([f"page: {least[:300]!r}"], wrong(least) or reason))


@pytest.mark.parametrize("number", ODD_NUMBERS, ids=lambda n: n[:12] or "none")
def test_an_odd_number_on_the_page_is_a_count_or_an_absence(number: str) -> None:
    for page in odd_pages(number):
        reason = wrong(page)
        if reason is not None:
            fail_with(page, reason)


@pytest.mark.parametrize("position", ODD_POSITIONS, ids=lambda p: p[:12])
def test_an_odd_position_is_an_absence(position: str) -> None:
    name = f"{_SPEC}accepted_tokens_per_pos_total"
    page = f'{name}{{engine="0",position="{position}"}} 5\n'
    reason = wrong(page)
    if reason is not None:
        fail_with(page, reason)


def test_damaged_pages_are_read_or_refused() -> None:
    count = 0
    with alarm():
        for page in random_pages(randomness("pages")):
            rewind()
            reason = wrong(page)
            if reason is not None:
                announce("pages", count, "pages were right before")
                fail_with(page, reason)
            count += 1
    announce("pages", count, "damaged pages")
    assert count >= PAGES
