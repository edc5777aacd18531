"""The text of metrics pages."""

import contextlib
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.wire.errors import WireError
from specbench.wire.prometheus import Series, cut_to_prefix, parse_exposition
from tests.unit.wire.pieces import mutate

PAGE = r"""# HELP vllm:tokens_total Tokens, in words: a "count"
# TYPE vllm:tokens_total counter
vllm:tokens_total{engine="0",model_name="a \"b\" {c} \\ vllm:tokens_total"} 17.0
# TYPE vllm:tokens_created gauge
vllm:tokens_created{engine="0"} 1.7954112e+09
# TYPE vllm:ttft_seconds histogram
vllm:ttft_seconds_bucket{le="+Inf"} 3.0
vllm:ttft_seconds_sum 0.5 1796013435000
# TYPE plain counter
plain 4
other_vllm:x 1
vllm:ratio NaN
"""


def test_names_are_those_of_the_page() -> None:
    names = [series.name for series in parse_exposition(PAGE)]
    assert names == [
        "vllm:tokens_total",
        "vllm:tokens_created",
        "vllm:ttft_seconds_bucket",
        "vllm:ttft_seconds_sum",
        "plain",
        "other_vllm:x",
        "vllm:ratio",
    ]


def test_labels_are_unescaped_and_values_are_numbers() -> None:
    first, *_, last = parse_exposition(PAGE)
    assert first == Series(
        "vllm:tokens_total",
        {"engine": "0", "model_name": 'a "b" {c} \\ vllm:tokens_total'},
        17.0,
    )
    assert math.isnan(last.value)


def test_timestamp_is_not_the_value() -> None:
    assert parse_exposition("a 0.5 1796013435000\n") == [Series("a", {}, 0.5)]


@pytest.mark.parametrize("text", ["", "\n\n", "# TYPE a counter\n# just words"])
def test_page_without_samples_is_empty(text: str) -> None:
    assert parse_exposition(text) == []


def test_line_ends_may_be_those_of_windows() -> None:
    assert parse_exposition("a 1\r\nb 2\r\n") == [
        Series("a", {}, 1),
        Series("b", {}, 2),
    ]


@pytest.mark.parametrize(
    "broken",
    [
        "<html><body>404</body></html>",
        '{"detail":"Not Found"}',
        "vllm:x",
        "vllm:x one",
        'vllm:x{engine="0} 1',
        'vllm:x{engine="0",engine="1"} 1',
        'vllm:x{engine="0"} {running}',
        "vllm:x 1" + "0" * 400,
    ],
)
def test_nonsense_is_an_error_with_its_line(broken: str) -> None:
    with pytest.raises(WireError, match="line 3 is not a metrics sample") as error:
        parse_exposition(f"# TYPE a gauge\na 1\n{broken}\nb 2\n")
    assert broken[:20] in str(error.value)


@given(mutate(PAGE.encode()))
def test_mutated_page_is_read_or_refused(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    try:
        parse_exposition(text)
    except WireError:
        pass
    else:
        parse_exposition(cut_to_prefix(text, "vllm:"))


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    cut_to_prefix(text, "vllm:")
    with contextlib.suppress(WireError):
        parse_exposition(text)


def test_cut_keeps_samples_of_the_prefix_without_buckets_and_creation_times() -> None:
    kept = cut_to_prefix(PAGE, "vllm:")
    assert [series.name for series in parse_exposition(kept)] == [
        "vllm:tokens_total",
        "vllm:ttft_seconds_sum",
        "vllm:ratio",
    ]
    assert "#" not in kept


def test_cut_judges_the_name_and_not_the_labels() -> None:
    line = 'vllm:x{model_name="a_created b_bucket"} 1\n'
    assert cut_to_prefix(line, "vllm:") == line


def test_cut_of_a_foreign_page_is_empty() -> None:
    assert cut_to_prefix("<html>\n", "vllm:") == ""


@given(st.integers(0, 2**53))
def test_cutting_changes_no_value(count: int) -> None:
    page = f'vllm:n_total{{engine="0"}} {count}\nx 1\n'
    assert parse_exposition(cut_to_prefix(page, "vllm:"))[0].value == count
