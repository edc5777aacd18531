"""What the drafters of a sweep say of themselves in their config files, where those are
on this machine."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from specbench.engines.drafters import drafter_model, position_limit
from specbench.planning.capacity import beyond_drafter
from specbench.schema.sweep import Arm, SweepSpec
from specbench.workload.model_files import find_model_file

CONFIG = "config.json"


def drafter_notes(spec: SweepSpec, environ: Mapping[str, str]) -> tuple[str, ...]:
    """A sentence for each arm whose drafter does not know all positions that the sweep
    asks for. A warning: what happens beyond them is measured."""
    return tuple(note for arm in spec.arms for note in _notes(arm, spec, environ))


def _notes(arm: Arm, spec: SweepSpec, environ: Mapping[str, str]) -> Iterator[str]:
    model = drafter_model(arm.speculative)
    positions = position_limit(
        read_config(model, environ) if model else {}, arm.speculative
    )
    if positions is None:
        return
    work = spec.workload
    beyond = beyond_drafter(work.context, work.max_tokens, positions)
    if beyond is not None:
        yield f"{arm.name}: the drafter{f' {model}' if model else ''} {beyond}"


def read_config(model: str, environ: Mapping[str, str]) -> dict[str, Any]:
    """The config of a model; empty where it is not here or cannot be read."""
    try:
        file = find_model_file(model, CONFIG, environ)
        config = json.loads(file.read_text("utf-8")) if file else {}
    except (OSError, ValueError):
        return {}
    return config if isinstance(config, dict) else {}
