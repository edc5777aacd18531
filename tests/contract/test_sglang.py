"""The SGLang adapter against what a real SGLang 0.5.23 printed and sent. The captures
lie beside this file, with the version and the commands in their meta.toml; no engine is
needed."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from specbench.engines.contract import FactPages
from specbench.engines.sglang import RESERVED, SglangAdapter
from specbench.engines.sglang_facts import CPU_GREEDY
from specbench.engines.sglang_flags import ARM_FLAGS, LISTS, NEGATABLE, arm_flag
from specbench.engines.sglang_methods import KEYS
from specbench.errors import InputError
from specbench.schema.snapshot import EngineCounters, EngineGauges
from specbench.wire.completions import StreamReading, read_stream
from specbench.wire.prometheus import cut_to_prefix
from tests.unit.engines.requests import request
from tests.unit.engines.test_sglang import CHAIN, TABLE

CAPTURES = Path(__file__).parent / "captures" / "sglang" / "0.5.23"
META: dict[str, Any] = tomllib.loads((CAPTURES / "meta.toml").read_text("utf-8"))
ARMS: dict[str, dict[str, Any]] = META["arms"]
FLAGS = frozenset((CAPTURES / "flags.txt").read_text("utf-8").split())
SGLANG = SglangAdapter()

every_arm = pytest.mark.parametrize("arm", sorted(ARMS))


def text(name: str) -> str:
    return (CAPTURES / name).read_text("utf-8")


def optional(name: str) -> str | None:
    return text(name) if (CAPTURES / name).exists() else None


def pages(arm: str) -> FactPages:
    return FactPages(
        version=None,
        models=text(f"{arm}/models.json"),
        metrics=text(f"{arm}/metrics-idle.txt"),
        log=text(f"{arm}/start.log"),
        info=optional(f"{arm}/server-info.json"),
    )


def stream(name: str) -> StreamReading:
    """Bytes as sent, one event a piece; the stamp is the number of the event."""
    events = (CAPTURES / name).read_bytes().split(b"\n\n")
    return read_stream((i, event + b"\n\n") for i, event in enumerate(events[:-1]))


def read_metrics(name: str) -> tuple[EngineCounters, EngineGauges]:
    page = text(name)
    whole = SGLANG.read_metrics(page)
    kept = SGLANG.read_metrics(cut_to_prefix(page, SGLANG.series_prefix))
    assert kept == whole, "a stored page says less than the page did"
    return whole


def test_every_folder_of_captures_is_an_arm() -> None:
    folders = {path.name for path in CAPTURES.iterdir() if path.is_dir()}
    assert folders == {*ARMS, "start-failures"}


@every_arm
def test_facts_are_what_the_engine_said(arm: str) -> None:
    facts = SGLANG.read_facts(pages(arm))
    has_info = pages(arm).info is not None
    assert facts.version == (META["version"] if has_info else None)
    assert facts.model_id == ARMS[arm]["served_model_name"]
    assert facts.max_model_len == 8192
    assert facts.kv_capacity_tokens == 20000
    assert facts.max_num_seqs == 16
    assert facts.max_num_batched_tokens == 4096
    assert facts.prefix_caching is (True if has_info else None)
    assert facts.cuda_graph_max_tokens is None


@every_arm
def test_log_and_metrics_alone_tell_the_caps(arm: str) -> None:
    facts = SGLANG.read_facts(FactPages(None, None, None, pages(arm).log))
    assert facts.kv_capacity_tokens == 20000
    assert facts.max_num_seqs == 16
    assert facts.max_model_len == 8192
    metrics = pages(arm).metrics
    of_metrics = SGLANG.read_facts(FactPages(None, None, metrics, ""))
    assert of_metrics.kv_capacity_tokens == 20000


def notes_of(arm: str) -> tuple[str, ...]:
    notes = SGLANG.read_facts(pages(arm)).notes
    return tuple(note for note in notes if note != CPU_GREEDY)


def test_notes_are_empty_where_nothing_was_changed() -> None:
    assert SGLANG.read_facts(pages("base")).notes == ()


def test_notes_say_what_speculation_changed() -> None:
    overlap, width, mixed = notes_of("ngram")
    assert overlap.startswith("Overlap schedule is not implemented")
    assert width.startswith("speculative_num_draft_tokens is set to 12 by default")
    assert mixed.startswith("The mixed chunked prefill are disabled")
    assert CPU_GREEDY in SGLANG.read_facts(pages("ngram")).notes


def test_notes_say_which_steps_an_adaptive_drafter_chooses_from() -> None:
    assert any("candidate_steps=[1, 3, 5, 7]" in note for note in notes_of("adaptive"))


@every_arm
def test_counts_of_the_pages_only_grow(arm: str) -> None:
    before, _ = read_metrics(f"{arm}/metrics-idle.txt")
    if optional(f"{arm}/metrics-after.txt") is None:
        return
    after, gauges = read_metrics(f"{arm}/metrics-after.txt")
    for name in EngineCounters.__slots__:
        first, last = getattr(before, name), getattr(after, name)
        assert first is None or (last is not None and last >= first), name
    assert (gauges.running, gauges.waiting) == (0, 0)


@every_arm
def test_only_what_speculates_has_verify_passes(arm: str) -> None:
    if optional(f"{arm}/metrics-after.txt") is None:
        return
    after, _ = read_metrics(f"{arm}/metrics-after.txt")
    assert (after.verify_calls is None) is (arm == "base")
    assert after.drafts is None
    assert after.accepted_tokens is None
    assert after.requests_ended == 12


def test_counters_of_an_arm() -> None:
    """The figures of section 4 of the formats: 320 generated, 12 requests, 352 decoded,
    51 verifies."""
    after, gauges = read_metrics("ngram/metrics-after.txt")
    assert after.generation_tokens == 320
    assert after.prompt_tokens == 242
    assert after.decode_tokens == 352
    assert after.verify_calls == 51
    assert (after.prefix_queries, after.prefix_hits) == (245, 119)
    assert after.preemptions == 0
    assert gauges.kv_usage == 0


@every_arm
def test_streams_are_read_whole(arm: str) -> None:
    reading = stream(f"{arm}/completions.sse")
    assert reading.error is None
    assert reading.finish_reason == "length"
    assert reading.output_tokens == ARMS[arm].get("max_tokens", 24)


@pytest.mark.parametrize("arm", sorted(set(ARMS) - {"base"}))
def test_figures_of_a_request_are_read(arm: str) -> None:
    """They agree with one another: each verify pass gives what it accepted and one
    token of the target's own, and a stop cuts the last pass at most."""
    reading = stream(f"{arm}/completions.sse")
    assert reading.speculation is not None
    drafts = SGLANG.read_request(reading.speculation)
    assert drafts is not None
    assert drafts.steps is not None
    assert reading.output_tokens is not None
    given = 1 + drafts.steps + drafts.accepted_tokens
    assert given >= reading.output_tokens
    assert given - reading.output_tokens <= (drafts.longest_draft or 0) + 1


