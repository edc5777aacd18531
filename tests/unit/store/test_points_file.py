"""A file of points: what its rows become, and what is said of those that are wrong."""

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.errors import ExitCode, InputError
from specbench.schema.comparison import SpeedupMetric
from specbench.schema.point import BASELINE_ARM, PointForm
from specbench.store.point_rows import columns_of
from specbench.store.points_file import (
    SHOWN_PROBLEMS,
    parse_points,
    read_points,
)

MEASURED = "drafter,k,arm,concurrency,replicate,output_tok_s,median_tpot_ms"
SPEEDUPS = "drafter,k,batch,throughput_speedup"
DOCS = Path(__file__).parents[3] / "docs" / "points.md"


def parsed(header: str, *rows: str):  # type: ignore[no-untyped-def]  # a test's maker
    return parse_points("\n".join((header, *rows)) + "\n", "p.csv")


def refusal(header: str, *rows: str) -> str:
    with pytest.raises(InputError) as caught:
        parsed(header, *rows)
    assert caught.value.exit_code is ExitCode.BAD_INPUT
    assert caught.value.hint
    return caught.value.message


def test_a_row_of_a_single_arm_becomes_a_point() -> None:
    header = f"gpu,kv_cache,context,{MEASURED}"
    table = parsed(header, "A100,fp8,1024,eagle3,5,e3,8,2,100.5,9")
    assert table.form is PointForm.MEASURED
    (point,) = table.points
    assert (point.setting.gpu, point.setting.kv_cache) == ("A100", "fp8")
    assert (point.setting.context, point.setting.model) == (1024, "")
    assert (point.arm.drafter, point.arm.k, point.arm.name) == ("eagle3", "5", "e3")
    assert (point.load, point.replicate) == (8, 2)
    assert point.figures == {
        SpeedupMetric.THROUGHPUT: 100.5,
        SpeedupMetric.TPOT: 9.0,
    }


def test_a_ready_speedup_becomes_a_point() -> None:
    table = parsed(f"{SPEEDUPS},note", "eagle,3,16,1.02,chain")
    assert table.form is PointForm.SPEEDUPS
    (point,) = table.points
    assert (point.load, point.figures) == (16, {SpeedupMetric.THROUGHPUT: 1.02})
    assert point.setting.note == "chain"
    assert point.arm.name == "eagle k=3"


def test_an_empty_figure_is_missing_and_no_zero() -> None:
    table = parsed(MEASURED, "none,,,1,,,", "pld,,,1,,5,")
    assert [len(point.figures) for point in table.points] == [0, 1]


def test_all_baselines_of_a_setting_are_one_arm() -> None:
    table = parsed(MEASURED, "none,,plain,1,0,5,", "None,0,,2,0,5,")
    assert {point.arm for point in table.points} == {BASELINE_ARM}


def test_spreadsheets_leave_their_marks_and_do_no_harm() -> None:
    """Line ends, empty lines, spaces, `8.0`, a comma in quotes."""
    text = (
        "\r\n".join(
            (
                " drafter , concurrency,output_tok_s,source",
                "",
                'none, 8.0 ,1e2,"two, sources"',
                ",,,",
                "",
            )
        )
        + "\r\n"
    )
    (point,) = parse_points(text, "p.csv").points
    assert (point.load, point.figures[SpeedupMetric.THROUGHPUT]) == (8, 100.0)


@pytest.mark.parametrize("sign", ["\x1b[31m", "\x00", "\x07"])
def test_signs_that_would_reach_a_terminal_raw_are_refused(sign: str) -> None:
    text = f"{MEASURED}\nnone,,,1,0,5,\nx{sign}y,,,1,0,6,\n"
    with pytest.raises(InputError, match="cannot be printed"):
        parse_points(text, "p.csv")


def test_a_byte_order_mark_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_bytes(b"\xef\xbb\xbf" + f"{MEASURED}\nnone,,,1,0,5,\n".encode())
    assert len(read_points(path).points) == 1


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("none,,,1,0,0,", "column output_tok_s: is 0: expected a number above zero"),
        ("none,,,1,0,-5,", "column output_tok_s: is -5"),
        ("none,,,1,0,5,-0.1", "column median_tpot_ms: is -0.1"),
        ("none,,,1,0,nan,", "column output_tok_s: is 'nan', not a number"),
        ("none,,,1,0,inf,", "column output_tok_s: is 'inf', not a number"),
        ("none,,,1,0,NA,", "column output_tok_s: is 'NA', not a number"),
        ("none,,,1,0,1_000,", "column output_tok_s: is '1_000', not a number"),
        ('none,,,1,0,"1,5",', "column output_tok_s: is '1,5', not a number"),
        ("none,,,1,0,1e300,", "column output_tok_s: is 1e300"),
        ("none,,,1,0,٣,", "column output_tok_s: is '٣', not a number"),
        ("none,,,0,0,5,", "column concurrency: is 0: expected a whole number"),
        ("none,,,1.5,0,5,", "column concurrency: is 1.5: expected a whole number"),
        ("none,,,,0,5,", "column concurrency: is empty"),
        ("none,,,1,-1,5,", "column replicate: is -1: expected a whole number"),
        (",,,1,0,5,", "column drafter: is empty"),
        ("none,3,,1,0,5,", "column k: is '3' in a row with drafter `none`"),
        ("none,,,1,0,5", "6 fields where the header has 7"),
        ("none,,,1,0,5,,", "8 fields where the header has 7"),
    ],
)
def test_a_wrong_field_is_named_with_line_and_column(row: str, said: str) -> None:
    assert refusal(MEASURED, "pld,,,9,0,5,", row).startswith(f"p.csv: line 3, {said}")


