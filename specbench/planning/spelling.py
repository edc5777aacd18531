"""Words about a key that no table knows: the likely misspelling, or the table in which
that key does belong."""

import difflib
from collections.abc import Iterable

from specbench.schema.sweep import (
    Arm,
    Document,
    Load,
    Measure,
    Search,
    Slo,
    SweepSpec,
    Target,
    Workload,
)

TABLES: dict[str, type[Document]] = {
    "[target]": Target,
    "[[arms]]": Arm,
    "[workload]": Workload,
    "[load]": Load,
    "[slo]": Slo,
    "[search]": Search,
    "[measure]": Measure,
}
TOP_KEYS = ("target", *SweepSpec.model_fields)


def closest(word: str, known: Iterable[str]) -> str | None:
    """The known word that was probably meant, if there is one."""
    by_plain = {_plain(name): name for name in known}
    matches = difflib.get_close_matches(_plain(word), by_plain, n=1, cutoff=0.7)
    return by_plain[matches[0]] if matches else None


def explain_unknown(key: str, model: type[Document] | None) -> str:
    """What to say of an unknown key in the table of `model`; None = at the top."""
    known = tuple(model.model_fields) if model else TOP_KEYS
    meant = closest(key, known)
    if meant:
        return f"unknown key; did you mean `{meant}`?"
    for table, other in TABLES.items():
        if other is not model and _plain(key) in map(_plain, other.model_fields):
            return f"unknown key here; it belongs in {table}"
    names = ", ".join(f"`{name}`" for name in known)
    extra = "; options of the engine go into `args`" if model is Target else ""
    return f"unknown key; expected one of {names}{extra}"


def _plain(word: str) -> str:
    return word.lower().replace("-", "_")
