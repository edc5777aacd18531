"""Registers the marker of the tests that need seconds of real time and a quiet
machine."""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "truth: judges figures by a server's log; `make test-truth`"
    )
