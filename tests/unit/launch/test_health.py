"""What counts as ready."""

import httpx
import pytest

from specbench.launch.health import HealthProbe


@pytest.mark.parametrize(
    ("status", "is_ready"), [(200, True), (503, False), (404, False)]
)
def test_only_200_is_ready(status: int, is_ready: bool) -> None:
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        return httpx.Response(status)

    with HealthProbe(
        "http://127.0.0.1:8000/", "/health", transport=httpx.MockTransport(answer)
    ) as probe:
        assert probe() is is_ready
    assert asked == ["http://127.0.0.1:8000/health"]


@pytest.mark.parametrize(
    "error", [httpx.ConnectError("refused"), httpx.ReadTimeout("slow")]
)
def test_server_that_does_not_answer_is_not_ready(error: httpx.TransportError) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        raise error

    with HealthProbe(
        "http://127.0.0.1:8000", "/health", transport=httpx.MockTransport(answer)
    ) as probe:
        assert not probe()
