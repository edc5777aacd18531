"""Every adapter against what a real engine printed and sent. The captures lie beside
this file, with the version and the commands in their meta.toml; no engine is needed.
The adapters that speak vLLM's dialect are held to vLLM's captures."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from specbench.engines import ADAPTERS
from specbench.engines.contract import EngineAdapter, FactPages
from specbench.engines.vllm import METHODS, RESERVED
from specbench.engines.vllm_metrics import PREFIX
from specbench.errors import InputError
from specbench.schema.plan import AdmissionCaps
from specbench.schema.snapshot import EngineCounters, EngineGauges
from specbench.wire.completions import StreamReading, read_stream
from specbench.wire.prometheus import cut_to_prefix
from tests.unit.engines.requests import NGRAM, request

CAPTURES = Path(__file__).parent / "captures" / "vllm" / "0.32.0"
META: dict[str, Any] = tomllib.loads((CAPTURES / "meta.toml").read_text("utf-8"))

SPEAKERS = {n: a for n, a in ADAPTERS.items() if a.series_prefix == PREFIX}
dialect = pytest.mark.parametrize(
    "adapter", SPEAKERS.values(), ids=[f"read-by-{name}" for name in SPEAKERS]
)
both_arms = pytest.mark.parametrize("arm", ["baseline", "ngram"])


def text(name: str) -> str:
    return (CAPTURES / name).read_text("utf-8")


def stream(name: str) -> StreamReading:
    """Bytes as sent, one event a piece; the stamp is the number of the event."""
    events = (CAPTURES / name).read_bytes().split(b"\n\n")
    return read_stream((i, event + b"\n\n") for i, event in enumerate(events[:-1]))


def pages(arm: str) -> FactPages:
    return FactPages(
        version=text(f"{arm}/version.json"),
        models=text(f"{arm}/models.json"),
        metrics=text(f"{arm}/metrics-idle.txt"),
        log=text(f"{arm}/start.log"),
    )


@dialect
@both_arms
def test_facts_are_what_the_engine_said(adapter: EngineAdapter, arm: str) -> None:
    facts = adapter.read_facts(pages(arm))
    assert facts.version == META["version"]
    assert facts.model_id == META["served_model_name"]
    assert facts.max_model_len == 2048
    assert facts.kv_capacity_tokens == 93184
    assert facts.kv_max_concurrency == 45.5
    assert facts.max_num_seqs == 16
    assert facts.max_num_batched_tokens is None
    assert facts.prefix_caching is True


@dialect
@both_arms
def test_log_alone_tells_nearly_as_much(adapter: EngineAdapter, arm: str) -> None:
    facts = adapter.read_facts(FactPages(None, None, None, pages(arm).log))
    assert facts.version == META["version"]
    assert facts.kv_capacity_tokens == 93184
    assert facts.kv_max_concurrency == 45.5
    assert facts.max_num_seqs == 16
    assert facts.prefix_caching is True


@dialect
def test_notes_are_empty_where_nothing_was_changed(adapter: EngineAdapter) -> None:
    assert adapter.read_facts(pages("baseline")).notes == ()


@dialect
def test_notes_say_what_speculation_changed(adapter: EngineAdapter) -> None:
    scheduling, tokens, cpu = adapter.read_facts(pages("ngram")).notes
    assert scheduling == (
        "Async scheduling not supported with ngram-based speculative decoding and will"
        " be disabled."
    )
    assert tokens.startswith("max_num_scheduled_tokens is set to 2048 based on")
    assert cpu.startswith("Speculative decoding on CPU without Intel OpenMP")


def read_counters(
    adapter: EngineAdapter, name: str
) -> tuple[EngineCounters, EngineGauges]:
    page = text(name)
    whole = adapter.read_metrics(page)
    kept = adapter.read_metrics(cut_to_prefix(page, adapter.series_prefix))
    assert kept == whole, "a stored page says less than the page did"
    return whole


@dialect
def test_counters_of_the_speculating_arm(adapter: EngineAdapter) -> None:
    idle, _ = read_counters(adapter, "ngram/metrics-idle.txt")
    assert (idle.drafts, idle.draft_tokens, idle.accepted_tokens) == (0, 0, 0)
    assert list(idle.accepted_by_position or ()) == [0, 0, 0]
    load, gauges = read_counters(adapter, "ngram/metrics-load.txt")
    assert (load.drafts, load.draft_tokens, load.accepted_tokens) == (113, 338, 128)
    assert list(load.accepted_by_position or ()) == [54, 42, 32]
    assert (gauges.running, gauges.waiting) == (6, 0)
    assert gauges.kv_usage == pytest.approx(0.009628610729023435)
    after, gauges = read_counters(adapter, "ngram/metrics-after.txt")
    assert (after.drafts, after.draft_tokens, after.accepted_tokens) == (234, 701, 195)
    assert list(after.accepted_by_position or ()) == [116, 45, 34]
    assert (after.generation_tokens, after.prompt_tokens) == (763, 709)
    assert (after.prefix_queries, after.prefix_hits, after.preemptions) == (709, 0, 0)
    assert after.prefill_seconds == pytest.approx(3.199582195999483)
    assert after.inference_seconds == pytest.approx(39.04201134699929)
    assert (gauges.running, gauges.waiting, gauges.kv_usage) == (0, 0, 0)


@dialect
@pytest.mark.parametrize("moment", ["idle", "load", "after"])
def test_baseline_has_no_acceptance_rather_than_zero(
    adapter: EngineAdapter, moment: str
) -> None:
    counters, gauges = read_counters(adapter, f"baseline/metrics-{moment}.txt")
    assert counters.drafts is None
    assert counters.draft_tokens is None
    assert counters.accepted_tokens is None
    assert counters.accepted_by_position is None
    assert counters.generation_tokens == {"idle": 0, "load": 320, "after": 763}[moment]
    assert gauges.running == {"idle": 0, "load": 6, "after": 0}[moment]


REASONS = {
    "bad-flag": "unrecognized arguments: --no-such-flag",
    "bad-spec-json": "argument --speculative-config/-sc: Value",
    "missing-model": "HFValidationError: Repo id must be",
    "mtp-on-llama": "NotImplementedError: Unsupported speculative method: 'mtp'",
    "port-in-use": "OSError: [Errno 98] Address already in use",
    "suffix-no-arctic": "ImportError: Arctic Inference is required",
    "unknown-spec-key": "no_such_key\n  Unexpected keyword argument",
    "unknown-spec-method": "method\n  Input should be 'ngram', 'medusa'",
    "kv-cache-too-small": "ValueError: To serve at least one request",
}


@dialect
@pytest.mark.parametrize("failure", REASONS)
def test_cause_of_a_failed_start_is_found(adapter: EngineAdapter, failure: str) -> None:
    cause = adapter.find_cause(text(f"start-failures/{failure}.log"))
    assert REASONS[failure] in cause
    assert "Traceback" not in cause
    assert "See root cause above" not in cause


def test_every_failed_start_has_its_reason_and_its_command() -> None:
    files = {path.stem for path in (CAPTURES / "start-failures").iterdir()}
    assert files == set(REASONS) == set(META["start-failures"])


@both_arms
def test_chat_stream_is_read(arm: str) -> None:
    reading = stream(f"{arm}/chat.sse")
    assert reading.error is None
    said = "".join(chunk.text for chunk in reading.chunks)
    assert said == "The quick brown fox jumps over the lazy dog."
    assert (reading.prompt_tokens, reading.output_tokens) == (54, 11)
    assert reading.finish_reason == "stop"
    assert reading.chunks[0].text == ""
    assert reading.chunks[0].tokens_so_far == 0
    assert reading.chunks[-1].tokens_so_far == 11
    assert reading.speculation is None


def test_speculating_chat_has_several_tokens_in_a_chunk() -> None:
    counts = [chunk.tokens_so_far for chunk in stream("ngram/chat.sse").chunks]
    assert counts == [0, 1, 2, 3, 7, 10, 11]


def test_completions_stream_counts_more_tokens_than_chunks() -> None:
    reading = stream("ngram/completions.sse")
    assert reading.error is None
    assert reading.output_tokens is not None
    assert reading.output_tokens > len(reading.chunks)
    assert reading.chunks[-1].tokens_so_far == reading.output_tokens


@pytest.mark.parametrize(
    ("name", "steps", "drafted", "accepted"),
    [
        ("dynamic/stream-interval-8.sse", 21, 62, 24),
        ("ngram/chat-request-metrics.sse", 6, 14, 13),
    ],
)
def test_figures_of_the_request_are_kept(
    name: str, steps: int, drafted: int, accepted: int
) -> None:
    figures = stream(name).speculation
    assert figures is not None
    assert figures["num_spec_steps"] == steps
    assert figures["num_draft_tokens"] == drafted
    assert figures["num_accepted_draft_tokens"] == accepted


def test_engine_that_died_leaves_an_error_in_its_streams() -> None:
    reading = stream("died/stream.sse")
    assert reading.error is not None
    assert reading.error.startswith("EngineCore encountered an issue.")
    assert len(reading.chunks) == 4
    assert reading.is_done


def test_every_flag_that_is_passed_is_one_of_the_engine() -> None:
    known = set(text("flags.txt").split())
    command = ADAPTERS["vllm"].command(
        request(
            {"max_model_len": 2048, "enforce-eager": True},
            speculative=NGRAM,
            caps=AdmissionCaps(max_num_seqs=16, max_num_batched_tokens=2048),
            tensor_parallel=2,
            help_text=text("flags.txt"),
        )
    )
    passed = {part for part in command.argv if part.startswith("--")}
    assert len(passed) == 11
    assert passed <= known


def test_every_flag_that_is_reserved_is_one_of_the_engine() -> None:
    assert {f"--{flag}" for flag in RESERVED} <= set(text("flags.txt").split())


def test_methods_are_those_that_the_engine_lists() -> None:
    """The log of a refused method names all of them."""
    cause = text("start-failures/unknown-spec-method.log")
    listed = cause.partition("Input should be ")[2].partition(" [type=")[0]
    names = [name for name in listed.split("'") if name.strip(" ,or")]
    assert sorted(METHODS) == sorted(names)


def test_speculation_that_the_engine_refused_is_refused_before() -> None:
    with pytest.raises(InputError, match="warp"):
        ADAPTERS["vllm"].check_speculative(json.loads('{"method": "warp"}'))
