"""A server that reports no usage is flagged: its throughput is unknown."""

from specbench.analysis.validity import CellContext, no_token_counts
from tests.factories import cell_stats

ANY = CellContext(expects_speculation=False)


def test_text_without_token_counts_is_flagged() -> None:
    found = no_token_counts(cell_stats(mean_output_tokens=None), ANY)
    assert found is not None
    assert found.code == "no-token-counts"


def test_counted_tokens_and_empty_cells_are_not_flagged() -> None:
    assert no_token_counts(cell_stats(mean_output_tokens=12.0), ANY) is None
    empty = cell_stats(mean_output_tokens=None, completed=4, empty=4)
    assert no_token_counts(empty, ANY) is None
