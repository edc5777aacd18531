"""The JSON of `--fault`: an object, or a list of them, checked key by key. Every
mistake is an `InputError` that names the kind and the key."""

from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import Any

import orjson

from specbench.errors import InputError
from specbench.sim.faults import (
    LONGEST_WORKER_S,
    CounterReset,
    CrashAtStart,
    Fault,
    Hits,
    OutlivingWorker,
    RequestFault,
    RequestFaultKind,
    SlowStart,
)

_HINT = (
    'for example {"kind": "error-event", "request": 3, "after_tokens": 20};'
    " the kinds and their keys stand in docs/sim.md"
)
_DEFAULT_ERROR = "simulated failure"


def read_faults(text: str) -> tuple[Fault, ...]:
    """All faults of one `--fault`. Raises InputError."""
    try:
        document = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InputError(f"sim: --fault: not valid JSON: {error}", _HINT) from error
    entries = document if isinstance(document, list) else [document]
    return tuple(_read_fault(entry) for entry in entries)


def _read_fault(entry: object) -> Fault:
    if not isinstance(entry, dict):
        raise InputError("sim: --fault: expected a JSON object", _HINT)
    kind = entry.get("kind")
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        known = ", ".join(sorted(_READERS))
        raise InputError(f"sim: --fault: unknown kind {kind!r}; known: {known}", _HINT)
    keys = _Keys(str(kind), dict(entry))
    keys.take("kind", str, lambda _: True, "a kind", None)
    fault = reader(keys)
    keys.refuse_rest()
    return fault


class _Keys:
    """The keys of one fault, taken one by one."""

    def __init__(self, kind: str, left: dict[str, Any]) -> None:
        self.kind = kind
        self._left = left

    def has(self, key: str) -> bool:
        return key in self._left

    def wrong(self, what: str) -> InputError:
        return InputError(f"sim: --fault: {self.kind}: {what}", _HINT)

    def take(
        self,
        key: str,
        types: type | tuple[type, ...],
        is_good: Callable[[Any], bool],
        expected: str,
        default: Any,
    ) -> Any:
        """Value of a key that may be missing: then the default."""
        if key not in self._left:
            return default
        value = self._left.pop(key)
        if (
            not isinstance(value, types)
            or isinstance(value, bool)
            or not is_good(value)
        ):
            raise self.wrong(f"`{key}` must be {expected}, got {value!r}")
        return value

    def need(self, key: str) -> None:
        if key not in self._left:
            raise self.wrong(f"`{key}` is missing")

    def count(self, key: str, least: int, default: int) -> int:
        expected = f"an integer of at least {least}"
        value: int = self.take(key, int, lambda n: n >= least, expected, default)
        return value

    def number(self, key: str, most: float, default: float) -> float:
        expected = f"a number in 0..{most:g}"
        good = lambda x: 0 <= x <= most  # noqa: E731
        return float(self.take(key, (int, float), good, expected, default))

    def text(self, key: str, default: str) -> str:
        value: str = self.take(key, str, lambda _: True, "a text", default)
        return value

    def choice(self, key: str, choices: tuple[str, ...]) -> str:
        """The first one is the default."""
        expected = " or ".join(f'"{choice}"' for choice in choices)
        value: str = self.take(key, str, choices.__contains__, expected, choices[0])
        return value

    def hits(self) -> Hits:
        if self.has("request") == self.has("share"):
            raise self.wrong("give exactly one of `request` and `share`")
        if self.has("share"):
            return Hits(share=self.number("share", 1.0, 0.0))
        number = self.take(
            "request",
            (int, str),
            lambda n: n == "every" or (isinstance(n, int) and n >= 1),
            'the number of a call, from 1, or "every"',
            None,
        )
        return Hits(every=True) if number == "every" else Hits(request=number)

    def refuse_rest(self) -> None:
        if self._left:
            raise self.wrong(f"unknown key `{min(self._left)}`")


_HOUR_S = 3600.0


def _slow_start(keys: _Keys) -> Fault:
    keys.need("seconds")
    return SlowStart(
        seconds=keys.number("seconds", _HOUR_S, 0.0),
        is_port_closed=keys.choice("port", ("open", "closed")) == "closed",
    )


def _crash_at_start(keys: _Keys) -> Fault:
    log = keys.text("log", "")
    return CrashAtStart(
        seconds=keys.number("seconds", _HOUR_S, 0.0),
        exit_code=keys.count("exit_code", 1, 1),
        text=keys.text("text", ""),
        log=Path(log) if log else None,
    )


def _outliving_worker(keys: _Keys) -> Fault:
    keys.need("pid_file")
    return OutlivingWorker(
        pid_file=Path(keys.text("pid_file", "")),
        seconds=keys.number("seconds", LONGEST_WORKER_S, LONGEST_WORKER_S),
    )


def _counter_reset(keys: _Keys) -> Fault:
    keys.need("after_requests")
    return CounterReset(keys.count("after_requests", 1, 1))


def _http_error(keys: _Keys) -> Fault:
    expected = "an HTTP status in 400..599"
    statuses = {status.value for status in HTTPStatus if status.value >= 400}
    return RequestFault(
        RequestFaultKind.HTTP_ERROR,
        keys.hits(),
        status=keys.take("status", int, statuses.__contains__, expected, 503),
        text=keys.text("body", _DEFAULT_ERROR),
    )


def _error_event(keys: _Keys) -> Fault:
    return RequestFault(
        RequestFaultKind.ERROR_EVENT,
        keys.hits(),
        keys.count("after_tokens", 0, 0),
        text=keys.text("message", _DEFAULT_ERROR),
    )


def _garbage(keys: _Keys) -> Fault:
    return RequestFault(
        RequestFaultKind.GARBAGE,
        keys.hits(),
        keys.count("after_tokens", 0, 0),
        size=keys.count("bytes", 1, 64),
        breaks_framing=keys.choice("where", ("body", "framing")) == "framing",
    )


def _slow_stream(keys: _Keys) -> Fault:
    keys.need("gap_ms")
    return RequestFault(
        RequestFaultKind.SLOW_STREAM,
        keys.hits(),
        keys.count("after_tokens", 0, 0),
        gap_ms=keys.number("gap_ms", _HOUR_S * 1000, 0.0),
    )


def _death(keys: _Keys) -> Fault:
    return RequestFault(
        RequestFaultKind.DEATH,
        keys.hits(),
        keys.count("after_tokens", 0, 0),
        exit_code=keys.count("exit_code", 0, 1) if keys.has("exit_code") else None,
    )


def _plain(kind: RequestFaultKind) -> Callable[[_Keys], Fault]:
    return lambda keys: RequestFault(
        kind, keys.hits(), keys.count("after_tokens", 0, 0)
    )


_READERS: dict[str, Callable[[_Keys], Fault]] = {
    "slow-start": _slow_start,
    "crash-at-start": _crash_at_start,
    "outliving-worker": _outliving_worker,
    "counter-reset": _counter_reset,
    RequestFaultKind.HTTP_ERROR: _http_error,
    RequestFaultKind.ERROR_EVENT: _error_event,
    RequestFaultKind.GARBAGE: _garbage,
    RequestFaultKind.SLOW_STREAM: _slow_stream,
    RequestFaultKind.DEATH: _death,
    RequestFaultKind.HANG: _plain(RequestFaultKind.HANG),
    RequestFaultKind.RESET: _plain(RequestFaultKind.RESET),
    RequestFaultKind.CUT: _plain(RequestFaultKind.CUT),
}
