"""How long prompts really were."""

from specbench.analysis.cell import summarise_cell
from specbench.analysis.prompt_length import prompt_length
from specbench.schema.cell import CellKey
from specbench.schema.findings import PromptLength
from specbench.schema.sample import RequestSample, Role
from tests.factories import chunk, condition, failed_sample, observations, sample


def asked(tokens: int | None, **changes: object) -> RequestSample:
    return sample([chunk(10, 1)], prompt_tokens=tokens, **changes)


def test_the_prompt_that_is_furthest_off_decides_either_way() -> None:
    long = prompt_length([asked(1000), asked(1010), asked(996)], 1000)
    assert long == PromptLength(1002, 996, 1010, 0.01)
    short = prompt_length([asked(1000), asked(1010), asked(950)], 1000)
    assert short is not None
    assert short.worst_off == 0.05


def test_nothing_is_off_where_no_length_was_asked_for() -> None:
    length = prompt_length([asked(120), asked(80)], 0)
    assert length == PromptLength(100.0, 80, 120, None)


def test_what_the_server_did_not_count_is_left_out() -> None:
    assert prompt_length([asked(None), asked(90)], 0) == PromptLength(90, 90, 90, None)
    assert prompt_length([asked(None)], 100) is None
    assert prompt_length([], 100) is None


def test_a_cell_is_flagged_where_its_prompts_are_not_of_its_context() -> None:
    """Warm-up and failed requests do not count."""
    key = CellKey(condition(context=100), "baseline", 1)
    samples = [
        asked(300, role=Role.WARMUP, index=0),
        asked(101, index=1),
        failed_sample(prompt_tokens=400, index=2),
    ]
    good = summarise_cell(observations(samples, key=key))
    assert good.prompt_length == PromptLength(101, 101, 101, 0.01)
    assert "context-off" not in [f.code for f in good.findings]
    off = summarise_cell(observations([*samples, asked(97, index=3)], key=key))
    assert "context-off" in [f.code for f in off.findings]
