"""Reads a sweep file, checks it whole and says everything that is wrong with it at
once, each with file, key and what was expected."""

import re
import tomllib
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from specbench.errors import InputError
from specbench.planning.cell_names import check_cell_names
from specbench.planning.overrides import apply_overrides
from specbench.planning.problems import to_error
from specbench.planning.rules import check_rules
from specbench.planning.tables import read_parts
from specbench.schema.sweep import SweepSpec

_AT_PLACE = re.compile(r"\s*\(at line (\d+), column (\d+)\)$")
_AT_END = re.compile(r"\s*\(at end of document\)$")


def read_sweep(
    path: str | Path,
    overrides: Sequence[str] = (),
    engines: Collection[str] | None = None,
) -> SweepSpec:
    """The sweep in the file, with `KEY=VALUE` overrides applied. `engines` are the
    names that have an adapter; None leaves the name unchecked. Raises InputError."""
    return parse_sweep(read_text(Path(path)), str(path), overrides, engines)


def parse_sweep(
    text: str,
    source_name: str,
    overrides: Sequence[str] = (),
    engines: Collection[str] | None = None,
) -> SweepSpec:
    """`read_sweep` for text that is already here; `source_name` stands in messages."""
    document = parse_toml(text, source_name)
    settings, problems = apply_overrides(document, overrides)
    parts, found = read_parts(document)
    problems += found
    # a table with an unsound key is not judged as a whole either
    reported = {
        problem.place[:depth]
        for problem in problems
        for depth in range(1, len(problem.place) + 1)
    }
    rules = check_rules(parts, engines)
    problems += [broken for broken in rules if broken.place not in reported]
    if problems:
        raise to_error(problems, source_name, settings)
    spec = parts.to_spec()
    if clashes := list(check_cell_names(spec)):
        raise to_error(clashes, source_name, settings)
    return spec


def read_text(path: Path) -> str:
    """The file's text; a byte-order mark, as some editors put it, is dropped."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        hint = "Check the path; it is taken from the current directory."
        raise InputError(f"{path}: there is no such file", hint) from None
    except IsADirectoryError:
        hint = "Give the sweep file itself, e.g. sweeps/demo.toml."
        raise InputError(f"{path}: is a directory, not a file", hint) from None
    except UnicodeDecodeError as error:
        message = f"{path}: not UTF-8 text (byte {error.start})"
        raise InputError(message, "Save the file as UTF-8.") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error


def parse_toml(text: str, source_name: str) -> dict[str, Any]:
    """The raw tables; broken TOML is an InputError with line and column."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        place, reason = _split_toml_error(str(error), text)
        raise InputError(
            f"{source_name}:{place} not valid TOML: {reason}",
            "Text needs quotes; lists need [ ]; each table is opened once.",
        ) from None


def _split_toml_error(message: str, text: str) -> tuple[str, str]:
    if match := _AT_PLACE.search(message):
        place = f" line {match[1]}, column {match[2]}:"
        return place, message[: match.start()]
    if match := _AT_END.search(message):
        lines = text.splitlines() or [""]
        place = f" line {len(lines)}, column {len(lines[-1]) + 1}:"
        return place, message[: match.start()]
    return "", message
