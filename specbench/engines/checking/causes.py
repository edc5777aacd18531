"""Starts that failed: the cause that the adapter finds in each log."""

from collections.abc import Iterator

from specbench.engines.checking.captures import CaptureSet
from specbench.engines.checking.verdicts import CheckedItem, Verdict
from specbench.engines.contract import EngineAdapter

ARM = "start-failures"
_TRACE = "Traceback (most recent call last)"


def check_causes(adapter: EngineAdapter, captured: CaptureSet) -> Iterator[CheckedItem]:
    """One line a log. Words that the cause must hold are the captures' own."""
    for name, log in sorted(captured.failures.items()):
        cause = adapter.find_cause(log)
        verdict, said = _judge(cause, captured.causes.get(name))
        yield CheckedItem(ARM, "cause", verdict, said, f"{ARM}/{name}.log")
    for name in sorted(captured.causes.keys() - captured.failures.keys()):
        yield CheckedItem(
            ARM,
            "cause",
            Verdict.WRONG,
            f"`causes.{name}` is of a log that is not there",
            "meta.toml",
        )


def _judge(cause: str, words: str | None) -> tuple[Verdict, str]:
    if not cause.strip():
        return Verdict.MISSING, "nothing; say at least how the log ends"
    if _TRACE in cause:
        return Verdict.WRONG, f"{cause}: a traceback is no cause"
    if words is not None and words not in cause:
        return Verdict.WRONG, f"{cause}; the captures say {words!r}"
    return Verdict.OK, cause
