"""Reads a model's chat template and renders it as the engines do, so that the tokens
which it puts around a prompt can be counted. Only for counting: the engine renders what
is sent. A template that cannot be run is no error; the contents are counted then."""

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from specbench.schema.prompt import Message
from specbench.workload.context import Render, join_contents

_SPECIAL_TOKENS = ("bos_token", "eos_token", "pad_token", "unk_token")


def read_chat_template(folder: Path) -> Render | None:
    """The template in a model's folder as a function; None where there is none that
    can be run. Newer models have a file of its own for it, older ones the config."""
    config = _read_config(folder / "tokenizer_config.json")
    text = config.get("chat_template")
    if isinstance(text, list):  # several, by name
        named = {t.get("name"): t.get("template") for t in text if isinstance(t, dict)}
        text = named.get("default")
    with suppress(OSError, ValueError):
        text = (folder / "chat_template.jinja").read_text("utf-8")
    if not isinstance(text, str):
        return None
    return compile_template(
        text, {key: _token_text(config.get(key)) for key in _SPECIAL_TOKENS}
    )


def compile_template(text: str, special_tokens: dict[str, str]) -> Render | None:
    """The template in the environment that transformers gives it (5.19,
    utils/chat_template_utils.py): sandboxed, with trimmed blocks."""
    from jinja2 import TemplateError  # only when needed
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _refuse
    environment.globals["strftime_now"] = _some_date
    try:
        template = environment.from_string(text)
    except TemplateError:
        return None

    def render(messages: Sequence[Message]) -> str:
        turns = [{"role": m.role, "content": m.content} for m in messages]
        try:
            return template.render(
                messages=turns,
                add_generation_prompt=True,
                tools=None,
                documents=None,
                **special_tokens,
            )
        except (TemplateError, TypeError, ValueError):
            return join_contents(messages)

    return render


def _read_config(path: Path) -> dict[str, Any]:
    try:
        config = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return config if isinstance(config, dict) else {}


def _token_text(token: Any) -> str:
    """Special tokens are written as text or as an object with `content`."""
    found = token.get("content") if isinstance(token, dict) else token
    return found if isinstance(found, str) else ""


def _to_json(value: Any, **_: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _some_date(_: str) -> str:
    """As long as any other date in the usual form."""
    return "01 Jan 2026"


def _refuse(reason: str) -> None:
    """What a template calls when it cannot take the messages."""
    raise ValueError(reason)
