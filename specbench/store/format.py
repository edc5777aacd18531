"""How values of the schema are written as JSON and read back: strict both ways. A field
that is missing, unknown or of another type is an error that names file and field; NaN
and infinity cannot be written. Pure text, no files.

Format versions (`FORMAT_VERSION` goes into every manifest):
    1  first one: manifest.json, launches/<n>/launch.json, cells/<id>/{record.json,
       samples.parquet, snapshots.jsonl}
"""

import dataclasses
import functools
import json
import types
import typing
from collections.abc import Mapping
from enum import Enum
from typing import Any, TypeVar

from specbench.errors import ResultsError

FORMAT_VERSION = 1

_DAMAGED_HINT = (
    "the file was damaged or edited; restore it from a copy, or leave it out by"
    " removing its folder"
)

T = TypeVar("T")


class DecodeError(ValueError):
    """A document does not fit its type; the message begins with the field."""


def to_json(value: Any, *, indent: int | None = None) -> str:
    """A dataclass of the schema as JSON text. Raises ValueError for NaN and infinity,
    which strict JSON cannot say: a missing number is None."""
    return json.dumps(encode(value), allow_nan=False, indent=indent)


def from_json(kind: type[T], text: str, file: str) -> T:
    """The value that `to_json` wrote. Raises ResultsError naming file and field."""
    try:
        return decode(kind, parse_strict(text))
    except ValueError as error:  # json.JSONDecodeError and DecodeError are both
        raise ResultsError(f"{file}: {error}", hint=_DAMAGED_HINT) from error


def parse_strict(text: str) -> Any:
    """JSON without the NaN and Infinity that Python's reader takes by default."""
    return json.loads(text, parse_constant=_refuse_constant)


def _refuse_constant(name: str) -> Any:
    raise DecodeError(f"{name} is not JSON")


def encode(value: Any) -> Any:
    """Plain JSON types for a value of the schema, whatever it holds."""
    if isinstance(value, Enum):
        return value.value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: encode(getattr(value, field.name))
            for field in dataclasses.fields(value)
        }
    if isinstance(value, Mapping):
        return {str(key): encode(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [encode(item) for item in value]
    return value


def decode(kind: type[T], document: Any) -> T:
    """A value of the schema from plain JSON types. Raises DecodeError."""
    value: T = _decode(kind, document, "")
    return value


def _decode(kind: Any, document: Any, where: str) -> Any:
    if kind is Any:
        return document
    origin = typing.get_origin(kind)
    if origin in (typing.Union, types.UnionType):
        return _decode_optional(kind, document, where)
    if origin in (tuple, dict, Mapping):
        return _decode_items(kind, document, where)
    if dataclasses.is_dataclass(kind):
        return _decode_fields(kind, document, where)
    if issubclass(kind, Enum):
        return _decode_enum(kind, document, where)
    return _decode_scalar(kind, document, where)


def _decode_items(kind: Any, document: Any, where: str) -> Any:
    """`tuple[X, ...]`, `dict[str, X]` or `Mapping[str, X]`, the only collections of the
    schema."""
    if typing.get_origin(kind) is tuple:
        (item_kind, _) = typing.get_args(kind)
        items: list[Any] = _expect(list, document, where)
        return tuple(
            _decode(item_kind, x, f"{where}[{i}]") for i, x in enumerate(items)
        )
    (_, item_kind) = typing.get_args(kind)
    fields: dict[str, Any] = _expect(dict, document, where)
    return {k: _decode(item_kind, v, _join(where, k)) for k, v in fields.items()}


def _decode_fields(kind: Any, document: Any, where: str) -> Any:
    values = dict(_expect(dict, document, where))
    decoded = {}
    for name, (field_kind, is_required) in _fields(kind).items():
        if name in values:
            decoded[name] = _decode(field_kind, values.pop(name), _join(where, name))
        elif is_required:
            raise DecodeError(f"{_join(where, name)}: missing")
    if values:
        raise DecodeError(f"{_join(where, next(iter(values)))}: unknown field")
    return kind(**decoded)


@functools.cache
def _fields(kind: type) -> dict[str, tuple[Any, bool]]:
    """Name -> type, and whether a document must have it."""
    hints = typing.get_type_hints(kind)
    return {
        field.name: (
            hints[field.name],
            field.default is dataclasses.MISSING
            and field.default_factory is dataclasses.MISSING,
        )
        for field in dataclasses.fields(kind)
    }


def _decode_enum(kind: type[Enum], document: Any, where: str) -> Enum:
    try:
        return kind(document)
    except ValueError:
        known = ", ".join(str(member.value) for member in kind)
        raise DecodeError(f"{where}: {document!r} is not one of {known}") from None


def _decode_optional(kind: Any, document: Any, where: str) -> Any:
    if document is None:
        return None
    (inner,) = (arg for arg in typing.get_args(kind) if arg is not types.NoneType)
    return _decode(inner, document, where)


def _decode_scalar(kind: type, document: Any, where: str) -> Any:
    # JSON has one kind of number: 3 is a fine float, but 3.0 is no integer here, and
    # neither is true, though Python's bool is an int.
    if kind is float and type(document) is int:
        return float(document)
    if type(document) is not kind:
        raise DecodeError(_mismatch(kind, document, where))
    return document


def _expect(kind: type, document: Any, where: str) -> Any:
    if not isinstance(document, kind):
        raise DecodeError(_mismatch(kind, document, where))
    return document


_JSON_NAMES = {
    dict: "an object",
    list: "a list",
    str: "a text",
    int: "an integer",
    float: "a number",
    bool: "true or false",
    types.NoneType: "null",
}


def _mismatch(kind: type, document: Any, where: str) -> str:
    found = _JSON_NAMES.get(type(document), type(document).__name__)
    return f"{where or 'document'}: expected {_JSON_NAMES[kind]}, found {found}"


def _join(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name
