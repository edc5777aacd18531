"""Break-evens as a rich table: the answer in words, what stands beside it, the measured
loads that it rests on. It needs nothing but the break-evens and what they are of, so
that it serves runs and imported points alike."""

from collections.abc import Callable, Iterable, Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from specbench.report import words
from specbench.report.answer_words import details, first_slower, outcome
from specbench.report.answers import AnswerGroup, group_answers, neighbours
from specbench.report.brackets import multiplicity_note
from specbench.report.places import load_name, load_of
from specbench.schema.comparison import (
    Axis,
    BreakEven,
    BreakEvenOutcome,
    SpeedupPoint,
)

OUTCOME_STYLES = {
    BreakEvenOutcome.PAYS_EVERYWHERE: "bold green",
    BreakEvenOutcome.NEVER_PAYS: "bold red",
    BreakEvenOutcome.LOSES_BY_CAPACITY: "bold red",
    BreakEvenOutcome.UNDECIDED: "bold yellow",
}
LEGEND = (
    "beside: the measured loads that the answer rests on. first slower: first measured"
    " load where the arm is slower, whatever the noise. jointly: wide enough that all"
    " break-evens hold at once."
)


def answers_table(
    break_evens: Sequence[BreakEven],
    titles: Sequence[str],
    others: Sequence[BreakEven] = (),
) -> RenderableType:
    """Where arms stop paying. `titles`: what each break-even is of; those of one title
    share a table. `others`: looked for as well, shown elsewhere."""
    parts: list[RenderableType] = [
        Text("Break-even", style="bold underline"),
        Text(LEGEND, style="dim"),
        Text(""),
    ]
    for group in group_answers(break_evens, titles):
        parts.append(Text(group.title, style="bold"))
        parts.append(_answers(group))
        parts += [Padding(line, (0, 0, 0, 1)) for line in _below(group)]
        parts.append(Text(""))
    if note := multiplicity_note([*break_evens, *others]):
        parts += [Text(note, style="dim"), Text("")]
    return Group(*parts)


def _answers(group: AnswerGroup) -> Table:
    axis = group.answers[0].axis
    table = Table(box=box.SIMPLE_HEAD, padding=0, pad_edge=False)
    table.add_column("metric", no_wrap=True)
    table.add_column("answer", min_width=24, overflow="fold")
    if axis is Axis.BATCH:
        table.add_column("beside:\nbatch", justify="right", overflow="fold")
        table.add_column("\nconc", justify="right", overflow="fold")
    else:
        head = f"beside:\n{load_name(axis)}"
        table.add_column(head, justify="right", overflow="fold")
    table.add_column("\nspeedup", overflow="fold")
    table.add_column("first\nslower", justify="right", overflow="fold")
    for answer in group.answers:
        points = neighbours(answer)
        columns = _load_columns(answer, axis)
        table.add_row(
            words.metric(answer.curve.metric),
            _said(answer),
            *(_lines(column(point) for point in points) for column in columns),
            _lines(words.with_interval(p.speedup, words.speedup) for p in points),
            first_slower(answer),
        )
    return table


def _load_columns(answer: BreakEven, axis: Axis) -> list[Callable[[SpeedupPoint], str]]:
    def load(point: SpeedupPoint) -> str:
        return words.asked(load_of(point, answer.axis))

    if axis is not Axis.BATCH:
        return [load]
    return [lambda point: words.shown(point.running_batch, words.batch), load]


def _said(answer: BreakEven) -> Text:
    text = Text(outcome(answer), style=OUTCOME_STYLES.get(answer.outcome, "bold"))
    for line in details(answer):
        text.append(f"\n{line}", style="not bold dim")
    return text


def _below(group: AnswerGroup) -> Iterable[Text]:
    yield from (Text(line) for line in group.loads())
    yield from (Text(line, style="dim") for line in group.notes())
    yield from (Text(f"next: {line}") for line in group.next_steps())


def _lines(items: Iterable[str]) -> str:
    return "\n".join(items) or words.DASH
