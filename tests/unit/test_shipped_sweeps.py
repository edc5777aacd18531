"""The sweep files that come along are valid and plan what their comments say."""

from pathlib import Path

import pytest

from specbench.engines import ADAPTERS
from specbench.planning.expand import plan_sweep
from specbench.planning.read_sweep import read_sweep

SWEEPS = sorted((Path(__file__).parents[2] / "sweeps").glob("*.toml"))


@pytest.mark.parametrize("path", SWEEPS, ids=lambda path: path.stem)
def test_a_shipped_sweep_is_valid_and_its_arms_are_known(path: Path) -> None:
    spec = read_sweep(path, engines=tuple(ADAPTERS))
    plan = plan_sweep(spec)
    assert plan.cell_count > 0
    for arm in spec.arms:
        for target in (t for t in spec.targets if arm.is_for(t.label)):
            ADAPTERS[target.engine].check_speculative(arm.speculative)


@pytest.mark.parametrize("path", SWEEPS, ids=lambda path: path.stem)
def test_a_shipped_sweep_starts_with_a_baseline_and_balances_the_arms(
    path: Path,
) -> None:
    plan = plan_sweep(read_sweep(path))
    arms = [launch.arm for launch in plan.launches]
    assert arms[0] == "baseline"
    assert len({arms.count(arm) for arm in arms}) == 1


@pytest.mark.parametrize(
    "path",
    [p for p in SWEEPS if not p.stem.startswith("sim")],
    ids=lambda path: path.stem,
)
def test_real_engines_get_every_admission_cap_explicitly(path: Path) -> None:
    for launch in plan_sweep(read_sweep(path)).launches:
        assert launch.caps.max_num_seqs >= 1
        if launch.target.engine == "sglang":  # it has no such cap
            assert "chunked-prefill-size" in launch.target.args
        else:
            assert launch.caps.max_num_batched_tokens is not None


def test_the_demo_measures_what_it_promises() -> None:
    (path,) = [p for p in SWEEPS if p.stem == "cpu-demo"]
    spec = read_sweep(path)
    assert {1, 2, 4, 8, 16} <= set(spec.load.concurrencies)
    assert spec.workload.turns == "first"
    order = [launch.arm for launch in plan_sweep(spec).launches]
    pair = ["baseline", "ngram-k3"]
    assert order == [*pair, *pair[::-1], *pair]
