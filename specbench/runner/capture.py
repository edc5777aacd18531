"""Records a set of one server's output for `specbench engines check`: its pages, its
metrics before, under and after a little load, its streams, and an answer to a request
that it refuses. A bounded number of requests; nothing is measured."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from specbench.engines.checking.captures import AFTER, IDLE, LOAD, LOG, page_name
from specbench.engines.contract import EngineAdapter, FactPages
from specbench.errors import EngineError, InputError
from specbench.runner.address import API_KEY_VARIABLE, check_url
from specbench.runner.capture_pages import MetricsWatch
from specbench.runner.serving import auth_headers
from specbench.schema.capture import ArmMeta, CaptureMeta
from specbench.scrape.recording import Answer, Recorder
from specbench.store.capture_secrets import redact_log, redact_page
from specbench.store.captures import (
    META,
    arm_table,
    check_new_arm,
    meta_head,
    read_meta,
    write_arm,
)

COMPLETIONS_PATH = "/v1/completions"
LOG_BYTES = 4 << 20
_SHOWN = 200

TOPICS = (
    "the months of the year, one a line",
    "the numbers from one to thirty as words",
    "the same short sentence about rain, ten times",
    "the days of the week in three languages",
)
"""Asked for under load; repetitive, so that a drafter has something to find."""


@dataclass(frozen=True, slots=True)
class CaptureJob:
    """What `specbench engines capture` asks for."""

    url: str
    adapter: EngineAdapter
    arm: str
    folder: Path
    model: str | None
    """Served name; None = what the server says."""
    speculates: bool
    requests: int
    """Sent at once for the page under load."""
    max_tokens: int
    command: str
    """How the server was started, as somebody says."""
    log: str | None
    """Its start-up log; None = nobody has it."""


@dataclass(slots=True)
class Recording:
    """Files so far, and what could not be had."""

    files: dict[str, bytes] = field(default_factory=dict)
    traffic: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add_stream(self, name: str, body: dict[str, Any], answer: Answer) -> None:
        """A stream with the request and the head of the answer beside it."""
        self.files[f"{name}.sse"] = answer.body
        self.traffic.append(f"{name}.sse")
        self.add_exchange(name, body, answer)

    def add_exchange(self, name: str, body: dict[str, Any], answer: Answer) -> None:
        """What was asked, and status and headers of the answer."""
        head = {"status": answer.status, "headers": dict(answer.headers)}
        self.files[f"{name}.request.json"] = _json(body)
        self.files[f"{name}.headers.json"] = _json(head)


def capture(job: CaptureJob) -> Recording:
    """Record one server and write it into the set. Raises InputError, EngineError."""
    check_url(job.url)
    check_new_arm(job.folder, job.arm)
    headers = auth_headers(os.environ)
    keys = [value.removeprefix("Bearer ") for value in headers.values()]

    async def run() -> tuple[Recording, CaptureMeta]:
        async with Recorder(job.url, headers) as recorder:
            return await record(job, recorder)

    recording, meta = asyncio.run(run())
    if job.log is not None:
        recording.files[LOG] = redact_log(job.log, keys).encode()
    else:
        recording.notes.append(f"{LOG}: not recorded; give it with --log FILE")
    files = {name: redact_page(body, keys) for name, body in recording.files.items()}
    own = ArmMeta(
        command=redact_log(job.command, keys),
        speculates=job.speculates,
        traffic=recording.traffic,
    )
    write_arm(job.folder, meta_head(meta), job.arm, arm_table(job.arm, own), files)
    return recording


async def record(
    job: CaptureJob,
    recorder: Recorder,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> tuple[Recording, CaptureMeta]:
    """Everything in order; the refused request comes first, so that nothing but the
    kept streams lies between the idle page and the last one."""
    adapter = job.adapter
    recording = Recording()
    meta, model = await _record_pages(job, recorder, recording)
    if (job.folder / META).exists():
        _check_same(job.folder, meta)
    await _record_refusal(job, recorder, recording, model)
    watch = MetricsWatch(adapter, recorder, sleep)
    await _keep(recording, IDLE, watch.idle())
    chat = _chat(job, model, "Say in one sentence what a draft model is.")
    answer = await recorder.post(adapter.chat_path, chat)
    if not answer.is_ok:
        raise EngineError(f"POST {adapter.chat_path} failed: {_why(answer)}")
    recording.add_stream("chat", chat, answer)
    text = _body(job, model) | {"prompt": "One, two, three, four, five, six,"}
    answer = await recorder.post(COMPLETIONS_PATH, text)
    if answer.is_ok:
        recording.add_stream("completions", text, answer)
    else:
        recording.notes.append(f"POST {COMPLETIONS_PATH}: {_why(answer)}")
    await _record_load(job, recorder, recording, model, watch)
    await _keep(recording, AFTER, watch.idle())
    return recording, meta


async def _record_pages(
    job: CaptureJob, recorder: Recorder, recording: Recording
) -> tuple[CaptureMeta, str]:
    """The pages that say what the server is; only the list of models must be there."""
    adapter = job.adapter
    for path in (adapter.info_path, adapter.version_path, adapter.models_path):
        if path is None or (path == adapter.version_path and recording.files):
            continue  # the page of settings says the version too
        answer = await recorder.get(path)
        if answer.is_ok:
            recording.files[page_name(path)] = answer.body
        elif path == adapter.models_path:
            raise EngineError(
                f"GET {job.url}{path} failed: {_why(answer)}",
                "is the server running, and is this its address?",
            )
        else:
            recording.notes.append(f"GET {path}: {_why(answer)}")

    def page(path: str | None) -> str | None:
        body = recording.files.get(page_name(path)) if path else None
        return None if body is None else body.decode("utf-8", "replace")

    facts = adapter.read_facts(
        FactPages(
            version=page(adapter.version_path),
            models=page(adapter.models_path),
            metrics=None,
            log=job.log or "",
            info=page(adapter.info_path),
        )
    )
    model = job.model or facts.model_id
    if model is None:
        raise InputError(
            f"{job.url}{adapter.models_path} names no model",
            hint="say which one with --model",
        )
    meta = CaptureMeta(
        engine=adapter.name, version=facts.version, served_model_name=facts.model_id
    )
    return meta, model


async def _record_refusal(
    job: CaptureJob, recorder: Recorder, recording: Recording, model: str
) -> None:
    body = _body(job, model)  # without messages
    answer = await recorder.post(job.adapter.chat_path, body)
    recording.add_exchange("refused", body, answer)
    recording.files["refused.json"] = answer.body
    if answer.is_ok:
        recording.notes.append("refused.json: a chat without messages was answered")


async def _record_load(
    job: CaptureJob,
    recorder: Recorder,
    recording: Recording,
    model: str,
    watch: MetricsWatch,
) -> None:
    """Several at once, and the page on which most of them run."""
    bodies = [
        _chat(job, model, f"{number}. List {TOPICS[number % len(TOPICS)]}.")
        for number in range(1, job.requests + 1)
    ]
    sent = [
        asyncio.ensure_future(recorder.post(job.adapter.chat_path, body))
        for body in bodies
    ]
    try:
        page = await watch.busiest(lambda: all(one.done() for one in sent))
        answers = await asyncio.gather(*sent)
    finally:
        for one in sent:
            one.cancel()
    if page is not None:
        recording.files[LOAD] = page
    for number, (body, answer) in enumerate(zip(bodies, answers, strict=True), start=1):
        if not answer.is_ok:
            raise EngineError(
                f"request {number} of {job.requests} under load failed: {_why(answer)}"
            )
        recording.add_stream(f"load-{number:02}", body, answer)


async def _keep(
    recording: Recording, name: str, page: Awaitable[tuple[bytes | None, str]]
) -> None:
    body, note = await page
    if body is not None:
        recording.files[name] = body
    if note:
        recording.notes.append(f"{name}: {note}")


def _body(job: CaptureJob, model: str) -> dict[str, Any]:
    return {
        "model": model,
        "max_tokens": job.max_tokens,
        "temperature": 0.0,
        "stream": True,
        **job.adapter.request_extras(),
    }


def _chat(job: CaptureJob, model: str, question: str) -> dict[str, Any]:
    return _body(job, model) | {"messages": [{"role": "user", "content": question}]}


def _check_same(folder: Path, meta: CaptureMeta) -> None:
    """All servers of a set are of one engine in one version."""
    there = read_meta(folder)
    for key in ("engine", "version"):
        old, new = getattr(there, key), getattr(meta, key)
        if old != new:
            raise InputError(
                f"{folder / META}: {key} is {old}, and this server's is {new}",
                hint="give another --out: a set holds one engine in one version",
            )


def _why(answer: Answer) -> str:
    if answer.error is not None:
        return answer.error
    hint = f" (a key comes from {API_KEY_VARIABLE})" if answer.status == 401 else ""
    said = answer.body[:_SHOWN].decode("utf-8", "replace")
    return f"status {answer.status}{hint}: {said}"


def _json(document: dict[str, Any]) -> bytes:
    return orjson.dumps(document, option=orjson.OPT_INDENT_2) + b"\n"
