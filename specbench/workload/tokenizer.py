"""Reads a model's tokenizer from its folder or from the Hugging Face cache. Nothing is
downloaded; needed only where a sweep asks for prompts of a given length."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from specbench.errors import InputError
from specbench.schema.prompt import Message
from specbench.workload.chat_template import read_chat_template
from specbench.workload.context import PromptRuler, join_contents
from specbench.workload.model_files import cached_snapshots, find_model_file

TOKENIZER = "tokenizer.json"


def read_tokenizer(model: str, environ: Mapping[str, str] = os.environ) -> PromptRuler:
    """A ruler in the tokens of `model`, a folder or a Hugging Face name. Raises
    InputError with a hint where its tokenizer.json is not on this machine."""
    folder = find_model_folder(model, environ)
    from tokenizers import Tokenizer  # a native library; only when needed

    path = folder / TOKENIZER
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing narrower
        raise InputError(
            f"{path}: not a readable tokenizer: {error}",
            "Download the model again, or use context = [0].",
        ) from error

    def count(text: str) -> int:
        # A chat template already holds the special tokens of a prompt.
        return len(tokenizer.encode(text, add_special_tokens=False).ids)

    return PromptRuler(count, read_chat_template(folder) or join_contents)


def find_model_folder(model: str, environ: Mapping[str, str]) -> Path:
    """The folder with the model's tokenizer.json. Raises InputError."""
    file = find_model_file(model, TOKENIZER, environ)
    if file is not None:
        return file.parent
    local = Path(os.path.expanduser(model))  # noqa: PTH111  (its twin can raise)
    raise InputError(
        f"{model}: no {TOKENIZER} in {local} or {cached_snapshots(model, environ)}, and"
        " workload.context asks for prompts of a given number of tokens",
        "Download the model first (the engine does so when it starts), give its folder"
        " as target.model, or use context = [0].",
    )


def _count_words(text: str) -> int:
    return len(text.split())


def _render_roles(messages: Sequence[Message]) -> str:
    return "\n".join(f"{m.role}: {m.content}" for m in messages)


SIMULATED = PromptRuler(_count_words, _render_roles)
"""The simulated engine has no tokenizer: a token is a word, a role is one more."""
