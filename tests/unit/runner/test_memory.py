"""What a machine knows of a sweep's memory beforehand."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from specbench.runner.memory import find_room, model_size, sweep_memory
from specbench.runner.placement import Place, Placement
from specbench.schema.sweep import SweepSpec, Target
from specbench.units import BYTES_PER_GIB
from tests.unit.runner.test_placement import GPUS, NO_GPU
from tests.unit.theory.test_kv_memory import LLAMA_31_8B, SMOLLM2_135M

VLLM = Target(model="m", engine="vllm")


def write_model(folder: Path, config: dict[str, Any], **files: int) -> Path:
    """`files`: sizes, by name with `__` for the dot."""
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(config))
    for name, size in files.items():
        (folder / name.replace("__", ".")).write_bytes(b"x" * size)
    return folder


def test_weights_are_the_files_of_a_models_folder_each_counted_once(
    tmp_path: Path,
) -> None:
    folder = write_model(
        tmp_path / "m",
        LLAMA_31_8B,
        model_1__safetensors=70,
        model_2__safetensors=30,
        consolidated__safetensors=100,
        pytorch_model__bin=100,
        tokenizer__json=5,
    )
    assert model_size(str(folder), None, {}).weights_bytes == 100


def test_older_folders_have_them_in_another_form(tmp_path: Path) -> None:
    folder = write_model(
        tmp_path / "m", LLAMA_31_8B, pytorch_model__bin=60, training_args__bin=4
    )
    assert model_size(str(folder), None, {}).weights_bytes == 60


def test_a_model_in_the_hub_cache_is_found(tmp_path: Path) -> None:
    snapshot = tmp_path / "hub" / "models--org--name" / "snapshots" / "abc"
    write_model(snapshot, SMOLLM2_135M, model__safetensors=12)
    size = model_size("org/name", None, {"HF_HUB_CACHE": str(tmp_path / "hub")})
    assert (size.weights_bytes, size.kv.bytes_per_token) == (12, 45 * 1024)


def test_a_model_that_is_not_here_is_not_known(tmp_path: Path) -> None:
    size = model_size("org/name", None, {"HF_HUB_CACHE": str(tmp_path)})
    assert size.weights_bytes is None
    assert size.kv.bytes_per_token is None
    assert "org/name" in size.kv.how


def test_gpus_of_a_place_have_their_memory_together() -> None:
    gpus = tuple(replace(gpu, memory_total_bytes=80) for gpu in GPUS.gpus)
    entries = tuple(gpu.uuid for gpu in gpus[:2])
    room = find_room(VLLM, Place(entries), replace(GPUS, gpus=gpus), {})
    assert room.total_bytes == 2 * 80
    assert not room.is_for_cache


def test_a_gpu_that_says_nothing_leaves_the_room_unknown() -> None:
    silent = replace(GPUS.gpus[0], memory_total_bytes=None)
    host = replace(GPUS, gpus=(silent,))
    room = find_room(VLLM, Place((silent.uuid,)), host, {})
    assert room.total_bytes is None
    assert "NVML" in room.words
    assert find_room(VLLM, Place(("MIG-1",)), GPUS, {}).total_bytes is None


def test_on_a_cpu_vllm_takes_what_a_variable_says() -> None:
    room = find_room(VLLM, Place(), NO_GPU, {"VLLM_CPU_KVCACHE_SPACE": "2"})
    assert (room.total_bytes, room.is_for_cache) == (2 * BYTES_PER_GIB, True)


@pytest.mark.parametrize("given", ["", "0", "much", "nan"])
def test_without_a_number_there_nobody_knows(given: str) -> None:
    room = find_room(VLLM, Place(), NO_GPU, {"VLLM_CPU_KVCACHE_SPACE": given})
    assert room.total_bytes is None


def test_other_engines_on_a_cpu_are_not_known() -> None:
    sim = Target(model="m", engine="sim")
    assert find_room(sim, Place(), NO_GPU, {}).total_bytes is None


def test_the_sweeps_own_variables_and_types_count(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "m", SMOLLM2_135M, model__safetensors=12)
    drafter = write_model(tmp_path / "d", SMOLLM2_135M, model__safetensors=7)
    spec = SweepSpec.model_validate(
        {
            "targets": [
                {
                    "model": str(folder),
                    "engine": "vllm",
                    "args": {"dtype": "bfloat16", "kv_cache_dtype": "auto"},
                    "env": {"VLLM_CPU_KVCACHE_SPACE": "1"},
                }
            ],
            "arms": [
                {"name": "d", "speculative": {"model": str(drafter)}},
                {"name": "n", "speculative": {"method": "ngram"}},
            ],
            "workload": {"datasets": ["x"]},
            "load": {"concurrency": [1]},
        }
    )
    placement = Placement(NO_GPU, {"m": (Place(),)}, None, 8)
    (plan,) = sweep_memory(spec, placement, {"VLLM_CPU_KVCACHE_SPACE": "9"})
    assert plan.model.kv.bytes_per_token == 45 * 1024 // 2
    assert plan.room.total_bytes == BYTES_PER_GIB
    assert {arm: size.weights_bytes for arm, size in plan.drafters.items()} == {"d": 7}
