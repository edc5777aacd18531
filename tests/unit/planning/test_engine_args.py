import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.planning.engine_args import (
    find_option,
    read_option,
    whole_number,
    without_options,
)


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (4096, 4096),
        ("4096", 4096),
        (" 4096 ", 4096),
        ("-1", -1),
        ("4k", 4000),
        ("4K", 4096),
        ("25.6k", 25600),
        ("1M", 2**20),
        ("1.5K", None),
        ("auto", None),
        ("", None),
        ("²", None),
        (4096.0, None),
        (True, None),
    ],
)
def test_number_is_read_as_vllm_reads_it(
    value: str | int | float | bool, number: int | None
) -> None:
    assert whole_number(value) == number


@given(st.text(max_size=30))
def test_any_text_is_a_number_or_none(text: str) -> None:
    number = whole_number(text)
    assert number is None or isinstance(number, int)


def test_option_is_found_in_both_spellings() -> None:
    assert find_option({"max_num_seqs": 4}, "max-num-seqs") == "max_num_seqs"
    assert read_option({"max-num-seqs": 4}, "max-num-seqs") == 4
    assert read_option({"max-num": 4}, "max-num-seqs") is None


def test_options_are_taken_out_in_both_spellings() -> None:
    args: dict[str, str | int | float | bool] = {"max_num_seqs": 4, "seed": 1}
    assert without_options(args, ("max-num-seqs",)) == {"seed": 1}
