"""Reads a CSV file of measured points. All that is wrong with it is said at once, each
with file, line and column; what is not known is kept out and named. The two forms are
described in docs/points.md."""

import csv
import difflib
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from specbench.errors import InputError
from specbench.schema.point import Point, PointArm, PointForm, PointTable, Setting
from specbench.store.point_rows import FIGURES, Row, columns_of, read_point

SHOWN_PROBLEMS = 10
HINT = "docs/points.md describes the columns; nothing was imported"
UNNAMED = "(unnamed)"

_Numbered = tuple[int, list[str]]
"""Line on which a row begins, and its fields."""


def read_points(path: Path) -> PointTable:
    """The points of a file. Raises InputError."""
    return parse_points(_read_text(path), str(path))


def parse_points(text: str, name: str) -> PointTable:
    """`read_points` for text that is already here; `name` stands in messages."""
    rows = _rows(text, name)
    line, header = next(rows, (1, []))
    columns = [column.strip() for column in header]
    form = _form_of(columns, f"{name}: line {line}")
    points: dict[tuple[Setting, PointArm, int, int], int] = {}
    found: list[Point] = []
    problems: list[str] = []
    for line, fields in rows:
        point, wrong = _read_row(columns, fields, form)
        problems += [f"{name}: line {line}, {what}" for what in wrong]
        if point is None:
            continue
        key = (point.setting, point.arm, point.load, point.replicate)
        if (first := points.setdefault(key, line)) != line:
            where = "replicate" if form is PointForm.MEASURED else form.load
            problems.append(
                f"{name}: line {line}, column {where}: the same point as line {first}"
            )
        found.append(point)
    if problems:
        raise _error(problems)
    if not found:
        raise InputError(f"{name}: no row below the header", HINT)
    return PointTable(name, form, tuple(found), tuple(_left_out(columns, form)))


def _read_text(path: Path) -> str:
    """The file's text; a byte-order mark, as spreadsheets put it, is dropped."""
    try:
        if path.exists() and not path.is_file():
            raise InputError(f"{path}: is not a regular file", "Give a CSV file.")
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        hint = "Check the path; it is taken from the current directory."
        raise InputError(f"{path}: there is no such file", hint) from None
    except UnicodeDecodeError as error:
        message = f"{path}: not UTF-8 text (byte {error.start})"
        raise InputError(message, "Save the file as UTF-8.") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error


def _rows(text: str, name: str) -> Iterator[_Numbered]:
    """Rows that hold anything."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    line = 1
    try:
        for fields in reader:
            if any(field.strip() for field in fields):
                yield line, fields
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"{name}: line {line}: not CSV: {error}", HINT) from None


def _form_of(columns: Sequence[str], where: str) -> PointForm:
    """By the figures that the header names. Raises InputError."""
    if not columns:
        raise InputError(f"{where}: the file is empty", HINT)
    named = [column for column in columns if column]
    twice = sorted({column for column in named if named.count(column) > 1})
    if twice:
        raise InputError(f"{where}, column {twice[0]}: stands there twice", HINT)
    forms = [form for form in PointForm if set(FIGURES[form]) & set(columns)]
    if len(forms) == 2:
        raise InputError(
            f"{where}: has figures of both forms,"
            " measurements of single arms and ready speedups",
            f"Put them into two files; {HINT}",
        )
    if not forms:
        wanted = ", ".join(column for form in PointForm for column in FIGURES[form])
        other = "; fields are parted by commas" if ";" in columns[0] else ""
        raise InputError(f"{where}: expected one of the columns {wanted}{other}", HINT)
    (form,) = forms
    for column in ("drafter", form.load):
        if column not in columns:
            raise InputError(f"{where}: expected a column {column}", HINT)
    return form


def _read_row(
    columns: Sequence[str], fields: Sequence[str], form: PointForm
) -> tuple[Point | None, list[str]]:
    """The point, or what is wrong with the row."""
    if len(fields) != len(columns):
        return None, [f"{len(fields)} fields where the header has {len(columns)}"]
    row = Row({c: text.strip() for c, text in zip(columns, fields, strict=True)})
    point = read_point(row, form)
    return point, [f"column {column}: {what}" for column, what in row.problems]


def _left_out(columns: Sequence[str], form: PointForm) -> Iterator[str]:
    """Columns of which nothing is known, in words."""
    known = columns_of(form)
    unknown = [column for column in columns if column not in known]
    if not unknown:
        return
    names = ", ".join(column or UNNAMED for column in unknown)
    yield f"columns not known, arms are paired whatever they hold: {names}"
    for column in unknown:
        for close in difflib.get_close_matches(column, known, n=1):
            if close not in columns:
                yield f"column {column}: did you mean {close}?"


def _error(problems: Sequence[str]) -> InputError:
    shown = list(problems[:SHOWN_PROBLEMS])
    if len(problems) > SHOWN_PROBLEMS:
        shown.append(f"and {len(problems) - SHOWN_PROBLEMS} more")
    return InputError("\n".join(shown), HINT)
