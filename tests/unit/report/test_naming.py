"""What conditions are called."""

from dataclasses import replace

from specbench.report.facts import LossyArm, TargetFacts
from specbench.report.naming import full_title, name_conditions
from specbench.schema.cell import CellKey, Condition
from specbench.schema.findings import RunFindings
from tests.golden.example_findings import example_facts
from tests.golden.synthetic import make_cell

CONDITION = Condition("small", "open", 0, 0.0, 4)
FAST = TargetFacts("fast", "Llama-8B", "2x NVIDIA H200", "SGLang 0.5.23")
SMALL = TargetFacts("small", "small", "1x Tesla T4", "vLLM 0.32.0")


def findings(*conditions: Condition) -> RunFindings:
    """A run with one cell under each condition."""
    cells = tuple(make_cell(CellKey(c, "baseline", 1), 10.0, 0.1) for c in conditions)
    return RunFindings(cells, (), (), (), (), ())


def test_only_what_differs_inside_the_run_is_said() -> None:
    naming = name_conditions(findings(CONDITION, replace(CONDITION, concurrency=8)))
    assert naming.condition(CONDITION) == "open"


def test_target_context_and_temperature_are_said_where_they_differ() -> None:
    other = Condition("big", "open", 512, 0.7, 4)
    naming = name_conditions(findings(CONDITION, other))
    assert naming.condition(CONDITION) == "small, open, context as is, temperature 0"
    assert naming.condition(other) == "big, open, context 512, temperature 0.7"


def test_an_arm_that_is_not_lossless_is_marked_in_its_title() -> None:
    facts = replace(
        example_facts(), lossy_arms=(LossyArm("small", "a", ("threshold = 0.9",)),)
    )
    assert full_title("a", CONDITION, facts).startswith("a (not lossless) · small")
    assert full_title("b", CONDITION, facts).startswith("b · small")
    other = replace(CONDITION, target="big")
    assert full_title("a", other, facts).startswith("a · big")


def test_full_title_leaves_nothing_out_but_an_unknown_engine() -> None:
    facts = example_facts()
    assert full_title("a", CONDITION, facts) == (
        "a · small · vLLM 0.32.0 · open · prompts as they are · temperature 0"
    )
    unknown = replace(facts, engines=())
    assert full_title("a", replace(CONDITION, context=512), unknown) == (
        "a · small · open · context 512 tokens · temperature 0"
    )


def test_the_other_arm_of_an_aa_run_is_named_as_what_it_is() -> None:
    title = full_title("aa", CONDITION, example_facts())
    assert title.startswith("aa (the baseline again) · small")


def test_of_several_targets_each_is_named_by_model_gpus_and_engine() -> None:
    facts = replace(example_facts(), targets=(FAST, SMALL))
    assert full_title("a", replace(CONDITION, target="fast"), facts) == (
        "a · fast · Llama-8B · 2x NVIDIA H200 · SGLang 0.5.23 · open · prompts as they"
        " are · temperature 0"
    )
    assert full_title("a", CONDITION, facts).startswith(
        "a · small · 1x Tesla T4 · vLLM 0.32.0 · open"
    )


def test_one_target_is_named_by_its_label_and_its_own_engine() -> None:
    facts = replace(example_facts(), targets=(FAST,), engines=())
    assert full_title("a", replace(CONDITION, target="fast"), facts).startswith(
        "a · fast · SGLang 0.5.23 · open"
    )


def test_a_target_of_which_nothing_is_known_is_what_all_of_the_run_was() -> None:
    facts = replace(example_facts(), engines=("vLLM 0.32.0", "SGLang 0.5.23"))
    target = facts.target("small")
    assert target.engine == "vLLM 0.32.0, SGLang 0.5.23"
    assert target.device == facts.device
