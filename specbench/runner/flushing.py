"""Makes an engine forget what the cells before have left in it: cached prompts, and the
answers that a drafter has learnt from."""

from specbench.errors import EngineError
from specbench.runner.cell import Endpoint
from specbench.scrape.pages import post_page

TIMEOUT_S = 30.0
"""More than the engine itself waits until nothing runs."""


def flush(endpoint: Endpoint) -> str | None:
    """Why it did not forget; None = it did, or it keeps nothing. To be called between
    cells, when the engine is idle."""
    path = endpoint.adapter.flush_path
    if path is None:
        return None
    try:
        post_page(endpoint.url, path, TIMEOUT_S, endpoint.headers)
    except EngineError as error:
        return error.message
    return None
