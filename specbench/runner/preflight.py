"""What can be known to fail before anything is started: paths, programs, data sets,
tokenizers, given ports. Everything is read once here and handed on."""

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from specbench.engines import ADAPTERS
from specbench.engines.contract import LaunchRequest
from specbench.engines.known_methods import METHODS_BY_ENGINE
from specbench.engines.lossy import forcing_variables
from specbench.engines.methods import (
    EngineMethods,
    UnknownToVersionError,
    check_arm_of_other_release,
)
from specbench.errors import InputError
from specbench.launch.engine_package import find_version
from specbench.launch.ports import check_port_free
from specbench.runner.drafter_checks import Launched, check_launched
from specbench.runner.drafters import drafter_notes
from specbench.runner.lengths import Lengths, prepare_lengths
from specbench.runner.model_paths import is_path
from specbench.schema.plan import SweepPlan
from specbench.schema.prompt import Dataset
from specbench.schema.sweep import Arm, SweepSpec, Target
from specbench.workload.readers import load_dataset

DEFAULT_PROGRAMS = {"vllm": "vllm", "sglang": "sglang", "sim": "specbench"}
"""What is started where target.executable is not given."""

HOST = "127.0.0.1"
"""Engines listen on loopback only."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """What the sweep needs, read and checked."""

    plan: SweepPlan
    """With notes on what was read."""
    datasets: Mapping[str, Dataset]
    """By the name in the sweep file."""
    lengths: Lengths


def prepare_sweep(plan: SweepPlan, source: str, *, will_launch: bool) -> Prepared:
    """Check everything; InputError names the file and the key."""
    for place, target in target_places(plan.spec):
        where = f"{source}: {place}"
        if will_launch:
            check_executable(target, where)
            check_model(target, where)
            check_shell(target, where, os.environ)
            if target.port is not None:
                check_port_free(HOST, target.port)
    arm_notes = check_arms(plan, source, os.environ, will_launch=will_launch)
    if will_launch:
        check_commands(plan, source)
    datasets = {name: load_dataset(name) for name in plan.spec.workload.datasets}
    lengths = prepare_lengths(plan.spec, datasets, source)
    too_long: tuple[str, ...] = (
        () if plan.is_aa else drafter_notes(plan.spec, os.environ)
    )
    notes = (*plan.notes, *lengths.notes, *arm_notes, *too_long)
    return Prepared(replace(plan, notes=notes), datasets, lengths)


def check_arms(
    plan: SweepPlan, source: str, environ: Mapping[str, str], *, will_launch: bool
) -> tuple[str, ...]:
    """What is known to be wrong with an arm, by its engine's adapter and, where it will
    be launched, by what is on this machine. Notes on what is only likely."""
    notes: list[str] = []
    for index, arm in enumerate(plan.spec.arms):
        for target in (t for t in plan.spec.targets if arm.is_for(t.label)):
            try:
                notes += _check_words(arm, target, will_launch=will_launch)
                methods = METHODS_BY_ENGINE.get(target.engine)
                if will_launch and methods is not None and not plan.is_aa:
                    env = {**environ, **target.env}
                    launched = Launched(arm, target, methods, _program(target), env)
                    notes += (f"{arm.name}: {n}" for n in check_launched(launched))
            except InputError as error:
                where = f"{source}: arms[{index}] ({arm.name})"
                raise InputError(f"{where}: {error.message}", error.hint) from error
    return tuple(dict.fromkeys(notes))


def _check_words(arm: Arm, target: Target, *, will_launch: bool) -> tuple[str, ...]:
    """A word that the known version lacks may be one of another release's: where that
    is what is installed, or runs already, the engine decides on that word. The rest of
    the arm is checked."""
    try:
        ADAPTERS[target.engine].check_speculative(arm.speculative)
    except UnknownToVersionError as error:
        why = (
            _other_release(target, error.methods)
            if will_launch
            else "the server that runs may be of another release, and has decided"
        )
        if why is None:
            raise
        unknown = check_arm_of_other_release(error.methods, arm.speculative)
        return tuple(f"{arm.name}: {each.message}; {why}" for each in unknown)
    return ()


def _other_release(target: Target, methods: EngineMethods) -> str | None:
    """What is installed, where it is not the known version."""
    found = find_version(_program(target), ADAPTERS[target.engine].package)
    if found is None or found.partition("+")[0] == methods.version:
        return None
    return f"{methods.title} {found} is installed, so that is left to it"


def _program(target: Target) -> str | None:
    return target.executable or DEFAULT_PROGRAMS.get(target.engine)


def check_commands(plan: SweepPlan, source: str) -> None:
    """Every command line can be built, so that no argument fails in mid-run."""
    for launch in plan.launches:
        try:
            ADAPTERS[launch.target.engine].command(
                LaunchRequest(
                    target=launch.target,
                    speculative=launch.speculative,
                    caps=launch.caps,
                    host=HOST,
                    port=launch.target.port or 1,
                    engine_cpus=None,
                    model_name=launch.target.label,
                )
            )
        except InputError as error:
            raise InputError(f"{source}: {error.message}", error.hint) from error


def target_places(spec: SweepSpec) -> list[tuple[str, Target]]:
    """Targets with the key path under which a sweep file has them."""
    if len(spec.targets) == 1:
        return [("target", spec.targets[0])]
    return [(f"targets[{i}]", target) for i, target in enumerate(spec.targets)]


def check_executable(target: Target, where: str) -> None:
    """The engine's program is there and can be run."""
    program = _program(target)
    if program is None or shutil.which(program) is not None:
        return
    path = Path(program)
    if path.is_file():
        raise InputError(
            f"{where}.executable: {program} exists but is not executable",
            hint=f"chmod +x {program}",
        )
    looked = path.absolute() if path.parent != Path() else "the folders of PATH"
    engine = "sglang" if target.engine == "sglang" else "vllm"
    raise InputError(
        f"{where}.executable: there is no program {program!r} (looked at {looked})",
        hint="install the engine in an environment of its own"
        f" (`make engine-{engine}-cpu`"
        f" or `make engine-{engine}`) and name its program, e.g."
        f" .venv-{engine}/bin/{engine}",
    )


def check_shell(target: Target, where: str, environ: Mapping[str, str]) -> None:
    """An engine inherits this process's environment. What forces its acceptance has to
    stand in the sweep file: the results keep that, and their mark is made from it."""
    inherited = {k: value for k, value in environ.items() if k not in target.env}
    found = forcing_variables(target.engine, inherited)
    if found:
        table = ", ".join(f'{name} = "{inherited[name]}"' for name in found)
        raise InputError(
            f"{where}.env: specbench's own environment has {', '.join(found)}, by which"
            f" {target.engine} accepts drafts whatever the target model thinks",
            hint=f"`unset {' '.join(found)}`; or, if it is wanted, write"
            f" env = {{ {table} }} into the target, whose arms are then marked as not"
            " lossless",
        )


def check_model(target: Target, where: str) -> None:
    """A model given as a path exists. `org/name` may be a name on a hub: that is
    left to the engine, unless its first part is a folder here."""
    model = target.model
    path = Path(model)
    if not is_path(model) or path.exists():
        return
    raise InputError(
        f"{where}.model: there is no model folder {model!r} (looked at"
        f" {path.absolute()})",
        hint="`make model-smollm2` makes the demo's model; else give a folder with"
        " config.json, or a name on the hub such as org/name",
    )
