"""An adaptive search for a terminal and as Markdown."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from specbench.report.facts import RunFacts
from specbench.report.markdown_text import plain_text
from specbench.report.search_words import SearchWords, describe_search
from specbench.schema.findings import RunFindings


def search_tables(findings: RunFindings, facts: RunFacts) -> tuple[RenderableType, ...]:
    """A paragraph for each search; nothing where a grid was measured."""
    return tuple(
        part
        for log in facts.searches
        for part in _parts(describe_search(log, findings))
    )


def _parts(said: SearchWords) -> Iterator[RenderableType]:
    yield Text(said.title, style="bold underline")
    yield Text(said.cost)
    for line in (*said.rounds, *_outcome_lines(said)):
        yield Padding(Text(line), (0, 0, 0, 2))
    yield Text("")


def search_lines(findings: RunFindings, facts: RunFacts) -> Iterator[str]:
    """The same as Markdown; the rounds folded away."""
    for log in facts.searches:
        said = describe_search(log, findings)
        yield from (f"### {plain_text(said.title)}", "", plain_text(said.cost), "")
        for line in _outcome_lines(said):
            yield f"- {plain_text(line)}"
        yield from ("", "<details><summary>Rounds</summary>", "")
        for line in said.rounds:
            yield f"- {plain_text(line)}"
        yield from ("", "</details>", "")


def _outcome_lines(said: SearchWords) -> tuple[str, ...]:
    return (
        *(f"stopped: {line}" for line in said.ends),
        *(f"left out: {line}" for line in said.left_out),
    )
