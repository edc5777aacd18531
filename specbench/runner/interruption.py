"""Ctrl-C where launches run side by side. Only the main thread hears of a signal, so it
counts them, and asks the places' threads to end: a cell's event loop is cancelled, a
wait is cut short, an engine is stopped as after any interruption. A thread that obeys
raises KeyboardInterrupt, so that all that must be undone is undone as ever."""

import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

POLL_S = 0.1
"""How soon a signal, or the end of the last thread, is noticed."""
Actions = Sequence[Callable[[], None]]
Together = Callable[[Actions], None]
"""Runs all actions and returns when they are through."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interruption:
    """Asked for by the main thread, obeyed by the others. Where nothing runs side by
    side nobody asks, and Ctrl-C reaches the main thread as usual."""

    def __init__(self) -> None:
        self._is_asked = threading.Event()
        self._is_urgent = threading.Event()
        self._lock = threading.Lock()
        self._cancels: list[Callable[[], object]] = []

    @property
    def is_asked(self) -> bool:
        """Whether everything should end."""
        return self._is_asked.is_set()

    def ask(self) -> None:
        """End everything; a second time: at once."""
        with self._lock:
            if self._is_asked.is_set():
                self._is_urgent.set()
            self._is_asked.set()
            for cancel in self._cancels:
                cancel()

    def sleep(self, seconds: float) -> None:
        """Wait; raises KeyboardInterrupt as soon as an end is asked for."""
        if self._is_asked.wait(seconds):
            raise KeyboardInterrupt

    def sleep_while_ending(self, seconds: float) -> None:
        """Wait for something that is being ended; raises KeyboardInterrupt only when
        it should end at once."""
        if self._is_urgent.wait(seconds):
            raise KeyboardInterrupt

    @contextmanager
    def cancelling(self, cancel: Callable[[], object]) -> Iterator[None]:
        """`cancel` is called, from another thread, when an end is asked for while the
        context lasts; at once where it was asked for before."""
        with self._lock:
            self._cancels.append(cancel)
            if self._is_asked.is_set():
                cancel()
        try:
            yield
        finally:
            with self._lock:
                self._cancels.remove(cancel)


@contextmanager
def side_by_side(interruption: Interruption) -> Iterator[Together]:
    """Yields what runs actions at the same time. Meanwhile a signal that would raise
    KeyboardInterrupt in the main thread is counted, and passed on to the actions; it is
    raised at the end."""
    counted = 0
    passed_on = 0

    def count(_number: int, _frame: FrameType | None) -> None:
        # nothing more: a second signal may come while this runs
        nonlocal counted
        counted += 1

    def pass_on() -> None:
        nonlocal passed_on
        while passed_on < counted:
            passed_on += 1
            interruption.ask()

    is_main = threading.current_thread() is threading.main_thread()
    before = {
        number: handler
        for number in (_SIGNALS if is_main else ())
        if callable(handler := signal.getsignal(number))
    }
    for number in before:
        signal.signal(number, count)
    try:
        yield lambda actions: _run_threads(actions, interruption, pass_on)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if counted:
        raise KeyboardInterrupt


def _run_threads(
    actions: Actions, interruption: Interruption, pass_on: Callable[[], None]
) -> None:
    """Run each action in a thread of its own, and return when all have ended. What one
    of them raises ends the others, and is raised here: the first that is no mere
    obedience."""
    errors: list[BaseException] = []
    is_over = [False] * len(actions)

    def run(number: int, action: Callable[[], None]) -> None:
        try:
            action()
        except BaseException as error:  # noqa: BLE001 - raised again by the main thread
            errors.append(error)
            if not interruption.is_asked:
                interruption.ask()
        finally:
            is_over[number] = True

    for number, action in enumerate(actions):
        threading.Thread(target=run, args=(number, action)).start()
    while not all(is_over):
        # not Thread.join, nor anything with a lock: those do not bear a signal well
        time.sleep(POLL_S)
        pass_on()
    causes = [error for error in errors if not isinstance(error, KeyboardInterrupt)]
    for error in causes or errors:
        raise error
