from collections import Counter
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from specbench.planning.expand import plan_sweep
from specbench.schema.plan import AdmissionCaps
from specbench.schema.sweep import (
    Arm,
    Load,
    Measure,
    SweepSpec,
    Target,
    Workload,
)
from tests.unit.planning.sweep_texts import SOUND, TWO_TARGETS, read

sweeps = st.builds(
    SweepSpec,
    targets=st.lists(
        st.builds(Target, model=st.sampled_from("abcdef"), engine=st.just("sim")),
        min_size=1,
        max_size=3,
        unique_by=lambda target: target.label,
    ),
    arms=st.lists(
        st.builds(
            Arm, name=st.sampled_from("xyz"), speculative=st.just({"method": "m"})
        ),
        min_size=1,
        max_size=3,
        unique_by=lambda arm: arm.name,
    ),
    workload=st.builds(
        Workload,
        datasets=st.lists(st.sampled_from("pqr"), min_size=1, unique=True),
        context=st.lists(st.integers(0, 99), min_size=1, max_size=2, unique=True),
        temperature=st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, unique=True),
    ),
    load=st.builds(
        Load,
        concurrency=st.lists(st.integers(1, 512), min_size=1, max_size=4, unique=True),
    ),
    measure=st.builds(Measure, replicates=st.integers(1, 4)),
)


@settings(max_examples=40)
@given(sweeps)
def test_each_cell_of_the_sweep_is_measured_exactly_once(spec: SweepSpec) -> None:
    plan = plan_sweep(spec)
    counts = Counter(cell for launch in plan.launches for cell in launch.cells)
    work = spec.workload
    points = len(work.datasets) * len(work.context) * len(work.temperature)
    points *= len(spec.load.concurrencies) * len(spec.targets)
    assert set(counts.values()) == {1}
    assert len(counts) == points * (len(spec.arms) + 1) * spec.measure.replicates
    assert plan.cell_count == len(counts)


@settings(max_examples=40)
@given(sweeps)
def test_all_launches_of_a_target_measure_the_same_conditions_in_one_order(
    spec: SweepSpec,
) -> None:
    plan = plan_sweep(spec)
    for target in spec.targets:
        orders = {
            tuple(cell.condition for cell in launch.cells)
            for launch in plan.launches
            if launch.target.label == target.label
        }
        assert len(orders) == 1


@settings(max_examples=40)
@given(sweeps)
def test_every_arm_of_a_target_gets_the_same_settings(spec: SweepSpec) -> None:
    plan = plan_sweep(spec)
    for target in spec.targets:
        launches = [x for x in plan.launches if x.target.label == target.label]
        assert len({x.caps for x in launches}) == 1
        assert all(x.target == launches[0].target for x in launches)


@settings(max_examples=40)
@given(sweeps)
def test_launches_are_numbered_in_the_order_in_which_they_run(
    spec: SweepSpec,
) -> None:
    indexes = [launch.index for launch in plan_sweep(spec).launches]
    assert indexes == list(range(1, len(indexes) + 1))


def test_launches_alternate_and_every_second_replicate_runs_backwards() -> None:
    extra = '[[arms]]\nname = "b"\nspeculative = { method = "x" }\n'
    plan = plan_sweep(read(SOUND + extra, "measure.replicates=3"))
    assert [(launch.arm, launch.replicate) for launch in plan.launches] == [
        ("baseline", 1),
        ("ngram-k3", 1),
        ("b", 1),
        ("b", 2),
        ("ngram-k3", 2),
        ("baseline", 2),
        ("baseline", 3),
        ("ngram-k3", 3),
        ("b", 3),
    ]


def test_targets_run_one_after_the_other() -> None:
    plan = plan_sweep(read(TWO_TARGETS, "measure.replicates=1"))
    labels = [launch.target.label for launch in plan.launches]
    assert labels == ["small", "small", "large", "large"]


def test_only_the_arms_speculate() -> None:
    plan = plan_sweep(read(SOUND))
    configs = {launch.arm: launch.speculative for launch in plan.launches}
    assert configs == {
        "baseline": None,
        "ngram-k3": {"method": "ngram", "num_speculative_tokens": 3},
    }


def test_cells_run_by_data_set_context_temperature_and_rising_load() -> None:
    spec = read(
        SOUND,
        'workload.datasets=["b", "a"]',
        "workload.context=[512, 0]",
        "workload.temperature=[1.0, 0.0]",
        "load.concurrency=[4, 1]",
    )
    cells = [cell.condition for cell in plan_sweep(spec).launches[0].cells]
    points = [(c.dataset, c.context, c.temperature, c.concurrency) for c in cells]
    assert points[:4] == [
        ("b", 512, 1.0, 1),
        ("b", 512, 1.0, 4),
        ("b", 512, 0.0, 1),
        ("b", 512, 0.0, 4),
    ]
    assert points[4][:2] == ("b", 0)
    assert points[8][:2] == ("a", 512)


