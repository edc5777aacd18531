"""Stores and summarises what was read, many samples at once; where that fails, looks
for the ones that cannot be kept."""

from specbench.schema.sample import RequestSample
from tests.fuzz.sound import unkeepable

BATCH = 500
"""So many samples are stored and summarised at once."""
SHOWN = 5


class Keeper:
    """One for a test; `take` each sample, and ask for `complaints` at the end."""

    def __init__(self) -> None:
        self._batch: list[tuple[bytes, RequestSample]] = []
        self._least: dict[str, bytes] = {}

    def take(self, source: bytes, sample: RequestSample) -> None:
        """A sample, and the bytes that it was read from."""
        self._batch.append((source, sample))
        if len(self._batch) == BATCH:
            self._look()

    def complaints(self) -> list[str]:
        """Each different reason with the shortest bytes that met it."""
        self._look()
        shown = list(self._least.items())[:SHOWN]
        return [f"{reason}: {source[:200]!r}" for reason, source in shown]

    def _look(self) -> None:
        batch, self._batch = self._batch, []
        if not batch or unkeepable([sample for _, sample in batch]) is None:
            return
        alone = [(source, unkeepable([sample])) for source, sample in batch]
        found = [(source, reason) for source, reason in alone if reason is not None]
        for source, reason in found or [(b"", "only many at once cannot be kept")]:
            before = self._least.get(reason)
            if before is None or len(source) < len(before):
                self._least[reason] = source
