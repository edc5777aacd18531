"""The figures: complete, inside their frame, the same every time."""

import struct
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations

import pytest
from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from specbench.report.facts import LossyArm
from specbench.report.plots import DRAWERS, draw_plots
from specbench.report.plots.style import STYLE
from specbench.schema.findings import RunFindings
from tests.golden.comparing import compare
from tests.golden.example_findings import example_facts, example_findings
from tests.golden.synthetic import ArmCourse, Course, make_cells, make_facts
from tests.unit.report.drawn import blank, figures, many, texts, visible


@pytest.fixture(autouse=True)
def _style() -> Iterator[None]:
    """Figures are drawn, and their ticks chosen, in the style of the plots."""
    with rc_context(STYLE):
        yield


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    """The example's figures, drawn once: rendering is slow."""
    return draw_plots(example_findings(), example_facts())


@pytest.mark.parametrize("name", DRAWERS)
def test_an_arm_that_is_not_lossless_is_marked_in_every_figure(name: str) -> None:
    findings = many(1)
    facts = make_facts(findings)
    (target,) = {c.key.condition.target for c in findings.cells}
    lossy = replace(
        facts, lossy_arms=(LossyArm(target, "ngram-k5", ("threshold = 0.9",)),)
    )
    (page,) = figures(name, findings, lossy)
    # long entries are wrapped
    said = " ".join(" ".join(texts(page)).split())
    assert "ngram-k5 (not lossless)" in said
    assert said.count("(not lossless)") == 1
    (plain,) = figures(name, findings, facts)
    assert "not lossless" not in " ".join(texts(plain))


def test_five_figures_come_as_png_and_svg(files: dict[str, bytes]) -> None:
    assert sorted(files) == [
        "acceptance.png",
        "acceptance.svg",
        "needed-tokens.png",
        "needed-tokens.svg",
        "speedup-p95.png",
        "speedup-p95.svg",
        "speedup.png",
        "speedup.svg",
        "throughput-tpot.png",
        "throughput-tpot.svg",
    ]
    for name, content in files.items():
        if name.endswith("png"):
            assert struct.unpack(">II", content[16:24]) == (1920, 1080)
        else:
            assert ET.fromstring(content).tag.endswith("svg")


def test_same_findings_give_the_same_bytes(files: dict[str, bytes]) -> None:
    assert draw_plots(example_findings(), example_facts()) == files


def test_more_than_four_panels_go_on_to_a_second_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("specbench.report.plots._save", lambda *_: b"")
    few = {"a": ArmCourse((1.2,), (1.1,))}
    courses = tuple(Course(f"d{i}", (20.0,), few) for i in range(5))
    findings = compare(make_cells(courses, (1,), 1))
    names = draw_plots(findings, make_facts(findings)).keys()
    assert {"speedup.png", "speedup-2.png", "acceptance-2.svg"} <= names


@pytest.mark.parametrize("name", DRAWERS)
def test_caption_is_under_each_figure(name: str) -> None:
    (page,) = figures(name, example_findings(), example_facts())
    caption = " ".join(" ".join(texts(page)).split())
    for part in ("SmolLM2", "Xeon", "vLLM 0.32.0", "2 launches per arm", "3f9a"):
        assert part in caption


def test_speedup_says_answer_and_parity_in_words() -> None:
    (page,) = figures("speedup", example_findings(), example_facts())
    said = texts(page)
    said = [" ".join(text.split()) for text in said]
    assert said.count("as fast as without speculation") == 2
    assert "batch 2.4 [1.9, 3.3] (c 2.5)" in said
    assert any("throughput everywhere (to batch 15.7" in text for text in said)
    assert any("throughput to batch 2.4 [1.9, 3.3] (c 2.5)" in text for text in said)


def test_tradeoff_labels_each_point_of_both_arms_with_its_load() -> None:
    (page,) = figures("throughput-tpot", example_findings(), example_facts())
    said = texts(page)
    for load in ("1", "2", "4", "8", "16"):
        assert said.count(load) >= 4


def test_acceptance_legend_has_the_lengths_at_both_ends() -> None:
    (page,) = figures("acceptance", example_findings(), example_facts())
    assert "ngram-k3: acceptance length 2.46 (c 1), 2.46 (c 16)" in texts(page)


def test_without_acceptance_the_reason_stands_in_words() -> None:
    findings = blank(example_findings())
    (page,) = figures("acceptance", findings, example_facts())
    said = " ".join(" ".join(texts(page)).split())
    assert "No acceptance by position: the server reports no speculation" in said


@pytest.mark.parametrize("name", DRAWERS)
@pytest.mark.parametrize(
    "make",
    [
        lambda: compare([]),
        lambda: blank(many(2)),
        lambda: compare([c for c in many(1).cells if c.key.arm == "baseline"]),
        lambda: compare(make_cells((Course("d", (9.0,), {}),), (1,), 1)),
    ],
    ids=["nothing", "all missing", "baseline alone", "one cell"],
)
def test_little_data_is_drawn_or_said_in_words(
    name: str, make: Callable[[], RunFindings]
) -> None:
    findings = make()
    (page,) = figures(name, findings, make_facts(findings))
    assert len(texts(page)) > 3


def extents(figure: Figure) -> list[tuple[str, Bbox]]:
    """Every text with its place in pixels."""
    return [
        (text.get_text(), text.get_window_extent())
        for text in visible(figure)
        if text.get_text().strip()
    ]


@pytest.mark.parametrize("name", DRAWERS)
@pytest.mark.parametrize("datasets", [1, 2, 3, 4])
def test_no_text_leaves_the_figure(name: str, datasets: int) -> None:
    findings = many(datasets)
    for page in figures(name, findings, make_facts(findings)):
        frame = page.bbox
        for text, box in extents(page):
            assert frame.x0 <= box.x0, text
            assert box.x1 <= frame.x1, text
            assert frame.y0 <= box.y0, text
            assert box.y1 <= frame.y1, text


@pytest.mark.parametrize(
    "name", ["speedup", "speedup-p95", "needed-tokens", "acceptance"]
)
@pytest.mark.parametrize("datasets", [1, 2, 3, 4])
def test_no_text_lies_on_another(name: str, datasets: int) -> None:
    findings = many(datasets)
    for page in figures(name, findings, make_facts(findings)):
        for (one, a), (other, b) in combinations(extents(page), 2):
            assert not a.overlaps(b), (one, other)


def test_only_plots_load_matplotlib_and_never_pyplot() -> None:
    script = (
        "import sys;"
        "import specbench.report.tables, specbench.report.markdown,"
        " specbench.report.csv_files, specbench.report.json_report;"
        "assert 'matplotlib' not in sys.modules;"
        "import specbench.report.plots;"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
