"""Actions side by side, and how a signal or a failure ends all of them."""

import asyncio
import os
import signal
import threading
from collections.abc import Iterator

import pytest

from specbench.runner.cell import run_loop
from specbench.runner.interruption import Interruption, side_by_side

FOREVER_S = 60.0


@pytest.fixture(autouse=True)
def raising_handlers() -> Iterator[None]:
    """As the command line has them."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    yield
    signal.signal(signal.SIGTERM, before)


async def forever() -> None:
    await asyncio.sleep(FOREVER_S)


def send(number: signal.Signals) -> None:
    os.kill(os.getpid(), number)


def test_actions_run_at_the_same_time() -> None:
    meeting = threading.Barrier(2)
    with side_by_side(Interruption()) as together:
        together([lambda: None, lambda: None])
        together([lambda: void(meeting.wait(FOREVER_S))] * 2)
    assert not meeting.broken


def void(_: object) -> None:
    """Drops a result."""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_waits_and_event_loops_in_all_threads(
    number: signal.Signals,
) -> None:
    interruption = Interruption()
    ended: list[str] = []

    def wait() -> None:
        try:
            interruption.sleep(FOREVER_S)
        except KeyboardInterrupt:
            ended.append("wait")
            raise

    def loop() -> None:
        try:
            run_loop(forever(), interruption)
        except KeyboardInterrupt:
            ended.append("loop")
            raise

    with pytest.raises(KeyboardInterrupt), side_by_side(interruption) as together:
        together([wait, loop, lambda: send(number)])
    assert sorted(ended) == ["loop", "wait"]


def test_what_is_being_ended_waits_on_until_a_second_signal() -> None:
    interruption = Interruption()
    waited: list[str] = []

    def end() -> None:
        interruption.sleep_while_ending(0.0)
        waited.append("went on")
        send(signal.SIGINT)
        try:
            interruption.sleep_while_ending(FOREVER_S)
        except KeyboardInterrupt:
            waited.append("at once")

    def run() -> None:
        with side_by_side(interruption) as together:
            try:
                together(
                    [lambda: interruption.sleep(FOREVER_S), lambda: send(signal.SIGINT)]
                )
            finally:
                together([end])

    with pytest.raises(KeyboardInterrupt):
        run()
    assert waited == ["went on", "at once"]


def test_an_event_loop_that_starts_after_the_signal_ends_at_once() -> None:
    interruption = Interruption()
    interruption.ask()
    with pytest.raises(KeyboardInterrupt):
        run_loop(forever(), interruption)


def test_a_failure_ends_the_others_and_is_what_is_raised() -> None:
    interruption = Interruption()

    def fail() -> None:
        raise OSError("disk full")

    with (
        pytest.raises(OSError, match="disk full"),
        side_by_side(interruption) as together,
    ):
        together([lambda: interruption.sleep(FOREVER_S), fail])


def test_a_cancellation_from_within_is_no_interruption() -> None:
    async def give_up() -> None:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        run_loop(give_up(), Interruption())


def test_handlers_are_as_before_afterwards() -> None:
    before = [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)]
    with side_by_side(Interruption()) as together:
        together([lambda: None])
        assert signal.getsignal(signal.SIGTERM) is not before[1]
    assert [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)] == before


def test_a_loop_leaves_nothing_to_cancel_behind() -> None:
    interruption = Interruption()

    async def answer() -> int:
        await asyncio.sleep(0)
        return 7

    assert run_loop(answer(), interruption) == 7
    interruption.ask()  # would call a closed loop
