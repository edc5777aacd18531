"""Reads and writes a recorded set of an engine's output: `meta.toml`, a folder for each
server, and `start-failures/`. What cannot be read is an InputError with the file."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import ValidationError

from specbench.engines.checking.captures import (
    FLAGS,
    STREAM_ENDING,
    ArmCapture,
    CaptureSet,
)
from specbench.errors import InputError
from specbench.planning.problems import Problem, to_error
from specbench.planning.read_sweep import parse_toml
from specbench.schema.capture import ArmMeta, CaptureMeta
from specbench.schema.sweep import BASELINE
from specbench.store.disk import write_file, write_folder

META = "meta.toml"
FAILURES = "start-failures"
_PAGES = frozenset({".json", ".txt", ".log"})
_ARM_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_LARGEST = 32 << 20
"""Bytes of a file; a log that is longer is no start-up log."""


def read_captures(folder: Path) -> CaptureSet:
    """The set in a folder. Raises InputError."""
    meta = read_meta(folder)
    arms = tuple(
        _read_arm(path, meta) for path in _folders(folder) if path.name != FAILURES
    )
    arms = tuple(arm for arm in arms if arm.pages or arm.streams)
    if absent := sorted(meta.arms.keys() - {arm.name for arm in arms}):
        raise InputError(
            f"{folder / META}: arms.{absent[0]}: there is no folder {absent[0]} with"
            " captures beside it"
        )
    failures = {
        path.stem: _read(path).decode("utf-8", "replace")
        for path in _files(folder / FAILURES)
        if path.suffix == ".log"
    }
    if not arms and not failures:
        raise InputError(
            f"{folder}: holds no captures",
            hint="`specbench engines capture URL --engine NAME --out DIR` records some"
            " from a running server",
        )
    flags = folder / FLAGS
    return CaptureSet(
        engine=meta.engine,
        version=meta.version,
        arms=arms,
        failures=failures,
        causes=meta.causes,
        stream_errors=meta.stream_errors,
        flags=_read(flags).decode("utf-8", "replace") if flags.is_file() else None,
    )


def read_meta(folder: Path) -> CaptureMeta:
    """What `meta.toml` says. Raises InputError naming file and key."""
    path = folder / META
    if not folder.is_dir():
        raise InputError(f"{folder}: is no folder")
    if not path.is_file():
        raise InputError(
            f"{path}: there is no such file",
            hint='it says at least engine = "NAME"; docs/engines.md explains the rest',
        )
    return _parse_meta(_read_text(path), path)


def _parse_meta(text: str, path: Path) -> CaptureMeta:
    try:
        return CaptureMeta.model_validate(parse_toml(text, str(path)))
    except ValidationError as error:
        raise to_error(_problems(error), str(path)) from error


def read_log(path: Path, most: int) -> str:
    """The beginning of a log, `most` bytes of it. Raises InputError."""
    try:
        with path.open("rb") as file:
            return file.read(most).decode("utf-8", "replace")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error


def check_arm_name(name: str) -> None:
    """It becomes a folder. Raises InputError."""
    if not _ARM_NAME.fullmatch(name) or name == FAILURES:
        raise InputError(
            f"{name!r} is no name for an arm",
            hint="letters, digits, `.`, `_` and `-`, with a letter or a digit first;"
            f" {FAILURES} is taken",
        )


def check_new_arm(folder: Path, arm: str) -> None:
    """That a server can be added to a set under this name. Raises InputError."""
    check_arm_name(arm)
    path = folder / META
    table = f"[arms.{toml_text(arm)}]"
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: is no folder", hint="give another --out")
    if (folder / arm).exists():
        raise InputError(
            f"{folder / arm} exists already",
            hint="captures are written once: choose another --arm, or remove the folder"
            f" and, where there is one, its table {table} in {path}",
        )
    if not path.is_file():
        return
    text = _read_text(path)
    if arm in _parse_meta(text, path).arms:
        raise InputError(
            f"{path}: arms.{arm} is there already",
            hint=f"choose another --arm, or remove its table {table} too",
        )
    try:
        _parse_meta(_with_table(text, f"{table}\n"), path)
    except InputError as error:
        raise InputError(
            f"{path}: no table {table} can be added to it",
            hint="write each arm of the file as a table of its own, [arms.NAME]",
        ) from error


def write_arm(
    folder: Path, head: str, arm: str, table: str, files: Mapping[str, bytes]
) -> None:
    """Add one server to a set; the set is begun where there is none yet. `head`: the
    first lines of a new `meta.toml`; `table`: the arm's own. Raises InputError for an
    arm that is there already, ResultsError where the disk refuses."""
    check_new_arm(folder, arm)
    path = folder / META
    before = _read_text(path) if path.is_file() else head
    write_folder(folder / arm, files)
    write_file(path, _with_table(before, table).encode())


def meta_head(meta: CaptureMeta) -> str:
    """The first lines of a new `meta.toml`."""
    lines = ["# What stands in this folder, and how it was recorded."]
    for key in ("engine", "version", "served_model_name"):
        value = getattr(meta, key)
        if value is not None:
            lines.append(f"{key} = {toml_text(value)}")
    return "\n".join(lines)


def arm_table(name: str, meta: ArmMeta) -> str:
    """`[arms.NAME]`."""
    lines = [f"[arms.{toml_text(name)}]", f"command = {toml_text(meta.command)}"]
    if meta.speculates is not None:
        lines.append(f"speculates = {str(meta.speculates).lower()}")
    if meta.traffic is not None:
        listed = "".join(f"  {toml_text(one)},\n" for one in meta.traffic)
        lines.append(f"traffic = [\n{listed}]")
    return "\n".join(lines) + "\n"


def toml_text(value: str) -> str:
    """A basic string. JSON's escapes are TOML's; DEL alone is not escaped by it."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _with_table(text: str, table: str) -> str:
    return f"{text.rstrip()}\n\n{table}"


