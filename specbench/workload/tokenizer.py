"""Reads a model's tokenizer from its folder or from the Hugging Face cache. Nothing is
downloaded; needed only where a sweep asks for prompts of a given length."""

import os
from collections.abc import Mapping
from pathlib import Path

from specbench.errors import InputError
from specbench.workload.chat_template import read_chat_template
from specbench.workload.context import PromptRuler, join_contents


def read_tokenizer(model: str, environ: Mapping[str, str] = os.environ) -> PromptRuler:
    """A ruler in the tokens of `model`, a folder or a Hugging Face name. Raises
    InputError with a hint where its tokenizer.json is not on this machine."""
    folder = find_model_folder(model, environ)
    from tokenizers import Tokenizer  # a native library; only when needed

    path = folder / "tokenizer.json"
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
    local = Path(os.path.expanduser(model))  # noqa: PTH111  (its twin can raise)
    snapshots = _cache(environ) / f"models--{model.replace('/', '--')}" / "snapshots"
    for folder in (local, *_newest_first(snapshots)):
        if (folder / "tokenizer.json").is_file():
            return folder
    raise InputError(
        f"{model}: no tokenizer.json in {local} or {snapshots}, and workload.context"
        " asks for prompts of a given number of tokens",
        "Download the model first (the engine does so when it starts), give its folder"
        " as target.model, or use context = [0].",
    )


def _cache(environ: Mapping[str, str]) -> Path:
    """Where the Hugging Face libraries keep models, by their own variables."""
    if cache := environ.get("HF_HUB_CACHE") or environ.get("HUGGINGFACE_HUB_CACHE"):
        return Path(cache)
    home = Path(environ.get("HOME", "/"))
    base = Path(environ.get("XDG_CACHE_HOME") or home / ".cache")
    return Path(environ.get("HF_HOME") or base / "huggingface") / "hub"


def _newest_first(snapshots: Path) -> list[Path]:
    """Revisions of a cached model; the one that `main` points to comes first."""
    if not snapshots.is_dir():
        return []
    main = snapshots.parent / "refs" / "main"
    name = main.read_text().strip() if main.is_file() else ""
    folders = sorted(snapshots.iterdir(), key=lambda f: f.stat().st_mtime, reverse=True)
    return sorted(folders, key=lambda folder: folder.name != name)
