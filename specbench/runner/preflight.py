"""What can be known to fail before anything is started: paths, programs, data sets,
tokenizers, given ports. Everything is read once here and handed on."""

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from specbench.engines import ADAPTERS
from specbench.engines.contract import LaunchRequest
from specbench.errors import InputError
from specbench.launch.ports import check_port_free
from specbench.runner.drafters import drafter_notes
from specbench.runner.lengths import Lengths, prepare_lengths
from specbench.schema.plan import SweepPlan
from specbench.schema.prompt import Dataset
from specbench.schema.sweep import SweepSpec, Target
from specbench.workload.readers import load_dataset

DEFAULT_PROGRAMS = {"vllm": "vllm", "sim": "specbench"}
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
            if target.port is not None:
                check_port_free(HOST, target.port)
    check_arms(plan.spec, source)
    if will_launch:
        check_commands(plan, source)
    datasets = {name: load_dataset(name) for name in plan.spec.workload.datasets}
    lengths = prepare_lengths(plan.spec, datasets, source)
    notes: tuple[str, ...] = () if plan.is_aa else drafter_notes(plan.spec, os.environ)
    return Prepared(
        replace(plan, notes=(*plan.notes, *lengths.notes, *notes)), datasets, lengths
    )


def check_arms(spec: SweepSpec, source: str) -> None:
    """What the engine's adapter knows to be wrong with an arm."""
    for index, arm in enumerate(spec.arms):
        for target in spec.targets:
            try:
                ADAPTERS[target.engine].check_speculative(arm.speculative)
            except InputError as error:
                where = f"{source}: arms[{index}] ({arm.name})"
                raise InputError(f"{where}: {error.message}", error.hint) from error


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
    program = target.executable or DEFAULT_PROGRAMS.get(target.engine)
    if program is None or shutil.which(program) is not None:
        return
    path = Path(program)
    if path.is_file():
        raise InputError(
            f"{where}.executable: {program} exists but is not executable",
            hint=f"chmod +x {program}",
        )
    looked = path.absolute() if path.parent != Path() else "the folders of PATH"
    raise InputError(
        f"{where}.executable: there is no program {program!r} (looked at {looked})",
        hint="install the engine in an environment of its own (`make engine-vllm-cpu`"
        " or `make engine-vllm`) and name its program, e.g. .venv-vllm/bin/vllm",
    )


def check_model(target: Target, where: str) -> None:
    """A model given as a path exists. `org/name` may be a name on a hub: that is
    left to the engine, unless its first part is a folder here."""
    model = target.model
    path = Path(model)
    parts = Path(model).parts
    is_path = (
        model.startswith(("/", "./", "../", "~"))
        or len(parts) > 2
        or (len(parts) == 2 and Path(parts[0]).is_dir())
    )
    if not is_path or path.exists():
        return
    raise InputError(
        f"{where}.model: there is no model folder {model!r} (looked at"
        f" {path.absolute()})",
        hint="`make model-smollm2` makes the demo's model; else give a folder with"
        " config.json, or a name on the hub such as org/name",
    )
