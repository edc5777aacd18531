"""Stream events in SGLang's shape: keys and their order as SGLang 0.5.23 sends them. A
chat's finish reason comes in an event of its own; what became of the drafts comes in
`sglext`, only where the call asks with `return_spec_tokens_details`."""

from dataclasses import dataclass
from typing import Any

import orjson

from specbench.sim.completions import ApiKind, CallError, CompletionCall
from specbench.sim.event_template import (
    OUTPUT_MARK,
    TEXT_MARK,
    TOTAL_MARK,
    ChunkMaker,
    chunk_maker,
)
from specbench.sim.request import DraftHistory, FinishReason
from specbench.sim.stream_events import event_head, sse

Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class SglangEvents:
    """The events of one response."""

    call: CompletionCall
    response_id: str
    created: int
    """Unix seconds."""

    def role(self) -> bytes:
        """See StreamEvents, also for the rest."""
        if self.call.kind is ApiKind.TEXT:
            return b""
        delta = {"reasoning_content": None, "role": "assistant", "content": ""}
        return sse(self._event({"delta": delta}, None, self.call.prompt_tokens, 0))

    def chunk_maker(self) -> ChunkMaker:
        event = self._text_event(TEXT_MARK, None, TOTAL_MARK, OUTPUT_MARK)
        return chunk_maker(sse(event), self.call.prompt_tokens)

    def last_text(self, text: str, tokens: int, finish: FinishReason) -> bytes:
        reason = finish if self.call.kind is ApiKind.TEXT else None
        total = self.call.prompt_tokens + tokens
        return sse(self._text_event(text, reason, total, tokens))

    def ending(
        self, tokens: int, finish: FinishReason, drafts: DraftHistory | None
    ) -> list[bytes]:
        total = self.call.prompt_tokens + tokens
        events = []
        if self.call.kind is ApiKind.CHAT:
            delta = {"reasoning_content": None}
            events.append(self._event({"delta": delta}, finish, total, tokens))
        if drafts is not None and self.call.spec_details:
            document = {**event_head(self, []), "usage": None}
            figures = sglang_figures(drafts, tokens)
            document["sglext"] = {"spec_tokens_details": figures}
            events.append(document)
        if self.call.include_usage:
            events.append(
                {**event_head(self, []), "usage": self._last_usage(total, tokens)}
            )
        return [sse(event) for event in events]

    def error(self, message: str) -> bytes:
        # Its shape inside a stream is not captured; this is that of a refusal.
        error = {
            "object": "error",
            "message": message,
            "type": "InternalServerError",
            "param": None,
            "code": 500,
        }
        return sse({"error": error})

    def _text_event(
        self, text: str, finish: FinishReason | None, total: int, output: int
    ) -> Document:
        if self.call.kind is ApiKind.TEXT:
            return self._event({"text": text}, finish, total, output)
        delta = {"reasoning_content": None, "content": text}
        return self._event({"delta": delta}, finish, total, output)

    def _event(
        self, content: Document, finish: FinishReason | None, total: int, output: int
    ) -> Document:
        choice = {
            "index": 0,
            **content,
            "logprobs": None,
            "finish_reason": finish,
            "matched_stop": None,
        }
        document = event_head(self, [choice])
        if self.call.continuous_usage:
            document["usage"] = self._usage(total, output)
        elif self.call.kind is ApiKind.TEXT:
            document["usage"] = None
        return document

    def _usage(self, total: int, output: int) -> Document:
        return {
            "prompt_tokens": self.call.prompt_tokens,
            "total_tokens": total,
            "completion_tokens": output,
            "prompt_tokens_details": None,
            "reasoning_tokens": 0,
            "completion_tokens_details": None,
        }

    def _last_usage(self, total: int, output: int) -> Document:
        usage = self._usage(total, output)
        if self.call.kind is ApiKind.TEXT:
            del usage["prompt_tokens_details"], usage["completion_tokens_details"]
        return usage


def sglang_figures(drafts: DraftHistory, output_tokens: int) -> Document:
    """`spec_tokens_details` by SGLang's definitions (0.5.23): proposed drafts are the
    verify passes times k, and `spec_accept_length` counts the first token although no
    verify pass made it."""
    histogram = drafts.acceptance_histogram
    verifies = sum(histogram)
    accepted = sum(j * count for j, count in enumerate(histogram))
    proposed = verifies * (len(histogram) - 1)
    return {
        "spec_accept_rate": accepted / proposed if proposed else 0.0,
        "spec_accept_length": output_tokens / verifies if verifies else 0.0,
        "spec_cap_length": 0.0,
        "spec_block_accept_length": 0.0,
        "spec_num_correct_drafts": accepted,
        "spec_num_proposed_drafts": proposed,
        "spec_verify_ct": verifies,
        "spec_correct_drafts_histogram": list(histogram),
        "spec_cap_lens_histogram": [],
    }


def sglang_error(error: CallError) -> bytes:
    """Body of a refusal."""
    return orjson.dumps(
        {
            "object": "error",
            "message": error.message,
            "type": error.status.phrase.replace(" ", "") + "Error",
            "param": None,
            "code": error.status.value,
        }
    )
