"""The metrics page of a server that is being recorded: idle, and while requests run."""

from collections.abc import Awaitable, Callable

from specbench.engines.contract import EngineAdapter
from specbench.errors import EngineError
from specbench.schema.snapshot import EngineCounters, EngineGauges
from specbench.scrape.recording import Recorder
from specbench.wire.errors import WireError

PAUSE_S = 0.5
MOST_IDLE_READINGS = 120
"""A minute: an engine may renew its gauges each half minute when nothing runs."""
LOAD_PAUSE_S = 0.1
MOST_LOAD_READINGS = 1000


class MetricsWatch:
    """Reads one server's page as often as it takes, and no more often than allowed."""

    def __init__(
        self,
        adapter: EngineAdapter,
        recorder: Recorder,
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._adapter = adapter
        self._recorder = recorder
        self._sleep = sleep

    async def idle(self) -> tuple[bytes | None, str]:
        """The page when nothing runs or waits and its counts stand still, and a remark.
        Raises EngineError where somebody else keeps the server busy."""
        last: EngineCounters | None = None
        running: float | None = None
        for _ in range(MOST_IDLE_READINGS):
            answer = await self._recorder.get(self._adapter.metrics_path)
            if not answer.is_ok:
                return None, answer.error or f"status {answer.status}"
            read = self._read(answer.body)
            if read is None:
                return answer.body, "the adapter cannot read it"
            counters, gauges = read
            running = (gauges.running or 0) + (gauges.waiting or 0)
            if running == 0 and counters == last:
                return answer.body, ""
            last = counters
            await self._sleep(PAUSE_S)
        raise EngineError(
            f"{self._adapter.metrics_path} does not come to rest: {running:g} requests"
            " run or wait",
            "captures need a server that nobody else uses",
        )

    async def busiest(self, is_over: Callable[[], bool]) -> bytes | None:
        """The page on which most requests run; None = there is no page."""
        best: tuple[float, bytes] | None = None
        for _ in range(MOST_LOAD_READINGS):
            if is_over():
                break
            answer = await self._recorder.get(self._adapter.metrics_path)
            read = self._read(answer.body) if answer.is_ok else None
            if read is not None:
                running = read[1].running or 0.0
                # a later one has more to tell
                if best is None or running >= best[0]:
                    best = running, answer.body
            await self._sleep(LOAD_PAUSE_S)
        return None if best is None else best[1]

    def _read(self, body: bytes) -> tuple[EngineCounters, EngineGauges] | None:
        try:
            return self._adapter.read_metrics(body.decode("utf-8", "replace"))
        except WireError:
            return None
