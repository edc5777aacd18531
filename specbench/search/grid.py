"""What to measure next: in a grid, everything, in one order that is the same in all
launches. `adaptive` answers the same question from what is known."""

from specbench.schema.cell import Condition
from specbench.schema.sweep import Load, Workload


def grid_conditions(
    target: str, workload: Workload, load: Load
) -> tuple[Condition, ...]:
    """All conditions of a target (its label). Loads rise, so that an engine that falls
    over under load has given its lower points by then."""
    return tuple(
        Condition(
            target=target,
            dataset=dataset,
            context=context,
            temperature=temperature,
            concurrency=concurrency,
            request_rate=rate,
        )
        for dataset in workload.datasets
        for context in workload.context
        for temperature in workload.temperature
        for concurrency, rate in _loads(load)
    )


def _loads(load: Load) -> tuple[tuple[int, float], ...]:
    """Concurrency and rate; one of the two is always 0."""
    if load.is_open:
        return tuple((0, rate) for rate in sorted(load.rates))
    return tuple((concurrency, 0.0) for concurrency in sorted(load.concurrencies))
