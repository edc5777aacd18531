"""A figure that there is not, with the reason: missing is never zero."""

from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Missing:
    """Why there is no figure."""

    reason: str


def keep(missing: dict[str, str], name: str, value: T | Missing) -> T | None:
    """The value, or None with the reason noted under the field's name."""
    if isinstance(value, Missing):
        missing[name] = value.reason
        return None
    return value
