"""What the simulator sends has the keys and types of what the real engines sent: events
in the order of a stream, pages, names and labels of series."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

from specbench.sim.options import SimOptions
from specbench.sim.server import SimServer
from tests.unit.sim.served import (
    DRAFTER,
    ask,
    ask_once,
    chat_call,
    http_call,
    run_server,
    sim_options,
    stream_events,
)

_SGLANG = Path(__file__).parent / "sglang_0_5_23"
_VLLM = Path(__file__).parents[2] / "contract" / "captures" / "vllm" / "0.32.0"
_CHAT = "/v1/chat/completions"
_TEXT = "/v1/completions"
_LAST_ONLY = {"include_usage": True}


def _shape(value: Any) -> Any:
    """Keys in order and types; a list is what its first entry is, an int a number."""
    if isinstance(value, dict):
        return [(key, _shape(entry)) for key, entry in value.items()]
    if isinstance(value, list):
        return [_shape(value[0])] if value else []
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "number"
    return type(value).__name__


def _shapes(events: list[dict[str, Any]]) -> list[Any]:
    """Shapes of a stream's events, runs of equal ones as one."""
    shapes: list[Any] = []
    for event in events:
        if not shapes or _shape(event) != shapes[-1]:
            shapes.append(_shape(event))
    return shapes


def _captured(path: Path) -> list[dict[str, Any]]:
    return stream_events(path.read_bytes())


def _sent(options: SimOptions, path: str, **changes: Any) -> list[dict[str, Any]]:
    document = chat_call(**changes)
    if path == _TEXT:
        document["prompt"] = "one two"
    ((status, body),) = ask_once(options, http_call(path, document))
    assert status == 200
    return stream_events(body)


def _sglang(*flags: str) -> SimOptions:
    return sim_options("--dialect=sglang", "--decode-log-interval=1", *flags)


def test_a_vllm_chat_has_the_real_shape() -> None:
    real = _captured(_VLLM / "ngram" / "chat-request-metrics.sse")
    assert _shapes(_sent(sim_options(*DRAFTER), _CHAT)) == _shapes(real)


@pytest.mark.parametrize("folder", ["baseline", "ngram"])
def test_a_vllm_chat_without_request_metrics_has_the_real_shape(folder: str) -> None:
    real = _captured(_VLLM / folder / "chat.sse")
    # A natural end comes in a chunk without text there and here in the last with some.
    assert _shapes(_sent(sim_options(), _CHAT)) == _shapes(real)


def test_a_vllm_text_completion_has_the_real_shape() -> None:
    real = _captured(_VLLM / "ngram" / "completions.sse")
    assert _shapes(_sent(sim_options(), _TEXT)) == _shapes(real)


@pytest.mark.parametrize(
    ("name", "flags", "path", "changes"),
    [
        ("chat.sse", DRAFTER, _CHAT, {"stream_options": _LAST_ONLY}),
        ("chat-baseline.sse", (), _CHAT, {"stream_options": _LAST_ONLY}),
        ("completions.sse", DRAFTER, _TEXT, {"stream_options": _LAST_ONLY}),
        ("completions-usage.sse", DRAFTER, _TEXT, {}),
    ],
)
def test_an_sglang_stream_has_the_real_shape(
    name: str, flags: tuple[str, ...], path: str, changes: dict[str, Any]
) -> None:
    details = {} if name == "completions-usage.sse" else _DETAILS
    sent = _sent(_sglang(*flags), path, **changes, **details)
    assert _shapes(sent) == _shapes(_captured(_SGLANG / name))


_DETAILS = {"return_spec_tokens_details": True}


def test_sglangs_draft_figures_are_its_own() -> None:
    sent = _sent(_sglang(*DRAFTER), _CHAT, **_DETAILS)
    (details,) = [event["sglext"] for event in sent if "sglext" in event]
    # 6 tokens: 1 from the prompt, then steps of 2, 2 and a cut 1; k is 2.
    assert details["spec_tokens_details"] == {
        "spec_accept_rate": 0.5,
        "spec_accept_length": 2.0,
        "spec_cap_length": 0.0,
        "spec_block_accept_length": 0.0,
        "spec_num_correct_drafts": 3,
        "spec_num_proposed_drafts": 6,
        "spec_verify_ct": 3,
        "spec_correct_drafts_histogram": [0, 3, 0],
        "spec_cap_lens_histogram": [],
    }


