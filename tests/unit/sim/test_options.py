"""Flags of the simulator: read into seconds, refused by name."""

import json
from pathlib import Path

import pytest

from specbench.errors import ExitCode, InputError
from specbench.sim.config import SimSpeculation
from specbench.sim.dialect import Dialect
from specbench.sim.options import parse_sim_flags
from specbench.sim.output_length import OutputLength
from specbench.sim.stream_interval import StreamInterval


def _speculative(**changes: object) -> list[str]:
    document: dict[str, object] = {
        "method": "sim",
        "num_speculative_tokens": 3,
        "acceptance": [0.8, 0.7, 0.6],
        "draft_ms": 1.5,
    }
    document.update(changes)
    present = {key: value for key, value in document.items() if value is not None}
    return ["--speculative-config", json.dumps(present)]


def test_without_flags_it_is_a_baseline() -> None:
    options = parse_sim_flags([])
    assert options.config.speculation is None
    assert (options.output_length, options.truth_log) == (None, None)
    assert options.dialect is Dialect.VLLM
    assert options.stream_interval == StreamInterval(1)
    assert options.faults.faults == ()


def test_every_flag_arrives_in_its_place() -> None:
    options = parse_sim_flags(
        [
            *("--host", "::1", "--port", "0", "--served-model-name", "m"),
            *("--max-num-seqs", "7", "--max-model-len", "99", "--seed", "5"),
            *("--step-base-ms", "10", "--step-per-sequence-ms", "0.5"),
            *("--step-per-token-ms=0.25", "--prefill-per-token-ms=0"),
            *("--output-tokens", "12", "--truth-log", "/t/log.jsonl"),
            *("--output-tokens-spread", "0.5", "--stream-interval", "random"),
            *("--dialect", "sglang", "--decode-log-interval", "8"),
            *("--kv-capacity-tokens", "640", "--block-size", "32"),
            *("--enable-prefix-caching", "--data-parallel-size", "2"),
            *("--max-num-batched-tokens", "512"),
            *("--step-per-context-token-ms", "0.001"),
            *_speculative(),
        ]
    )
    config = options.config
    assert (options.host, options.port, options.model_name) == ("::1", 0, "m")
    assert (config.max_num_seqs, config.max_model_len, options.seed) == (7, 99, 5)
    assert config.cost.base_s == pytest.approx(0.010)
    assert config.cost.per_sequence_s == pytest.approx(0.0005)
    assert config.cost.per_token_s == pytest.approx(0.00025)
    assert config.cost.prefill_per_token_s == 0
    assert config.cost.per_context_token_s == pytest.approx(1e-6)
    assert (config.kv_capacity_tokens, config.block_size) == (640, 32)
    assert (config.prefix_caching, config.ranks) == (True, 2)
    assert config.max_num_batched_tokens == 512
    assert options.output_length == OutputLength(12, 0.5)
    assert options.stream_interval == StreamInterval(None)
    assert (options.dialect, options.decode_log_interval) == (Dialect.SGLANG, 8)
    assert options.truth_log == Path("/t/log.jsonl")
    assert config.speculation == SimSpeculation(3, (0.8, 0.7, 0.6), 0.0015)


def test_a_drafter_may_cost_by_the_sequence() -> None:
    options = parse_sim_flags(_speculative(draft_per_sequence_ms=0.5))
    assert options.config.speculation is not None
    assert options.config.speculation.draft_per_sequence_s == pytest.approx(0.0005)


def test_faults_may_be_given_one_by_one_or_as_a_list() -> None:
    cut = '{"kind": "cut", "request": 1}'
    hang = '{"kind": "hang", "request": 2}'
    one_by_one = parse_sim_flags(["--fault", cut, "--fault", hang])
    assert parse_sim_flags(["--fault", f"[{cut}, {hang}]"]) == one_by_one
    assert len(one_by_one.faults.faults) == 2
    assert parse_sim_flags([]).faults.faults == ()  # no default that grows


def test_a_single_rate_holds_for_every_position() -> None:
    options = parse_sim_flags(_speculative(acceptance=[0.5], draft_ms=None))
    assert options.config.speculation == SimSpeculation(3, (0.5, 0.5, 0.5), 0.0)


@pytest.mark.parametrize(
    ("argv", "names"),
    [
        (["--max-num-seq", "4"], "--max-num-seq"),  # no guessing from beginnings
        (["--max-num-seqs", "0"], "--max-num-seqs"),
        (["--port", "70000"], "--port"),
        (["--port", "x"], "--port"),
        (["--step-base-ms", "-1"], "--step-base-ms"),
        (["--step-base-ms", "nan"], "--step-base-ms"),
        (["--output-tokens", "0"], "--output-tokens"),
        (["extra"], "extra"),
        (["--output-tokens-spread", "0.5"], "--output-tokens"),
        (["--output-tokens-spread", "-1", "--output-tokens=9"], "spread"),
        (["--output-tokens-spread", "nan", "--output-tokens=9"], "spread"),
        (["--dialect", "trt"], "--dialect"),
        (["--stream-interval", "0"], "--stream-interval"),
        (["--stream-interval", "few"], "--stream-interval"),
        (["--block-size", "0"], "--block-size"),
        (["--data-parallel-size", "0"], "--data-parallel-size"),
        (["--fault", "{"], "not valid JSON"),
        (_speculative(draft_per_sequence_ms=-1), "`draft_per_sequence_ms`"),
        (["--speculative-config", "{"], "not valid JSON"),
        (["--speculative-config", "[]"], "JSON object"),
        (_speculative(method="eagle3"), "`method`"),
        (_speculative(method=None), "`method`"),
        (_speculative(num_speculative_tokens=0), "`num_speculative_tokens`"),
        (_speculative(num_speculative_tokens=True), "`num_speculative_tokens`"),
        (_speculative(num_speculative_tokens=None), "`num_speculative_tokens`"),
        (_speculative(acceptance=[0.5, 0.5]), "`acceptance` has 2 rates for 3"),
        (_speculative(acceptance=[63.3]), "`acceptance`"),
        (_speculative(acceptance=[]), "`acceptance`"),
        (_speculative(acceptance=0.5), "`acceptance`"),
        (_speculative(acceptance=None), "`acceptance`"),
        (_speculative(draft_ms=-1), "`draft_ms`"),
        (_speculative(draft_ms="1"), "`draft_ms`"),
        (_speculative(acceptence=[0.5]), "unknown key `acceptence`"),
    ],
)
def test_what_cannot_be_used_is_named(argv: list[str], names: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_sim_flags(argv)
    assert names in caught.value.message
    assert caught.value.hint
    assert caught.value.exit_code is ExitCode.BAD_INPUT