def test_all_problems_are_said_at_once_and_many_are_counted() -> None:
    rows = [f"none,,,{load},0,0," for load in range(1, 14)]
    lines = refusal(MEASURED, *rows).splitlines()
    assert len(lines) == SHOWN_PROBLEMS + 1
    assert lines[-1] == "and 3 more"


def test_two_problems_of_a_row_are_both_said() -> None:
    assert len(refusal(MEASURED, "none,,,x,0,y,").splitlines()) == 2


@pytest.mark.parametrize(
    ("header", "first", "second"),
    [
        (MEASURED, "pld,2,,8,1,5,", "pld,2,,8,1,6,"),
        (MEASURED, "none,,a,8,0,5,", "none,,b,8,0,6,"),
        (SPEEDUPS, "eagle,3,8,1.2", "eagle,3,8,1.3"),
    ],
)
def test_a_point_that_stands_there_twice_is_a_problem(
    header: str, first: str, second: str
) -> None:
    said = refusal(header, first, second)
    assert said.startswith("p.csv: line 3, column ")
    assert said.endswith("the same point as line 2")


@pytest.mark.parametrize("other", ["pld,3,,8,1,5,", "pld,2,,9,1,5,", "pld,2,,8,2,5,"])
def test_points_that_differ_in_arm_load_or_replicate_are_two(other: str) -> None:
    assert len(parsed(MEASURED, "pld,2,,8,1,5,", other).points) == 2


def test_ready_speedups_with_different_notes_are_two_points() -> None:
    header = f"{SPEEDUPS},note"
    table = parsed(header, "eagle,3,1,1.68,ShareGPT", "eagle,3,1,1.73,GSM8K")
    assert len({point.setting for point in table.points}) == 2


def test_a_ready_speedup_of_no_drafter_is_a_problem() -> None:
    assert "line 2, column drafter: is `none`" in refusal(SPEEDUPS, "none,,1,1.0")


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("", "expected one of the columns"),
        ("drafter,concurrency", "expected one of the columns output_tok_s"),
        ("drafter;concurrency;output_tok_s", "fields are parted by commas"),
        ("drafter,output_tok_s", "expected a column concurrency"),
        ("concurrency,output_tok_s", "expected a column drafter"),
        ("drafter,batch,output_tok_s", "expected a column concurrency"),
        (f"{MEASURED},throughput_speedup,batch", "figures of both forms"),
        (f"{MEASURED},k", "column k: stands there twice"),
    ],
)
def test_a_header_that_is_neither_form_is_refused(header: str, said: str) -> None:
    if header:
        assert said in refusal(header, "none,,,1,0,5,")
    else:
        assert "the file is empty" in refusal("")


def test_a_header_alone_is_refused() -> None:
    assert "no row below the header" in refusal(MEASURED)


def test_quotes_that_are_never_closed_are_no_csv() -> None:
    assert "line 2: not CSV" in refusal(MEASURED, '"none,,,1,0,5,')


def test_unknown_columns_are_kept_out_and_named() -> None:
    table = parsed(f"{MEASURED},kv-cache,weather,", "none,,,1,0,5,,fp8,rain,x")
    first, second = table.notes
    assert first.endswith("kv-cache, weather, (unnamed)")
    assert "arms are paired whatever they hold" in first
    assert second == "column kv-cache: did you mean kv_cache?"


def test_known_columns_that_nothing_is_made_of_are_no_remark() -> None:
    header = f"{MEASURED},median_itl_ms,acceptance_rate"
    assert parsed(header, "none,,,1,0,5,,3,0.5").notes == ()


def test_a_file_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    (tmp_path / "utf16.csv").write_text(MEASURED, encoding="utf-16")
    for name, said in (
        ("none.csv", "there is no such file"),
        (".", "is not a regular file"),
        ("utf16.csv", "not UTF-8 text"),
    ):
        with pytest.raises(InputError, match=said) as caught:
            read_points(tmp_path / name)
        assert caught.value.hint


@pytest.mark.parametrize("form", PointForm)
def test_the_page_describes_every_column(form: PointForm) -> None:
    page = DOCS.read_text(encoding="utf-8")
    assert [name for name in columns_of(form) if f"`{name}`" not in page] == []


FIELD = st.one_of(
    st.sampled_from(
        ["none", "eagle", "1", "8", "0", "-1", "1.5", "", '"', "\n", "9" * 400]
    ),
    st.text(max_size=6),
)


@given(st.lists(st.lists(FIELD, min_size=7, max_size=7), max_size=4))
def test_whatever_stands_there_is_points_or_bad_input(rows: list[list[str]]) -> None:
    text = "\n".join([MEASURED, *(",".join(row) for row in rows)])
    # any other error would fail this
    with contextlib.suppress(InputError):
        table = parse_points(text, "p.csv")
        assert all(v > 0 for point in table.points for v in point.figures.values())
