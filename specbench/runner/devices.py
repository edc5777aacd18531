"""What launches computed on, in words; and of each target of a run which model, GPUs
and engine it was."""

from collections.abc import Sequence
from dataclasses import replace

from specbench.report.facts import TargetFacts
from specbench.runner.placement import with_gpus
from specbench.schema.host import HostFacts
from specbench.schema.record import LaunchRecord
from specbench.schema.sweep import SweepSpec, Target


def target_facts(
    spec: SweepSpec, launches: Sequence[LaunchRecord], host: HostFacts | None
) -> tuple[TargetFacts, ...]:
    """Of every target, as its launches tell it."""
    return tuple(
        _of_target(target, [r for r in launches if r.target == target.label], host)
        for target in spec.targets
    )


def _of_target(
    target: Target, launches: Sequence[LaunchRecord], host: HostFacts | None
) -> TargetFacts:
    ready = [record.facts for record in launches if record.facts is not None]
    # places may differ where the sweep file insists on running side by side
    devices = [launch_device(host, r.gpus) for r in launches if host and r.gpus]
    return TargetFacts(
        label=target.label,
        model=target.model_name,
        device=" or ".join(dict.fromkeys(devices))
        or device_words(host, is_cpu=target.device == "cpu"),
        engine=f"{ready[-1].engine} {ready[-1].version or '?'}"
        if ready
        else target.engine,
    )


def launch_device(host: HostFacts, gpus: tuple[str, ...]) -> str:
    """What one launch computes on."""
    if not gpus:
        return device_words(host, is_cpu=True)
    own = with_gpus(host, gpus)
    if not own.gpus:
        return f"{len(gpus)} GPU{'' if len(gpus) == 1 else 's'} of an unknown kind"
    return device_words(own, is_cpu=False)


def device_words(host: HostFacts | None, *, is_cpu: bool) -> str:
    """What computed, for captions."""
    if host is None:
        return "servers on hardware that is not known here"
    if host.gpus and not is_cpu:
        return host.device
    host = replace(host, gpus=())
    count = f"{host.cpu_count} cores of " if host.cpu_count else ""
    return f"{count}{host.device}"