def _read_arm(path: Path, meta: CaptureMeta) -> ArmCapture:
    own = meta.arms.get(path.name, ArmMeta(speculates=path.name != BASELINE))
    contents = {file.name: _read(file) for file in _files(path)}
    return ArmCapture(
        name=path.name,
        speculates=own.drafts,
        served_model_name=own.served_model_name or meta.served_model_name,
        pages={
            name: body.decode("utf-8", "replace")
            for name, body in contents.items()
            if Path(name).suffix in _PAGES
        },
        streams={
            name: body
            for name, body in contents.items()
            if name.endswith(STREAM_ENDING)
        },
        expected={**meta.expected, **own.expected},
        traffic=None if own.traffic is None else tuple(own.traffic),
    )


def _folders(folder: Path) -> list[Path]:
    return sorted(
        path
        for path in folder.iterdir()
        if path.is_dir() and not path.name.startswith(".")
    )


def _files(folder: Path) -> list[Path]:
    """Of a folder; none where there is none."""
    if not folder.is_dir():
        return []
    return sorted(
        path
        for path in folder.iterdir()
        if path.is_file() and not path.name.startswith(".")
    )


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            body = file.read(_LARGEST + 1)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    if len(body) > _LARGEST:
        raise InputError(
            f"{path}: is larger than {_LARGEST >> 20} MiB",
            hint="keep what the check needs: the start of a log, a few streams",
        )
    return body


def _read_text(path: Path) -> str:
    try:
        return _read(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path}: not UTF-8 text (byte {error.start})",
            hint="save the file as UTF-8",
        ) from error


def _problems(error: ValidationError) -> Iterator[Problem]:
    for detail in error.errors(include_url=False):
        place = tuple(detail["loc"])
        message = "is missing" if detail["type"] == "missing" else detail["msg"]
        yield Problem(place, message)
