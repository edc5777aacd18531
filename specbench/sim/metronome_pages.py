"""The metronome's plain pages, for clients that look around before they begin."""

from http import HTTPStatus

import orjson

from specbench.sim.http1 import HttpRequest, response
from specbench.sim.metronome_schedule import MODEL


def page(request: HttpRequest) -> bytes:
    """Models, health, empty metrics; anything else is not found."""
    if request.path == "/v1/models":
        return response(HTTPStatus.OK, _models())
    if request.path in {"/health", "/metrics"}:
        return response(HTTPStatus.OK, b"", "text/plain")
    return response(HTTPStatus.NOT_FOUND, b'{"error": {"message": "no such page"}}')


def _models() -> bytes:
    card = {
        "id": MODEL,
        "object": "model",
        "owned_by": "specbench",
        "root": MODEL,
        "max_model_len": 1_000_000,
    }
    return orjson.dumps({"object": "list", "data": [card]})
