"""What is loaded when: `specbench --help` has to come at once."""

import subprocess
import sys
from functools import cache

import pytest

LOADED = "import sys; print('\\n'.join(sorted(sys.modules)))"


@cache
def loaded_after(statement: str) -> frozenset[str]:
    """Top names of the modules that a fresh interpreter has then."""
    done = subprocess.run(
        [sys.executable, "-c", f"{statement}; {LOADED}"],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return frozenset(name.split(".")[0] for name in done.stdout.split())


@pytest.mark.parametrize("heavy", ["pandas", "matplotlib", "pydantic", "httpx"])
def test_the_package_itself_loads_nothing_heavy(heavy: str) -> None:
    assert heavy not in loaded_after("import specbench")


@pytest.mark.parametrize("heavy", ["pandas", "matplotlib", "pyarrow", "numpy"])
def test_the_command_line_loads_tables_and_plots_only_when_used(heavy: str) -> None:
    assert heavy not in loaded_after("import specbench.cli.main")
