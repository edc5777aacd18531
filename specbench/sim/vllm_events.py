"""Stream events in vLLM's shape: keys and their order as vLLM 0.32.0 sends them with
`--per-request-spec-decode-metrics summary`."""

from dataclasses import dataclass
from typing import Any

import orjson

from specbench.sim.completions import ApiKind, CallError, CompletionCall
from specbench.sim.draft_figures import vllm_figures
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

_FINGERPRINT = "sim"


@dataclass(frozen=True, slots=True)
class VllmEvents:
    """The events of one response."""

    call: CompletionCall
    response_id: str
    created: int
    """Unix seconds."""

    def role(self) -> bytes:
        """See StreamEvents, also for the rest."""
        if self.call.kind is ApiKind.TEXT:
            return b""
        choice = self._choice({"delta": {"role": "assistant", "content": ""}}, None)
        document = self._event(choice, self.call.prompt_tokens, 0)
        return sse({**document, "prompt_token_ids": None, "prompt_text": None})

    def chunk_maker(self) -> ChunkMaker:
        choice = self._text_choice(TEXT_MARK, None)
        event = sse(self._event(choice, TOTAL_MARK, OUTPUT_MARK))
        return chunk_maker(event, self.call.prompt_tokens)

    def last_text(self, text: str, tokens: int, finish: FinishReason) -> bytes:
        choice = self._text_choice(text, finish)
        return sse(self._event(choice, self.call.prompt_tokens + tokens, tokens))

    def ending(
        self, tokens: int, _finish: FinishReason, drafts: DraftHistory | None
    ) -> list[bytes]:
        if not self.call.include_usage:
            return []
        document = event_head(self, [])
        document["usage"] = self._usage(self.call.prompt_tokens + tokens, tokens)
        document["system_fingerprint"] = _FINGERPRINT
        if drafts is not None:
            document["metrics"] = {"speculative_decoding": vllm_figures(drafts)}
        return [sse(document)]

    def error(self, message: str) -> bytes:
        error = {
            "message": message,
            "type": "InternalServerError",
            "param": None,
            "code": 500,
        }
        return sse({"error": error})

    def _event(self, choice: Document, total: int, output: int) -> Document:
        document = event_head(self, [choice])
        if self.call.continuous_usage:
            document["usage"] = self._usage(total, output)
            if self.call.kind is ApiKind.CHAT:
                document["usage"]["completion_tokens_details"] = None
        return document

    def _usage(self, total: int, output: int) -> dict[str, int | None]:
        return {
            "prompt_tokens": self.call.prompt_tokens,
            "total_tokens": total,
            "completion_tokens": output,
        }

    def _text_choice(self, text: str, finish: FinishReason | None) -> Document:
        if self.call.kind is ApiKind.TEXT:
            choice = self._choice({"text": text}, finish)
            return {
                **choice,
                "stop_reason": None,
                "prompt_token_ids": None,
                "token_ids": None,
            }
        choice = self._choice({"delta": {"content": text}}, finish)
        if finish is not None:
            choice["stop_reason"] = None
        return {**choice, "token_ids": None}

    def _choice(self, content: Document, finish: FinishReason | None) -> Document:
        return {"index": 0, **content, "logprobs": None, "finish_reason": finish}


def vllm_error(error: CallError) -> bytes:
    """Body of a refusal."""
    document = {
        "message": error.message,
        "type": error.status.phrase.replace(" ", "") + "Error",
        "param": error.param,
        "code": error.status.value,
    }
    return orjson.dumps({"error": document})
