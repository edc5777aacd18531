"""The two event loops under which the load generator has to work."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import pytest
import uvloop

T = TypeVar("T")
LoopFactory = Callable[[], asyncio.AbstractEventLoop]

LIMIT_S = 20.0
"""A script that hangs is a failure, not a hanging test run."""

BOTH_LOOPS = pytest.mark.parametrize(
    "loop_factory",
    [
        pytest.param(asyncio.new_event_loop, id="asyncio"),
        pytest.param(uvloop.new_event_loop, id="uvloop"),
    ],
)


def run(loop_factory: LoopFactory, main: Coroutine[Any, Any, T]) -> T:
    """Run a script to its end."""

    async def limited() -> T:
        async with asyncio.timeout(LIMIT_S):
            return await main

    with asyncio.Runner(loop_factory=loop_factory) as runner:
        return runner.run(limited())
