"""Holds each arm's drafter against what is on this machine, before anything starts: a
head that is not there, one for another target, a package that the engine lacks. What is
sure is refused by its key; what is likely is a note."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from specbench.engines.arm_keys import named_keys
from specbench.engines.drafters import (
    Drafter,
    doubts,
    find_drafter,
    has_own_layers,
    misfits,
)
from specbench.engines.methods import (
    EngineMethods,
    Method,
    Need,
    UnknownToVersionError,
    chosen_method,
    idle_keys,
)
from specbench.errors import InputError
from specbench.launch.engine_package import has_module
from specbench.runner.drafters import CONFIG, read_config
from specbench.runner.model_paths import is_path, is_remote
from specbench.schema.sweep import Arm, Target
from specbench.workload.model_files import find_model_file

_OWN_FILES = (CONFIG, "params.json", "adapter_config.json")
"""One of these is in every folder of weights: Mistral's form and adapters have the
other two."""
_OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
_OTHER_CACHES = ("download-dir", "download_dir")
_YES = frozenset({"1", "on", "true", "yes"})


@dataclass(frozen=True, slots=True)
class Launched:
    """An arm as one target will run it."""

    arm: Arm
    target: Target
    methods: EngineMethods
    program: str | None
    """The engine's program."""
    environ: Mapping[str, str]
    """That of the engine: this process's, and the target's own on top."""


def check_launched(launched: Launched) -> tuple[str, ...]:
    """Notes on the arm, without its name; InputError names the key under the arm."""
    try:
        method = chosen_method(
            launched.methods,
            named_keys(launched.arm.speculative, launched.methods.spellings),
        )
    except UnknownToVersionError:
        return ()  # another release's method: it has been noted
    return (
        *_by_method(launched, method),
        *_by_target_rules(launched, method),
        *_by_drafter(launched, method),
    )


def _by_method(launched: Launched, method: Method | None) -> Iterator[str]:
    if method is None:
        return
    methods, target = launched.methods, launched.target
    key = f"speculative.{methods.selector}"
    if target.device == "cpu" and not method.runs_on_cpu:
        raise InputError(
            f"{key}: {method.name} of {methods.label} does not run on a CPU",
            hint="leave the arm out, or measure it on a GPU",
        )
    if (
        method.module is not None
        and has_module(launched.program, method.module) is False
    ):
        raise InputError(
            f"{key}: {method.name} needs the Python package {method.package}, which"
            f" the environment of {launched.program} does not have",
            hint=f"install {method.package} beside the engine",
        )
    written = launched.arm.speculative.get(methods.selector)
    if written in method.aliases:
        yield f"{key}: {written} is an older name of {method.name}"
    for idle in idle_keys(methods, launched.arm.speculative):
        if any(key.name == idle for key in methods.keys):
            yield f"speculative.{idle} has no effect with {method.name}"


def _by_target_rules(launched: Launched, method: Method | None) -> Iterator[str]:
    methods = launched.methods
    arm = named_keys(launched.arm.speculative, methods.spellings)
    if method is not None:
        arm[methods.selector] = method.name
    env = dict(launched.environ)
    target = launched.target.model_copy(update={"env": env})
    lacking = frozenset(
        module
        for module in methods.modules
        if has_module(launched.program, module) is False
    )
    for rule in methods.target_rules:
        yield from rule(arm, target, lacking)
    if methods.config_rules:
        config = read_config(target.model, env)
        for config_rule in methods.config_rules:
            config_rule(arm, method, config)


def _by_drafter(launched: Launched, method: Method | None) -> Iterator[str]:
    drafter = find_drafter(launched.arm.speculative)
    if drafter is None:
        if method is not None and method.needs in (Need.HEAD, Need.BUNDLED):
            yield from _by_own_layers(launched, method)
        return
    _check_presence(drafter, launched)
    config = read_config(drafter.model, launched.environ)
    target = read_config(launched.target.model, launched.environ)
    for reason in misfits(drafter, config, target):
        if launched.arm.speculative.get("use_heterogeneous_vocab"):
            break
        raise InputError(f"speculative.{drafter.key}: {drafter.model} {reason}")
    for doubt in doubts(drafter, config, target):
        yield f"the drafter {drafter.model} {doubt}: it may be one for another target"


def _by_own_layers(launched: Launched, method: Method) -> Iterator[str]:
    """Without weights of its own the drafter has to be inside the target."""
    target = launched.target
    config = read_config(target.model, launched.environ)
    has = has_own_layers(config) if config else True
    if has:
        return
    what = f"{method.name} without weights of its own drafts with layers of the target"
    if method.folder is not None:
        what += f", or with those in its folder {method.folder}/"
        folder = Path(target.model)
        if (folder / method.folder / CONFIG).is_file():
            return
        if not folder.is_dir():
            yield f"{what}; whether {target.model} has any is found out on the hub"
            return
    if has is False:
        weights = "draft_model_path" if launched.methods.engine == "sglang" else "model"
        raise InputError(
            f"speculative.{weights}: is missing; {what}, and {target.model} has none",
            hint=f"name a head for {target.model}",
        )
    yield f"{what}; the config.json of {target.model} speaks of none"


def _check_presence(drafter: Drafter, launched: Launched) -> None:
    """A path has to lead to weights; a name has to be in the cache where the engine may
    not fetch it."""
    key, model, environ = drafter.key, drafter.model, launched.environ
    if is_remote(model):
        return
    if is_path(model):
        _check_folder(f"speculative.{key}", Path(model).expanduser())
        return
    is_offline = any(environ.get(name, "").lower() in _YES for name in _OFFLINE)
    has_own_cache = any(name in launched.target.args for name in _OTHER_CACHES)
    if not is_offline or has_own_cache:
        return
    if all(find_model_file(model, file, environ) is None for file in _OWN_FILES):
        raise InputError(
            f"speculative.{key}: {model} is neither a folder here nor in the cache of"
            " the hub, and the engine may not fetch it (HF_HUB_OFFLINE)",
            hint="fetch it before, give a folder, or let the engine go online",
        )


def _check_folder(where: str, path: Path) -> None:
    if path.is_file():
        return  # a single file of weights, such as GGUF
    if not path.is_dir():
        raise InputError(
            f"{where}: there is no folder {path} (looked at {path.absolute()})",
            hint="give a folder with config.json and the drafter's weights, or a name"
            " on the hub such as org/name",
        )
    if not any((path / file).is_file() for file in _OWN_FILES):
        raise InputError(
            f"{where}: {path} has no config.json",
            hint="give the folder in which the drafter's config.json and weights lie",
        )
