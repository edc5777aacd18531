"""Arms that are for some of the targets only."""

from specbench.planning.arms import count_arms, speculating_arms, speculation_of_arms
from specbench.planning.expand import plan_sweep
from tests.unit.planning.sweep_texts import SOUND, TWO_TARGETS, complaint, read

OTHER = '\n[[arms]]\nname = "{name}"\nspeculative = {{ method = "x" }}\n'


def arm(name: str, *targets: str) -> str:
    """One more arm, for these targets."""
    named = f"targets = {list(targets)}\n".replace("'", '"') if targets else ""
    return OTHER.format(name=name) + named


def test_an_arm_is_launched_on_the_targets_that_it_is_for() -> None:
    spec = read(TWO_TARGETS + arm("only", "large"), "measure.replicates=1")
    launches = [(x.target.label, x.arm) for x in plan_sweep(spec).launches]
    assert launches == [
        ("small", "baseline"),
        ("small", "k3"),
        ("large", "baseline"),
        ("large", "k3"),
        ("large", "only"),
    ]
    assert count_arms(spec) == {"small": 2, "large": 3}
    assert speculating_arms(spec, "small") == ("k3",)


def test_arms_of_two_engines_may_have_one_name_and_words_of_their_own() -> None:
    text = TWO_TARGETS.replace('name = "k3"', 'name = "k3"\ntargets = ["small"]')
    spec = read(text + arm("k3", "large"))
    of_small = speculation_of_arms(spec, target="small")
    of_large = speculation_of_arms(spec, target="large")
    assert of_small["k3"] == {"method": "ngram"}
    assert of_large["k3"] == {"method": "x"}


def test_arms_that_share_a_target_have_names_of_their_own() -> None:
    assert complaint(TWO_TARGETS + arm("k3", "large")) == (
        'sweeps/x.toml: arms[1].name: "k3" is already the name of arms[0]'
    )


def test_an_arm_is_for_targets_that_are_there_each_once() -> None:
    assert complaint(TWO_TARGETS + arm("b", "larg")) == (
        'sweeps/x.toml: arms[1].targets[0]: no target has the label "larg"; did you'
        ' mean "large"?'
    )
    assert complaint(TWO_TARGETS + arm("b", "9")) == (
        'sweeps/x.toml: arms[1].targets[0]: no target has the label "9"; there are'
        ' "small", "large"'
    )
    assert complaint(TWO_TARGETS + arm("b", "large", "large")) == (
        'sweeps/x.toml: arms[1].targets[1]: "large" is there already'
    )


def test_every_target_has_an_arm_to_compare() -> None:
    text = TWO_TARGETS.replace('name = "k3"', 'name = "k3"\ntargets = ["small"]')
    assert complaint(text) == (
        'sweeps/x.toml: arms: no arm is for the target "large": there would be nothing'
        " to compare its baseline with"
    )


def test_an_aa_run_leaves_all_arms_out_on_every_target() -> None:
    spec = read(TWO_TARGETS + arm("only", "large"))
    assert count_arms(spec, is_aa=True) == {"small": 2, "large": 2}


def test_an_arm_of_a_sweep_with_one_target_needs_no_targets() -> None:
    assert speculating_arms(read(SOUND), "Some-Model-8B") == ("ngram-k3",)
