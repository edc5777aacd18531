"""The truth log says what happened, in agreement with what was sent and counted."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from specbench.errors import InputError
from specbench.sim.server import SimServer
from specbench.sim.truth_log import TruthLog
from tests.unit.sim.served import (
    DRAFTER,
    ask,
    chat_call,
    http_call,
    log_lines,
    run_server,
    sim_options,
    stream_events,
)


def _calls(*prompts: str) -> list[bytes]:
    return [http_call("/v1/chat/completions", chat_call(p)) for p in prompts]


def _played(path: Path, flags: tuple[str, ...], calls: list[bytes]) -> list[Any]:
    """Answers to calls made one after another; the log lies at `path` then."""
    with TruthLog.open(path) as truth:
        return run_server(
            sim_options(*flags), lambda server: ask(server, *calls), truth
        )


def test_the_first_line_says_what_is_simulated(tmp_path: Path) -> None:
    path = tmp_path / "log"
    _played(path, ("--max-num-seqs=9", "--seed=4"), _calls("a"))
    first = json.loads(path.read_text().splitlines()[0])
    assert (first["kind"], first["pid"], first["seed"]) == ("server", os.getpid(), 4)
    assert first["config"]["max_num_seqs"] == 9


def test_steps_add_up_to_the_requests(tmp_path: Path) -> None:
    path = tmp_path / "log"
    answers = _played(path, DRAFTER, _calls("a", "b b"))
    requests, steps = log_lines(path, "request"), log_lines(path, "step")
    assert sum(step["output_tokens"] for step in steps) == 12
    assert sum(step["prefill_tokens"] for step in steps) == 2 + 3
    histogram = [request["acceptance_histogram"] for request in requests]
    assert histogram == [[0, 3, 0]] * 2
    assert sum(step["drafts"] for step in steps) == 6
    assert sum(step["draft_tokens"] for step in steps) == sum(
        request["draft_tokens"] for request in requests
    )
    by_position = [sum(x) for x in zip(*_by_position(steps), strict=True)]
    assert by_position == [6, 0]
    for step in steps:
        assert step["began_ns"] < step["ended_ns"] <= step["played_ns"]
    usage = stream_events(answers[0][1])[-1]["usage"]
    assert requests[0]["output_tokens"] == usage["completion_tokens"]


def _by_position(steps: list[dict[str, Any]]) -> list[list[int]]:
    return [step["accepted_by_position"] for step in steps]


def test_each_rendering_of_the_metrics_is_written_down(tmp_path: Path) -> None:
    path = tmp_path / "log"
    page = http_call("/metrics", None)
    calls = [page, *_calls("a"), page]
    answers = _played(path, ("--data-parallel-size=2",), calls)
    before, after = log_lines(path, "metrics")
    assert [engine["rank"] for engine in after["engines"]] == [0, 1]
    made = [
        sum(engine["counters"]["generation_tokens"] for engine in line["engines"])
        for line in (before, after)
    ]
    assert made == [0, 6]
    assert (
        b'vllm:generation_tokens_total{engine="0",model_name="sim"} 6.0'
        in (answers[-1][1])
    )
    (request,) = log_lines(path, "request")
    assert before["instant_ns"] < request["received_ns"] < after["instant_ns"]


def test_in_a_folder_it_is_named_after_the_process(tmp_path: Path) -> None:
    with TruthLog.open(tmp_path) as log:
        log.add_server({})
    assert log_lines(tmp_path / f"{os.getpid()}.jsonl", "server")


def test_a_place_that_cannot_be_written_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--truth-log"):
        TruthLog.open(tmp_path / "absent" / "log.jsonl")


def test_lines_are_on_disk_after_a_flush_and_not_twice(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with TruthLog.open(path) as log:
        log.add_metrics(5, [])
        assert path.read_bytes() == b""
        log.flush()
        log.flush()
        assert len(log_lines(path, "metrics")) == 1
    assert len(log_lines(path, "metrics")) == 1


def test_a_request_on_one_rank_does_not_wait_for_another_rank(tmp_path: Path) -> None:
    path = tmp_path / "log"
    flags = ("--data-parallel-size=2", "--prefill-per-token-ms=1")

    async def play(server: SimServer) -> None:
        long, short = _calls("word " * 200, "a")
        first = asyncio.ensure_future(ask(server, long))
        while not server.engine.running:
            await ask(server, http_call("/health", None))
        await ask(server, short)
        await first

    with TruthLog.open(path) as truth:
        run_server(sim_options(*flags), play, truth)
    first, second = log_lines(path, "request")
    # The short one, sent second, was over before the long one's first token.
    assert first["prompt_tokens"] < second["prompt_tokens"]
    assert first["chunks"][-1][0] < second["chunks"][1][0]
    assert {step["rank"] for step in log_lines(path, "step")} == {0, 1}
