"""The columns of cells.csv on how long the prompts really were."""

from specbench.report.columns import Column, field
from specbench.schema.findings import CellStats


def _plain(name: str, unit: str, meaning: str, path: str) -> Column[CellStats]:
    return Column(name, unit, meaning, field(path))


PROMPT_COLUMNS: tuple[Column[CellStats], ...] = (
    _plain(
        "prompt_tokens_mean",
        "tokens",
        "of a completed request's prompt, by the server's count",
        "prompt_length.mean",
    ),
    _plain(
        "prompt_tokens_shortest", "tokens", "the same, least", "prompt_length.shortest"
    ),
    _plain(
        "prompt_tokens_longest", "tokens", "the same, most", "prompt_length.longest"
    ),
    _plain(
        "context_worst_off",
        "",
        "how far the prompt that is furthest off lies from the wanted context, as a"
        " share of it; empty where no length was asked for",
        "prompt_length.worst_off",
    ),
)
