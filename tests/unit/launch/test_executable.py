"""Why a program could not be started."""

from pathlib import Path

from specbench.launch.executable import explain_missing


def test_path_that_is_not_there_shows_where_it_was_looked_for() -> None:
    message, hint = explain_missing(".venv-none/bin/vllm", "")
    assert "target.executable: .venv-none/bin/vllm does not exist" in message
    assert str(Path(".venv-none/bin/vllm").absolute()) in message
    assert "relative" in hint


def test_folder_is_called_a_folder(tmp_path: Path) -> None:
    message, _ = explain_missing(str(tmp_path), "")
    assert message.endswith("is a folder")


def test_bare_name_that_is_not_executable_is_found_on_the_search_path(
    tmp_path: Path,
) -> None:
    (tmp_path / "vllm").touch()
    message, hint = explain_missing("vllm", f"/no/such/folder::{tmp_path}")
    assert message == f"target.executable: {tmp_path}/vllm exists but is not executable"
    assert hint == f"chmod +x {tmp_path}/vllm"


def test_bare_name_that_is_nowhere_names_the_search_path() -> None:
    message, _ = explain_missing("vllm", "/no/such/folder")
    assert message == (
        'target.executable: no "vllm" was found on PATH (/no/such/folder)'
    )


def test_interpreter_that_is_gone_is_shown(tmp_path: Path) -> None:
    script = tmp_path / "vllm"
    script.write_text("#!/gone/bin/python\nimport vllm\n")
    script.chmod(0o755)
    message, _ = explain_missing(str(script), "")
    assert message.endswith("does not: #!/gone/bin/python")