def test_a_baseline_says_nothing_of_drafts() -> None:
    assert stream("base/completions.sse").speculation is None


@pytest.mark.parametrize(
    "arm",
    [a for a in sorted(ARMS) if optional(f"{a}/completions-continuous-usage.sse")],
)
def test_running_counts_tell_the_tokens_of_each_chunk(arm: str) -> None:
    reading = stream(f"{arm}/completions-continuous-usage.sse")
    said = [chunk.tokens_so_far for chunk in reading.chunks if chunk.text]
    counts = [count for count in said if count is not None]
    assert counts == said == sorted(counts)
    assert counts[-1] == reading.output_tokens == 24


REASONS = {
    "adaptive-on-cpu": "NotImplementedError",
    "dflash-on-cpu": "ValueError: DFLASH speculative decoding is not supported by",
    "eagle3-draft-shape-mismatch": "RuntimeError: mat1 and mat2 shapes cannot be",
    "eagle3-steps-only": "TypeError: '>' not supported between instances of 'NoneType'",
    "eagle3-without-draft": "AttributeError: 'LlamaForCausalLM' object has no",
    "ngram-torch-native": "AttributeError: 'NoneType' object has no attribute 'shape'",
    "no-kernel-package": "ModuleNotFoundError: No module named 'sgl_kernel'",
    "standalone-torch-native": "ValueError: EAGLE is not supported in decode attention",
    "too-many-draft-tokens": "RuntimeError: selected index k out of range",
    "unknown-algorithm": "ValueError: Unknown speculative algorithm name: MTP",
}


