"""The JSON of the simulator's `--speculative-config`, checked key by key. Durations in
it are milliseconds; the values made of it are seconds."""

import orjson

from specbench.errors import InputError
from specbench.sim.config import SimSpeculation

_MS_PER_S = 1000.0
_KEYS = (
    "method",
    "num_speculative_tokens",
    "acceptance",
    "draft_ms",
    "draft_per_sequence_ms",
)


def read_speculation(text: str) -> SimSpeculation:
    """The drafter. Raises InputError naming the key."""
    try:
        document = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise _bad(f"not valid JSON: {error}") from error
    if not isinstance(document, dict):
        raise _bad("expected a JSON object")
    unknown = sorted(set(document) - set(_KEYS))
    if unknown:
        raise _bad(f"unknown key `{unknown[0]}`; known: {', '.join(_KEYS)}")
    if document.get("method") != "sim":
        raise _bad(f'`method` must be "sim", got {document.get("method")!r}')
    k = document.get("num_speculative_tokens")
    if not isinstance(k, int) or isinstance(k, bool) or k < 1:
        raise _bad(
            f"`num_speculative_tokens` must be an integer of at least 1, got {k!r}"
        )
    return SimSpeculation(
        num_speculative_tokens=k,
        acceptance=_read_acceptance(document.get("acceptance"), k),
        draft_step_s=_read_ms(document, "draft_ms"),
        draft_per_sequence_s=_read_ms(document, "draft_per_sequence_ms"),
    )


def _read_ms(document: dict[str, object], key: str) -> float:
    """Seconds; a key that is missing is no cost."""
    value = document.get(key, 0.0)
    if not _is_number(value) or not isinstance(value, int | float) or value < 0:
        raise _bad(f"`{key}` must be a number of at least 0, got {value!r}")
    return value / _MS_PER_S


def _read_acceptance(value: object, k: int) -> tuple[float, ...]:
    if (
        not isinstance(value, list)
        or not value
        or not all(_is_number(rate) and 0 <= rate <= 1 for rate in value)
    ):
        raise _bad(
            "`acceptance` must be a list of conditional rates in 0..1, one a"
            f" position, got {value!r}"
        )
    if len(value) == 1:
        return (float(value[0]),) * k
    if len(value) != k:
        raise _bad(
            f"`acceptance` has {len(value)} rates for {k} speculative tokens; give"
            " one for each position, or a single one for all"
        )
    return tuple(float(rate) for rate in value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _bad(what: str) -> InputError:
    return InputError(
        f"sim: --speculative-config: {what}",
        hint='for example {"method": "sim", "num_speculative_tokens": 3,'
        ' "acceptance": [0.8, 0.7, 0.6], "draft_ms": 1.0}',
    )