def test_sglang_tells_draft_figures_only_when_asked() -> None:
    assert not any("sglext" in event for event in _sent(_sglang(*DRAFTER), _CHAT))


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/server_info", "server_info.json"),
        ("/get_server_info", "server_info.json"),
        ("/model_info", "model_info.json"),
        ("/get_model_info", "model_info.json"),
        ("/v1/models", "models.json"),
        ("/v1/loads?include=all", "loads.json"),
    ],
)
def test_sglangs_pages_have_keys_and_types_of_the_real_ones(
    path: str, name: str
) -> None:
    options = _sglang(*DRAFTER, "--kv-capacity-tokens=20000")
    calls = [http_call(_CHAT, chat_call()), http_call(path, None)]
    _, (status, body) = ask_once(options, *calls)
    assert status == 200
    _assert_within(json.loads(body), json.loads((_SGLANG / name).read_text()))


def _assert_within(ours: Any, real: Any) -> None:
    """Every key of ours is there too, with a value of the same type; what the real
    engine left null says nothing about types."""
    if real is None:
        return
    if isinstance(ours, dict):
        assert set(ours) <= set(real)
        for key, value in ours.items():
            _assert_within(value, real[key])
    elif isinstance(ours, list) and ours and real:
        _assert_within(ours[0], real[0])
    else:
        assert _shape(ours) == _shape(real) or [] in (ours, real)


def test_sglang_refuses_in_its_own_shape() -> None:
    ((status, body),) = ask_once(_sglang(), http_call(_CHAT, {"model": "sim"}))
    assert status == 400
    assert _shape(json.loads(body)) == _shape(
        json.loads((_SGLANG / "error.json").read_text())
    )


def _series(page: str) -> set[str]:
    """Name and label names of every series, buckets left out."""
    found = set()
    for line in page.splitlines():
        if not line.startswith("#") and "_bucket{" not in line:
            name, _, labels = line.partition("{")
            label_names = sorted(re.findall(r'(\w+)="', labels))
            found.add(f"{name} {','.join(label_names)}")
    return found


@pytest.mark.parametrize(
    ("flags", "name"), [(DRAFTER, "series.txt"), ((), "series-baseline.txt")]
)
def test_sglangs_series_have_the_real_names_and_labels(
    flags: tuple[str, ...], name: str
) -> None:
    calls = [http_call(_CHAT, chat_call()), http_call("/metrics", None)]
    _, (_, page) = ask_once(_sglang(*flags), *calls)
    ours = _series(page.decode())
    assert len(ours) > 20
    assert ours <= set((_SGLANG / name).read_text().splitlines())


def test_sglang_tells_its_ranks_apart() -> None:
    calls = [http_call(_CHAT, chat_call()), http_call("/metrics", None)]
    _, (_, page) = ask_once(_sglang("--data-parallel-size=2"), *calls)
    running = [x for x in page.decode().splitlines() if x.startswith("sglang:num_run")]
    assert [re.findall('dp_rank="(.)"', line) for line in running] == [["0"], ["1"]]
    assert page.count(b"sglang:generation_tokens_total{") == 1


def test_sglangs_request_counters_move_only_at_the_end() -> None:
    page = _value_after(_sglang("--max-num-seqs=1", *DRAFTER), tokens_seen=3)
    assert page["sglang:realtime_tokens_total decode"] > 0
    assert page["sglang:generation_tokens_total"] == 0
    assert page["sglang:spec_verify_calls_total"] == 0


def _value_after(options: SimOptions, tokens_seen: int) -> dict[str, float]:
    """/metrics while a request runs that has so many tokens already."""

    async def play(server: SimServer) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(http_call(_CHAT, chat_call(max_tokens=30_000)))
        await reader.readuntil(b'"completion_tokens":%d,' % tokens_seen)
        ((_, page),) = await ask(server, http_call("/metrics", None))
        writer.close()
        return page

    values = {}
    for line in run_server(options, play).decode().splitlines():
        if not line.startswith("#"):
            series, _, value = line.rpartition(" ")
            mode = re.findall('mode="(.*?)"', series)
            name = series.partition("{")[0]
            values[" ".join([name, *mode])] = float(value)
    return values


def test_sglang_flushes_only_when_idle() -> None:
    calls = [http_call(_CHAT, chat_call()), http_call("/flush_cache", {})]
    _, (status, body) = ask_once(_sglang(*DRAFTER), *calls)
    assert status == 200
    assert body.startswith(b"Cache flushed.")
    info = http_call("/server_info", None)
    calls = [calls[0], info, calls[1], info]
    _, before, _, after = ask_once(_sglang(*DRAFTER), *calls)
    assert "avg_spec_accept_length" in json.loads(before[1])["internal_states"][0]
    assert "avg_spec_accept_length" not in json.loads(after[1])["internal_states"][0]


@pytest.mark.parametrize("path", ["/health", "/health_generate", "/ready"])
def test_sglang_has_its_health_pages(path: str) -> None:
    assert ask_once(_sglang(), http_call(path, None)) == [(200, b"")]
