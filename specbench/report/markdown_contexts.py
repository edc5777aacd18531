"""The speedup maps of a run as Markdown: contexts down, loads across, and below them
the break-even and critical contexts."""

from collections.abc import Iterator

from specbench.report import words
from specbench.report.context_map import ContextMap, make_maps
from specbench.report.context_words import (
    MAP_NOTE,
    break_even_lines,
    cell_words,
    context_head,
    critical_line,
    load_head,
)
from specbench.report.facts import RunFacts
from specbench.report.markdown_text import markdown_table, plain_text
from specbench.schema.findings import RunFindings


def context_lines(findings: RunFindings, facts: RunFacts) -> list[str]:
    """All maps; none for a run with one context."""
    maps = make_maps(findings)
    if not maps:
        return []
    lines = ["### Speedup over batch x context", "", MAP_NOTE, ""]
    return lines + [line for shown in maps for line in _map_lines(shown, facts)]


def _map_lines(shown: ContextMap, facts: RunFacts) -> Iterator[str]:
    title = f"{shown.title(facts)}: {words.metric(shown.metric)}"
    yield from (f"**{plain_text(title)}**", "")
    yield from markdown_table(
        ("context", *map(load_head, shown.loads)),
        [
            (context_head(context), *map(cell_words, row))
            for context, row in zip(shown.contexts, shown.rows, strict=True)
        ],
    )
    yield ""
    for line in filter(None, (*break_even_lines(shown), critical_line(shown))):
        yield f"- {plain_text(line)}"
    yield ""


def text_lines(facts: RunFacts) -> list[str]:
    """The texts that made prompts longer; none where nothing did."""
    if not facts.texts:
        return []
    rows = [
        (plain_text(t.name), f"{t.words:,}", plain_text(t.licence), f"`{t.sha256}`")
        for t in facts.texts
    ]
    return [
        "Texts that made prompts longer:",
        "",
        *markdown_table(("text", "words", "licence", "sha256"), rows),
        "",
    ]
