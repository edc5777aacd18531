"""The speculative methods of one version of an engine, as data: what each needs,
whether answers stay those of the target model, whether it learns from the traffic, and
which keys of an arm it reads. `check_arm` holds an arm against them, so that what an
engine would say after a minute of starting is said before."""

import difflib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

from specbench.engines.arm_keys import Key, named_keys
from specbench.errors import InputError
from specbench.schema.sweep import Target


class Need(StrEnum):
    """What a method has to be given, beside the target model."""

    NOTHING = "nothing"
    HEAD = "a head for this target"
    DRAFT_MODEL = "a draft model with the same tokenizer"
    BUNDLED = "layers in the target's own checkpoint"
    ADAPTER = "an adapter trained for this target"
    PROGRAM = "a class of your own"


@dataclass(frozen=True, slots=True)
class Method:
    """One way to draft."""

    name: str
    """As an arm writes it."""
    needs: Need
    good_for: str
    draft_length: str
    """The keys that set it, in words."""
    required: tuple[str, ...] = ()
    """Keys without which the engine does not start."""
    aliases: tuple[str, ...] = ()
    learns: str | None = None
    """It drafts from earlier requests, and this is how it forgets them; None = each
    request is on its own."""
    package: str | None = None
    """Python package that the engine's environment must have for it."""
    module: str | None = None
    """What that package installs, by the name that is imported."""
    absent: str | None = None
    """Why the version cannot run it although it takes the name."""
    runs_on_cpu: bool = True
    folder: str | None = None
    """Where the engine looks inside the target's folder for weights that the arm does
    not name."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A key that changes how methods draft or verify: an arm of its own."""

    name: str
    """`key = value`."""
    used_by: str
    """Methods, in words."""
    is_lossless: bool
    good_for: str


Rule: TypeAlias = Callable[[Mapping[str, Any], Method | None], None]
"""Raises InputError for keys that do not go together."""

TargetRule: TypeAlias = Callable[
    [Mapping[str, Any], Target, frozenset[str]], tuple[str, ...]
]
"""Notes on an arm as that target would run it; raises InputError. The arm has its
method by its first name, where it is known; the target's `env` is all that the engine
gets, with what it inherits; the names are those of `modules` that it lacks."""

ConfigRule: TypeAlias = Callable[
    [Mapping[str, Any], Method | None, Mapping[str, Any]], None
]
"""Raises InputError for keys that do not go with a target of that config.json."""


@dataclass(frozen=True, slots=True)
class EngineMethods:
    """What one version of an engine can be told about speculation."""

    engine: str
    """As a sweep file writes it."""
    title: str
    version: str
    selector: str
    """The key that names the method."""
    methods: tuple[Method, ...]
    keys: tuple[Key, ...]
    choose: Callable[[Mapping[str, Any]], Any]
    """The method's name by an arm's keys; None = the engine finds it in the model, an
    empty one = it is missing."""
    rules: tuple[Rule, ...] = ()
    target_rules: tuple[TargetRule, ...] = ()
    modules: tuple[str, ...] = ()
    """Python packages, by the names that are imported, on which the target rules
    depend."""
    config_rules: tuple[ConfigRule, ...] = ()
    variants: tuple[Variant, ...] = ()
    lossy_by: tuple[str, ...] = ()
    """Keys by which answers can stop following the target model."""
    spellings: Mapping[str, str] = field(default_factory=dict)
    """Second name of a key -> its first."""
    foreign: Mapping[str, str] = field(default_factory=dict)
    """A word of another engine, or for another thing -> what it is called here."""

    @property
    def label(self) -> str:
        """`vLLM 0.32.0`."""
        return f"{self.title} {self.version}"

    @property
    def names(self) -> tuple[str, ...]:
        """All names that an arm may write, aliases last."""
        first = tuple(method.name for method in self.methods)
        return first + tuple(a for method in self.methods for a in method.aliases)

    def find(self, name: str) -> Method | None:
        """By its name or an alias."""
        for method in self.methods:
            if name == method.name or name in method.aliases:
                return method
        return None

    def key_names(self, method: Method | None) -> list[str]:
        """Those that the method reads."""
        name = None if method is None else method.name
        return [key.name for key in self.keys if key.is_used_by(name)]


class UnknownToVersionError(InputError):
    """A method, a key or a choice that the version does not have: a mistake, or the
    word of another release."""

    def __init__(self, message: str, hint: str, methods: EngineMethods) -> None:
        super().__init__(message, hint)
        self.methods = methods


def check_arm(methods: EngineMethods, speculative: Mapping[str, Any]) -> None:
    """Raises InputError naming the key and what the version knows."""
    arm = named_keys(speculative, methods.spellings)
    for error in _unknown_words(methods, arm):
        raise error
    _check_known_words(methods, arm)


