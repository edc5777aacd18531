"""Figures as tests read them: the findings that they are of, what they say, where it
stands."""

from dataclasses import replace

from matplotlib.axis import Axis, Tick
from matplotlib.figure import Figure
from matplotlib.text import Text

from specbench.report.facts import RunFacts
from specbench.report.plots import DRAWERS
from specbench.schema.findings import RunFindings
from tests.golden.comparing import compare
from tests.golden.synthetic import ArmCourse, Course, make_cells

LOADS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
BASELINE = (150.0, 290.0, 560.0, 1050.0, 1900.0, 3300.0, 5400.0, 8100.0, 10400.0)


def arm(first: float, last: float, *shares: float) -> ArmCourse:
    """Speedup falling evenly on a log scale."""
    ratios = tuple(first * (last / first) ** (i / 8) for i in range(9))
    return ArmCourse(ratios, tuple(1.05 * r for r in ratios), shares)


ARMS = {
    "eagle3-k3": arm(2.1, 0.85, 0.8, 0.65, 0.5),
    "ngram-k5": arm(1.3, 0.6, 0.5, 0.35, 0.28, 0.22, 0.2),
    "draft-1b-k4": arm(1.5, 1.02, 0.7, 0.55, 0.45, 0.38),
}


def many(datasets: int) -> RunFindings:
    """Three arms at nine loads on so many data sets."""
    courses = tuple(Course(f"data-set-{i}", BASELINE, ARMS) for i in range(datasets))
    return compare(make_cells(courses, LOADS, 3))


def blank(findings: RunFindings) -> RunFindings:
    """The same cells without any figure."""
    cells = [
        replace(
            c,
            output_throughput=None,
            tpot=None,
            acceptance=None,
            missing={"acceptance": "the server reports no speculation counters"},
        )
        for c in findings.cells
    ]
    return compare(cells)


def figures(name: str, findings: RunFindings, facts: RunFacts) -> list[Figure]:
    """Pages of one figure, laid out."""
    pages = DRAWERS[name](findings, facts)
    for page in pages:
        page.draw_without_rendering()
    return pages


def texts(figure: Figure) -> list[str]:
    """Everything that the figure says."""
    return [text.get_text() for text in visible(figure)]


def visible(figure: Figure) -> list[Text]:
    """The texts that are drawn: an axis also keeps labels of ticks that are not."""
    drawn = set()
    ticks = set()
    for axes in figure.axes:
        axis: Axis
        for axis in (axes.xaxis, axes.yaxis):
            ticks |= set(axis.get_majorticklabels()) | set(axis.get_minorticklabels())
            if axes.axison:
                drawn |= {tick.label1 for tick in _drawn_ticks(axis)}
    found = [text for text in figure.findobj(Text) if text.get_visible()]
    return [text for text in found if text in drawn or text not in ticks]


def _drawn_ticks(axis: Axis) -> list[Tick]:
    # private, but the only word on which ticks are drawn
    return list(axis._update_ticks())  # type: ignore[attr-defined]  # not in the stubs
