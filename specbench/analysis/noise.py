"""What an A/A run has shown of launch noise, pooled into what is kept for a machine."""

from collections.abc import Iterable, Mapping, Sequence

from specbench.schema.comparison import (
    ArmNoise,
    Component,
    LaunchNoise,
    NoiseKey,
    NoiseRecord,
    SpeedupMetric,
)
from specbench.schema.findings import RunFindings
from specbench.schema.sweep import AA, BASELINE


def noise_records(
    findings: RunFindings, target_facts: Mapping[str, NoiseKey]
) -> tuple[NoiseRecord, ...]:
    """One record for each target whose noise could be told, in the order of
    `target_facts` (by the target's label): both arms and all conditions together."""
    records = []
    for target, key in target_facts.items():
        found = [
            each
            for each in findings.noise
            if each.target == target and each.arm in (BASELINE, AA)
        ]
        pooled = tuple(_pool(found))
        if pooled:
            records.append(
                NoiseRecord(
                    target=target,
                    model=key.model,
                    engine=key.engine,
                    engine_version=key.engine_version,
                    device=key.device,
                    settings=key.settings,
                    run_id=key.run_id,
                    measured_utc=key.measured_utc,
                    noise=pooled,
                )
            )
    return tuple(records)


def _pool(found: Sequence[ArmNoise]) -> Iterable[LaunchNoise]:
    for metric in SpeedupMetric:
        same = [each.noise for each in found if each.noise.metric is metric]
        launch = _pool_launch(found, metric)
        cell = _pool_component([noise.cell for noise in same])
        if launch is not None and cell is not None:
            yield LaunchNoise(
                metric=metric,
                launch=launch,
                cell=cell,
                launches=max(noise.launches for noise in same),
                loads=max(noise.loads for noise in same),
            )


def _pool_launch(found: Sequence[ArmNoise], metric: SpeedupMetric) -> Component | None:
    """Of each arm the mean over conditions, which went through the same launches and so
    add no degrees of freedom; then the two arms together, which do."""
    by_arm = []
    for arm in (BASELINE, AA):
        same = [
            each.noise.launch
            for each in found
            if each.arm == arm and each.noise.metric is metric
        ]
        pooled = _pool_component(same)
        if pooled is not None:
            by_arm.append(Component(pooled.variance, max(c.df for c in same)))
    return _pool_component(by_arm)


def _pool_component(components: Sequence[Component]) -> Component | None:
    """The pooled variance: each weighted by its degrees of freedom, which add up. None
    without any."""
    df = sum(c.df for c in components)
    if df <= 0:
        return None
    return Component(sum(c.df * c.variance for c in components) / df, df)
