from specbench.schema.sweep import Load, Workload
from specbench.search.grid import grid_conditions


def test_grid_measures_every_combination_once_with_rising_loads() -> None:
    work = Workload(datasets=["b", "a"], context=[512, 0], temperature=[0.5])
    found = grid_conditions("model", work, Load(concurrency=[8, 2]))
    assert [(c.dataset, c.context, c.concurrency) for c in found] == [
        ("b", 512, 2),
        ("b", 512, 8),
        ("b", 0, 2),
        ("b", 0, 8),
        ("a", 512, 2),
        ("a", 512, 8),
        ("a", 0, 2),
        ("a", 0, 8),
    ]
    assert {(c.target, c.temperature) for c in found} == {("model", 0.5)}
