"""How an arm compares with its baseline at each load of a block, as rich tables:
speedups by each metric, and tokens per step against those that it would need."""

from collections.abc import Iterable, Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from specbench.report import words
from specbench.report.blocks import Block, LoadRow
from specbench.report.fitting import FirstThatFits
from specbench.report.needs import NEED_METRICS, need_rows
from specbench.schema.comparison import Side, SpeedupMetric
from specbench.schema.estimate import Estimate

OPEN_MARK = "?"
"""Behind a speedup that is not told from 1."""
SIDE_STYLES = {Side.PAYS: "green", Side.LOSES: "red", Side.OPEN: "yellow"}


def speedup_tables(block: Block) -> FirstThatFits:
    """Speedups with their intervals beside them, or below where that is too wide, or
    in two tables where that is too wide still."""
    metrics = block.metrics
    half = -(-len(metrics) // 2)
    return FirstThatFits(
        (
            (_speedup_table(block, metrics, " "),),
            (_speedup_table(block, metrics, "\n"),),
            *(
                [
                    (
                        _speedup_table(block, metrics[:half], "\n"),
                        _speedup_table(block, metrics[half:], "\n"),
                    )
                ]
                if block.is_open
                else []
            ),
        )
    )


def _speedup_table(
    block: Block, metrics: Sequence[SpeedupMetric], between: str
) -> Table:
    heads = [load_head(block), "batch"]
    heads += [f"{words.metric(metric)}\nspeedup" for metric in metrics]
    return _table(heads, (_speedups(row, metrics, between) for row in block.rows))


def load_head(block: Block) -> str:
    """What stands above the loads."""
    return "rate" if block.is_open else "conc"


def need_tables(block: Block) -> FirstThatFits | None:
    """Tokens per step; None where there is no such figure."""
    rows = need_rows(block)
    if not rows:
        return None
    heads = [load_head(block), "batch", "tokens/step:\ngets"]
    for name in NEED_METRICS.values():
        heads += [f"needs for\n{name}", "\nprefill"]
    lines = [
        [
            row.said_load,
            words.estimate(row.batch, words.batch),
            words.with_interval(row.gets, words.share),
            *(f(m) for m in NEED_METRICS for f in (row.needed, row.prefill)),
        ]
        for row in rows
    ]
    return FirstThatFits(
        (
            (_table(heads, lines),),
            (_table(heads, ([_stacked(x) for x in line] for line in lines)),),
        )
    )


def _speedups(
    row: LoadRow, metrics: Sequence[SpeedupMetric], between: str
) -> list[str | Text]:
    batch = words.estimate(row.baseline.running_batch, words.batch)
    return [
        row.said_load,
        batch,
        *(_speedup(row.speedup(m), row.side(m), between) for m in metrics),
    ]


def _speedup(figure: Estimate, side: Side, between: str) -> Text:
    """The value, its interval, and a mark where it is not told from 1."""
    value = words.estimate(figure, words.speedup)
    mark = OPEN_MARK if side is Side.OPEN else " "
    beside = words.certainty(figure, words.speedup)
    text = f"{value}{mark}{between}{beside}" if beside else value
    return Text(text, style=SIDE_STYLES.get(side, ""))


def _stacked(text: str) -> str:
    """The interval below its value."""
    return text.replace(" ", "\n", 1)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str | Text]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=0, pad_edge=False)
    for place, head in enumerate(heads):
        is_figure = place >= 2 and "prefill" not in head
        table.add_column(
            head,
            justify="left" if is_figure else "right",
            vertical="top",
            overflow="fold",
        )
    for row in rows:
        table.add_row(*row)
    return table