@pytest.mark.parametrize("failure", REASONS)
def test_cause_of_a_failed_start_is_found(failure: str) -> None:
    """Its last lines say only that a child failed, and that it kills itself."""
    cause = SGLANG.find_cause(text(f"start-failures/{failure}.log"))
    assert REASONS[failure] in cause
    for remark in ("Traceback", "SIGQUIT", "sigquit", "kill_process_tree"):
        assert remark not in cause


def test_a_cause_without_a_message_says_where() -> None:
    cause = SGLANG.find_cause(text("start-failures/adaptive-on-cpu.log"))
    assert "in init_cuda_graph_state" in cause


def test_every_failed_start_has_its_reason_and_its_command() -> None:
    files = {path.stem for path in (CAPTURES / "start-failures").iterdir()}
    assert files == set(REASONS) == set(META["start-failures"])


# What the engine refused, or ran as something else, is refused before it is started.
@pytest.mark.parametrize(
    "speculative",
    [
        {"algorithm": "MTP"},
        {"algorithm": "EAGLE3", "draft_model_path": "h", "num_steps": 3},
        {"algorithm": "EAGLE3"},
        {**CHAIN, "eagle_topk": 2, "num_draft_tokens": 40},
    ],
)
def test_speculation_that_the_engine_refused_is_refused_before(
    speculative: dict[str, Any],
) -> None:
    with pytest.raises(InputError):
        SGLANG.check_speculative(speculative)


@every_arm
def test_arms_that_the_engine_served_pass(arm: str) -> None:
    speculative = ARMS[arm].get("speculative")
    if speculative is not None:
        SGLANG.check_speculative(speculative)


@every_arm
def test_the_engine_was_started_as_the_adapter_would(arm: str) -> None:
    """Each speculative flag of the captured command line is one that the adapter writes
    for the same arm, with the same value."""
    page = optional(f"{arm}/server-info.json")
    if page is None:
        return
    given = json.loads(page)["launch_command"].split()
    arm_words = SGLANG.command(
        request(speculative=ARMS[arm].get("speculative"), engine="sglang")
    ).argv
    for at, word in enumerate(given):
        if word.startswith("--speculative"):
            follows = given[at + 1 : at + 2]
            assert word in arm_words
            if follows and not follows[0].startswith("--"):
                value = arm_words[arm_words.index(word) + 1]
                assert value == follows[0]


def test_every_flag_that_is_passed_is_one_of_the_engine() -> None:
    arm = {**CHAIN, "adaptive_config": TABLE, "use_rejection_sampling": True}
    for device in ("cpu", "gpu"):
        command = SGLANG.command(
            request(
                {"context-length": 2048},
                speculative=arm,
                device=device,
                engine="sglang",
            )
        )
        passed = {part for part in command.argv if part.startswith("--")}
        assert passed <= FLAGS
        assert len(passed) > 15


def test_every_flag_that_is_known_is_one_of_the_engine() -> None:
    assert {f"--{flag}" for flag in (*RESERVED, *ARM_FLAGS)} <= FLAGS
    assert {f"--{flag}" for flag in NEGATABLE} <= FLAGS
    assert {f"--no-{flag}" for flag in NEGATABLE} <= FLAGS
    older = {"cuda-graph-bs"}
    assert {f"--{flag}" for flag in LISTS - older} <= FLAGS


def test_flags_that_can_be_negated_are_all_known() -> None:
    negated = {flag.removeprefix("--no-") for flag in FLAGS if flag.startswith("--no-")}
    assert negated == set(NEGATABLE)


def test_every_key_of_an_arm_is_a_flag_of_the_engine() -> None:
    for key in KEYS:
        assert f"--{arm_flag(key.name)}" in FLAGS


def test_names_that_became_two_are_gone() -> None:
    assert "--cuda-graph-max-bs" not in FLAGS
    assert "--cuda-graph-max-bs-decode" in FLAGS