def check_arm_of_other_release(
    methods: EngineMethods, speculative: Mapping[str, Any]
) -> tuple[UnknownToVersionError, ...]:
    """What the version does not know, to be left to the release that will run. The rest
    of the arm is held against the version; raises InputError."""
    arm = named_keys(speculative, methods.spellings)
    unknown = tuple(_unknown_words(methods, arm))
    keys = {key.name for key in methods.keys}
    _check_known_words(methods, {k: value for k, value in arm.items() if k in keys})
    return unknown


def _check_known_words(methods: EngineMethods, arm: Mapping[str, Any]) -> None:
    """An arm of the version's own keys; its method and choices may be others."""
    known = {key.name: key for key in methods.keys}
    for name, value in arm.items():
        complaint = known[name].complaint(value)
        if complaint is not None and not known[name].is_unlisted(value):
            raise InputError(f"speculative.{name}: {complaint}")
    method = _find_method(methods, methods.choose(arm))
    if method is not None:
        _refuse_missing_keys(methods, arm, method)
    for rule in methods.rules:
        rule(arm, method)


def _unknown_words(
    methods: EngineMethods, arm: Mapping[str, Any]
) -> Iterator[UnknownToVersionError]:
    """The method, then keys, then choices. Raises InputError where there is no
    method."""
    try:
        method = chosen_method(methods, arm)
    except UnknownToVersionError as error:
        yield error
        method = None
    yield from _unknown_keys(methods, arm, method)
    for key in methods.keys:
        value = arm.get(key.name)
        if key.is_unlisted(value):
            yield UnknownToVersionError(
                f"speculative.{key.name}: {key.complaint(value)}",
                hint=f"those are the choices of {methods.label}",
                methods=methods,
            )


def chosen_method(methods: EngineMethods, arm: Mapping[str, Any]) -> Method | None:
    """None = the engine finds it out from the model. Raises InputError for a method
    that the version lacks."""
    name = methods.choose(arm)
    if name is None:
        return None
    if name == "":
        raise InputError(
            f"speculative.{methods.selector}: is missing",
            hint=f"{methods.label} has {', '.join(methods.names)}",
        )
    method = _find_method(methods, name)
    if method is None:
        written = arm.get(methods.selector, name)
        raise UnknownToVersionError(
            f"speculative.{methods.selector}: {written!r} is no method of"
            f" {methods.label}",
            hint=_nearest(str(name), methods.names)
            + f"it has {', '.join(methods.names)}",
            methods=methods,
        )
    if method.absent is not None:
        raise UnknownToVersionError(
            f"speculative.{methods.selector}: {methods.label} cannot run {name!r}:"
            f" {method.absent}",
            hint="it can run "
            + ", ".join(m.name for m in methods.methods if m.absent is None),
            methods=methods,
        )
    return method


def _find_method(methods: EngineMethods, name: Any) -> Method | None:
    return methods.find(name) if isinstance(name, str) else None


def idle_keys(
    methods: EngineMethods, speculative: Mapping[str, Any]
) -> tuple[str, ...]:
    """Keys that the arm's method does not read. No mistake to the engine, which starts;
    but the arm is not what it seems."""
    arm = named_keys(speculative, methods.spellings)
    method = chosen_method(methods, arm)
    read = set(methods.key_names(method))
    return tuple(key for key in arm if key not in read)


def _unknown_keys(
    methods: EngineMethods, arm: Mapping[str, Any], method: Method | None
) -> Iterator[UnknownToVersionError]:
    every = [key.name for key in methods.keys]
    subject = "it" if method is None else f"{method.name} of {methods.label}"
    for unknown in (key for key in arm if key not in every):
        if unknown in methods.foreign:
            start = f"{methods.title} has {methods.foreign[unknown]} for it; "
        else:
            start = _nearest(unknown.removeprefix("speculative_"), every)
        yield UnknownToVersionError(
            f"speculative.{unknown}: {methods.label} has no such key",
            hint=f"{start}{subject} knows {', '.join(methods.key_names(method))}",
            methods=methods,
        )


def _refuse_missing_keys(
    methods: EngineMethods, arm: Mapping[str, Any], method: Method
) -> None:
    for key in method.required:
        if arm.get(key) is None:
            raise InputError(
                f"speculative.{key}: is missing; {method.name} of {methods.label} does"
                " not start without it",
                hint=f"{method.name} needs {method.needs}; it knows"
                f" {', '.join(methods.key_names(method))}",
            )


def _nearest(word: str, known: tuple[str, ...] | list[str]) -> str:
    found = difflib.get_close_matches(word, known, n=1)
    return f"did you mean {found[0]}? " if found else ""
