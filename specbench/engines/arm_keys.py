"""Keys of an arm's `speculative` and what may stand in each. Pure data with one
question: what is wrong with this value?"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from specbench.errors import InputError


class Kind(StrEnum):
    """What a value has to be, in words."""

    TEXT = "text"
    FLAG = "true or false"
    WHOLE = "a whole number"
    NUMBER = "a number"
    LIST = "a list"
    TABLE = "a table"
    TABLE_OR_FILE = "a table, or the path of a JSON file"


@dataclass(frozen=True, slots=True)
class Key:
    """One key of an engine's version."""

    name: str
    kind: Kind
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()
    used_by: tuple[str, ...] = ()
    """Methods that read it; for others it has no effect. Empty = all."""

    def is_used_by(self, method: str | None) -> bool:
        """None = a method that is not known before the engine has read the model."""
        return method is None or not self.used_by or method in self.used_by

    def complaint(self, value: Any) -> str | None:
        """What is wrong with a value; None = nothing. A null is a default."""
        if value is None:
            return None
        if not _IS_KIND[self.kind](value):
            return f"expected {self.expected}, got {value!r}"
        if self.is_unlisted(value):
            return f"expected one of {', '.join(self.choices)}; got {value!r}"
        if self.least is not None and not value >= self.least:
            return f"expected {self.expected}, got {value!r}"
        if self.most is not None and not value <= self.most:
            return f"expected {self.expected}, got {value!r}"
        return None

    def is_unlisted(self, value: Any) -> bool:
        """Of the right kind, but none of the choices: another release may have it."""
        return bool(
            self.choices
            and value is not None
            and _IS_KIND[self.kind](value)
            and value not in self.choices
        )

    @property
    def expected(self) -> str:
        """`a whole number of at least 1`."""
        bounds = []
        if self.least is not None:
            bounds.append(f"of at least {self.least:g}")
        if self.most is not None:
            bounds.append(f"of at most {self.most:g}")
        return " ".join([self.kind, " and ".join(bounds)]).rstrip()


def named_keys(
    speculative: Mapping[str, Any], spellings: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """With underscores for dashes, as both engines take their keys, and one name where
    the engine has two: `spellings`, second name -> first."""
    arm: dict[str, Any] = {}
    for key, value in speculative.items():
        name = key.replace("-", "_")
        name = (spellings or {}).get(name, name)
        if name in arm:
            raise InputError(
                f"speculative.{key}: is given twice, under two spellings",
                hint=f"keep one {name}",
            )
        arm[name] = value
    return arm


def refusal(key: str, text: str, hint: str = "") -> InputError:
    """An error at a key of the arm."""
    return InputError(f"speculative.{key}: {text}", hint)


def is_whole(value: Any) -> bool:
    """A whole number; JSON's true and false are none."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Whole or not; NaN and the infinities are no amounts."""
    return is_whole(value) or (isinstance(value, float) and math.isfinite(value))


_IS_KIND: Mapping[Kind, Callable[[Any], bool]] = {
    Kind.TEXT: lambda value: isinstance(value, str),
    Kind.FLAG: lambda value: isinstance(value, bool),
    Kind.WHOLE: is_whole,
    Kind.NUMBER: is_number,
    Kind.LIST: lambda value: isinstance(value, list | tuple),
    Kind.TABLE: lambda value: isinstance(value, Mapping),
    Kind.TABLE_OR_FILE: lambda value: isinstance(value, Mapping | str),
}
