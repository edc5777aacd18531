"""The page of speculative methods, docs/methods.md, made from the registry."""

from collections.abc import Iterable, Mapping, Sequence

from specbench.engines.methods import EngineMethods
from specbench.report.method_list import COLUMNS, MethodRow, method_rows

_HEAD = """\
# Speculative methods by engine

Made from the registry in `specbench/engines/`; do not edit by hand. `specbench engines`
prints the same for a terminal, `--format json` and `--format csv` in full.

An arm's `speculative` is written in its engine's own words. What an engine's version
does not know is refused before anything starts, with the key, the nearest word that the
version knows, and all that it knows; where another version is installed beside the
engine's program, or the server runs already, it is a note in the plan, since newer
releases have new words, and the rest of the arm is checked all the same. A key that the
method does not read is a note too.
"""
_COLUMNS_HEAD = """
## Columns of `specbench engines --format csv`

A field that does not apply is empty; `key` rows have the methods that read the key in
`needs`.

| column | meaning |
| --- | --- |
"""


def methods_markdown(registry: Mapping[str, EngineMethods]) -> str:
    """The whole page."""
    parts = [_HEAD]
    for engine, methods in registry.items():
        rows = method_rows({engine: methods.names}, registry)
        parts.append(f'\n## {methods.label}: `engine = "{engine}"`\n\n')
        parts += _table(
            (f"`{methods.selector}`", "needs", "draft length", "learns", "good for"),
            (_method_cells(row) for row in rows if row.kind == "method"),
        )
        parts.append(
            "\nEach is lossless, unless"
            f" {' or '.join(f'`{key}`' for key in methods.lossy_by)} says otherwise.\n"
        )
        parts += [_remark(row) for row in rows if row.reset or row.package]
        parts += [_also(row) for row in rows if row.aliases]
        parts.append("\nKeys that change how methods draft or verify:\n\n")
        parts += _table(
            ("key", "with", "lossless", "good for"),
            (_key_cells(row) for row in rows if row.kind == "key"),
        )
    parts.append(_COLUMNS_HEAD)
    parts += [f"| `{c.name}` | {c.meaning} |\n" for c in COLUMNS]
    return "".join(parts)


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [header, ["---"] * len(header), *rows]
    return [f"| {' | '.join(cells)} |\n" for cells in lines]


def _method_cells(row: MethodRow) -> tuple[str, ...]:
    good_for = row.good_for or ""
    if row.absent is not None:
        good_for = f"Not in this version: {row.absent}."
    return (
        f"`{row.name}`",
        row.needs or "",
        row.draft_length or "",
        "yes" if row.learns else "no",
        good_for,
    )


def _key_cells(row: MethodRow) -> tuple[str, ...]:
    return (f"`{row.name}`", row.needs or "", row.lossless or "", row.good_for or "")


def _remark(row: MethodRow) -> str:
    said = []
    if row.reset is not None:
        said.append(f"learns from the traffic; it forgets by: {row.reset}")
    if row.package is not None:
        said.append(f"needs `{row.package}` in the engine's environment")
    return f"\n`{row.name}` {'; it '.join(said)}.\n"


def _also(row: MethodRow) -> str:
    return (
        f"\n`{row.name}` is also written {', '.join(f'`{a}`' for a in row.aliases)}.\n"
    )
