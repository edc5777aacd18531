"""Golden files: what a fixed record must look like. `pytest tests/golden
--update-golden` rewrites them; the difference is then reviewed like code."""

from pathlib import Path
from typing import Protocol

import pytest

FILES = Path(__file__).parent / "files"


class Golden(Protocol):
    """Compares a text with the golden file of that name."""

    def __call__(self, name: str, text: str) -> None: ...


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite the golden files instead of comparing with them",
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    def check(name: str, text: str) -> None:
        path = FILES / name
        if request.config.getoption("--update-golden", default=False):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
        assert path.read_bytes().decode("utf-8") == text

    return check
