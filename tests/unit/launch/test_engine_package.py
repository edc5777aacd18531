"""What an engine's own installation tells of its version."""

from pathlib import Path

import pytest

from specbench.launch.engine_package import find_flags, find_version

METRICS = "--per-request-spec-decode-metrics"
GRAPHS = "--cuda-graph-max-bs-decode"


def environment(folder: Path, files: dict[str, str]) -> str:
    """A virtual environment with these files in its packages; its program."""
    packages = folder / "venv" / "lib" / "python3.11" / "site-packages"
    for name, text in files.items():
        path = packages / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    program = folder / "venv" / "bin" / "python"
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return str(program)


@pytest.mark.parametrize(
    "files",
    [
        {"sglang/srt/arg_groups/fields/exec_.py": "cuda_graph_max_bs_decode: int"},
        {
            "sglang/srt/arg_groups/fields/exec_.py": "",
            "sglang/srt/server_args.py": "cuda_graph_max_bs_decode = None",
        },
    ],
)
def test_a_flag_is_found_in_any_of_its_files(
    tmp_path: Path, files: dict[str, str]
) -> None:
    assert find_flags(environment(tmp_path, files), "sglang") == GRAPHS


def test_an_older_version_has_not_all_flags(tmp_path: Path) -> None:
    program = environment(tmp_path, {"sglang/srt/server_args.py": "cuda_graph_max_bs"})
    assert find_flags(program, "sglang") == ""


def test_flags_are_those_of_the_engine_that_is_asked_for(tmp_path: Path) -> None:
    files = {
        "vllm/config/observability.py": "per_request_spec_decode_metrics: str",
        "sglang/srt/server_args.py": "cuda_graph_max_bs_decode = None",
    }
    program = environment(tmp_path, files)
    assert find_flags(program, "vllm") == METRICS
    assert find_flags(program, "sglang") == GRAPHS


def test_an_installation_that_is_not_there_says_nothing(tmp_path: Path) -> None:
    program = environment(tmp_path, {"other/__init__.py": ""})
    assert find_flags(program, "sglang") is None
    assert find_flags(program, None) is None
    assert find_flags(None, "sglang") is None
    assert find_flags(str(tmp_path / "nowhere"), "sglang") is None


def test_a_program_is_found_on_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = environment(tmp_path, {"sglang/srt/server_args.py": ""})
    monkeypatch.setenv("PATH", str(Path(program).parent))
    assert find_flags("python", "sglang") == ""


def test_the_version_is_that_of_the_installers_record(tmp_path: Path) -> None:
    files = {
        "sglang-0.5.23.dist-info/METADATA": "",
        "sglang_kernel-0.3.1.dist-info/METADATA": "",
    }
    program = environment(tmp_path, files)
    assert find_version(program, "sglang") == "0.5.23"
    assert find_version(program, "vllm") is None
    assert find_version(program, None) is None
