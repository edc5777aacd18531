"""Markdown itself: tables, and words of others that must not become markup."""

from collections.abc import Iterable, Sequence


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines of a table; a bar inside a field stays one."""
    return [
        _row(head),
        _row("---" for _ in head),
        *[_row(field.replace("|", "\\|") for field in row) for row in rows],
    ]


def _row(fields: Iterable[str]) -> str:
    return f"| {' | '.join(fields)} |"


def plain_text(words_of_others: str) -> str:
    """Names and messages as plain text: a `<` or a line break in an engine's error
    must not become markup."""
    flat = " ".join(words_of_others.split())
    for sign in ("\\", "`", "*", "_", "<", ">", "[", "]", "~"):
        flat = flat.replace(sign, f"\\{sign}")
    return flat
