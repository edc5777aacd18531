"""Making an engine forget, between cells."""

from typing import Any

import pytest

from specbench.engines import ADAPTERS
from specbench.errors import EngineError
from specbench.runner import flushing
from specbench.runner.cell import Endpoint

KEY = {"authorization": "Bearer key"}


def endpoint(engine: str) -> Endpoint:
    return Endpoint("http://127.0.0.1:8000", ADAPTERS[engine], "m", KEY)


def test_an_engine_that_keeps_nothing_is_not_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: Any) -> str:
        raise AssertionError("asked")

    monkeypatch.setattr(flushing, "post_page", refuse)
    assert flushing.flush(endpoint("vllm")) is None


def test_the_adapters_page_is_posted_to(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(flushing, "post_page", lambda *call: asked.append(call))
    assert flushing.flush(endpoint("sglang")) is None
    ((url, path, _, headers),) = asked
    assert (url, headers) == ("http://127.0.0.1:8000", KEY)
    assert path == ADAPTERS["sglang"].flush_path


def test_a_refusal_is_told_and_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> str:
        raise EngineError("POST /flush_cache answered 400: busy")

    monkeypatch.setattr(flushing, "post_page", refuse)
    assert flushing.flush(endpoint("sglang")) == (
        "POST /flush_cache answered 400: busy"
    )
