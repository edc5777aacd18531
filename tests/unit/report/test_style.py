"""Words in figures break where they read well."""

from specbench.report.plots.style import colour_arms, split_pages, wrap_between


def test_line_breaks_between_parts_where_that_is_possible() -> None:
    text = "throughput to batch 94.4 (c 96.3), TPOT to batch 127 (c 130)"
    assert wrap_between(text, ", ", 40).splitlines() == [
        "throughput to batch 94.4 (c 96.3),",
        "TPOT to batch 127 (c 130)",
    ]


def test_part_longer_than_a_line_breaks_between_words_and_keeps_hyphens() -> None:
    lines = wrap_between("draft-1b-k4 pays: throughput everywhere", ", ", 20)
    assert lines.splitlines() == ["draft-1b-k4 pays:", "throughput", "everywhere"]


def test_run_without_a_panel_still_has_a_page() -> None:
    assert split_pages([]) == [[]]
    assert colour_arms([]) == {}


def test_interval_is_never_broken_over_two_lines() -> None:
    text = "throughput to batch 1.9 [1.5, 2.8] (c 1.9), TPOT to batch 2.5 [1.9, 3.3]"
    for width in range(20, 60):
        lines = wrap_between(text, ", ", width).splitlines()
        assert any("[1.5, 2.8]" in line for line in lines)
        assert any("[1.9, 3.3]" in line for line in lines)
