"""Load processes for the tests of a whole module."""

from collections.abc import Iterator

import pytest

from specbench.load.crew import LoadCrew

CREWS: list[LoadCrew] = []
"""The one that the tests use now."""


@pytest.fixture(
    scope="module",
    params=[pytest.param((1, 128), id="one"), pytest.param((3, 1), id="three")],
)
def crew(request: pytest.FixtureRequest) -> Iterator[None]:
    """Every rule holds with one load process and with the work dealt to three."""
    with LoadCrew.start(*request.param) as started:
        CREWS.append(started)
        yield
        CREWS.clear()