def test_engine_is_told_to_admit_the_highest_load_where_the_sweep_says_nothing() -> (
    None
):
    launch = plan_sweep(read(SOUND)).launches[0]
    assert launch.caps == AdmissionCaps(max_num_seqs=16, max_num_batched_tokens=None)


def test_caps_of_the_sweep_have_one_source_and_leave_the_args() -> None:
    spec = read(
        SOUND, "target.args.max_num_seqs=64", "target.args.max-num-batched-tokens=8k"
    )
    launch = plan_sweep(spec).launches[0]
    assert launch.caps == AdmissionCaps(max_num_seqs=64, max_num_batched_tokens=8000)
    assert launch.target.args == {"max-model-len": 4096}
    assert "max_num_seqs" in spec.targets[0].args


def test_one_launch_at_a_time_is_a_wave_of_its_own() -> None:
    plan = plan_sweep(read(TWO_TARGETS, "measure.replicates=1"))
    assert [(launch.wave, launch.place) for launch in plan.launches] == [
        *[(0, 0), (1, 0)],
        *[(2, 0), (3, 0)],
    ]
    assert not plan.is_side_by_side
    assert plan.notes == ()


def test_arms_of_a_target_with_two_places_run_side_by_side_with_swapped_roles() -> None:
    plan = plan_sweep(read(SOUND), places={"Some-Model-8B": 2})
    assert plan.is_side_by_side
    assert [[launch.arm for launch in wave] for wave in plan.waves] == [
        ["baseline", "ngram-k3"],
        ["ngram-k3", "baseline"],
    ]
    assert [[launch.place for launch in wave] for wave in plan.waves] == [[0, 1]] * 2
    indexes = [launch.index for wave in plan.waves for launch in wave]
    assert indexes == [1, 2, 3, 4]
    assert plan.notes == ()


def test_places_are_those_of_each_target() -> None:
    plan = plan_sweep(read(TWO_TARGETS, "measure.replicates=2"), places={"large": 2})
    sizes = [len(wave) for wave in plan.waves]
    assert sizes == [1, 1, 1, 1, 2, 2]
    assert [wave[0].wave for wave in plan.waves] == list(range(6))


def test_launches_that_are_added_to_balance_the_places_are_told() -> None:
    plan = plan_sweep(read(SOUND, "measure.replicates=3"), places={"Some-Model-8B": 2})
    assert max(launch.replicate for launch in plan.launches) == 4
    (note,) = plan.notes
    assert note.startswith("Some-Model-8B: 4 launches of each arm instead of 3")


def test_an_aa_run_has_the_baseline_twice_and_none_of_the_sweeps_arms() -> None:
    plan = plan_sweep(read(SOUND), is_aa=True)
    assert plan.is_aa
    assert plan.arms == ("baseline", "aa")
    order = [launch.arm for launch in plan.launches]
    assert order == ["baseline", "aa", "aa", "baseline"]
    assert all(launch.speculative is None for launch in plan.launches)
    assert {cell.arm for x in plan.launches for cell in x.cells} == {"baseline", "aa"}
    assert plan.notes[0].startswith("an A/A run")


def test_targets_of_a_group_run_at_the_same_time_on_places_of_their_own() -> None:
    plan = plan_sweep(
        read(TWO_TARGETS, "measure.replicates=2"),
        places={"small": 2, "large": 2},
        together=[["small", "large"]],
    )
    waves = [[(x.target.label, x.arm, x.place) for x in wave] for wave in plan.waves]
    assert waves == [
        [
            *[("small", "baseline", 0), ("small", "k3", 1)],
            *[("large", "baseline", 2), ("large", "k3", 3)],
        ],
        [
            *[("small", "k3", 0), ("small", "baseline", 1)],
            *[("large", "k3", 2), ("large", "baseline", 3)],
        ],
    ]
    assert [launch.index for launch in plan.launches] == list(range(1, 9))


def test_a_target_with_more_waves_than_the_others_of_its_group_ends_alone() -> None:
    plan = plan_sweep(
        read(TWO_TARGETS, "measure.replicates=2"),
        places={"large": 2},
        together=[["small", "large"]],
    )
    labels = [[launch.target.label for launch in wave] for wave in plan.waves]
    assert labels == [["small", "large", "large"]] * 2 + [["small"]] * 2
    assert [wave[0].wave for wave in plan.waves] == [0, 1, 2, 3]


def test_all_targets_measure_the_same_loads_and_prompts() -> None:
    plan = plan_sweep(read(TWO_TARGETS), together=[["small", "large"]])
    conditions = {
        label: [
            replace(cell.condition, target="")
            for launch in plan.launches
            if launch.target.label == label
            for cell in launch.cells
        ]
        for label in ("small", "large")
    }
    assert conditions["small"] == conditions["large"]
