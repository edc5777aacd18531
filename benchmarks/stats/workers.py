"""Work dealt to processes. What is computed has names for all of its random numbers, so
the result does not depend on how many there are."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import Protocol, TypeVar

A, B = TypeVar("A"), TypeVar("B")


class Mapping(Protocol):
    """As the built-in `map` with one argument: results in order."""

    def __call__(
        self, function: Callable[[A], B], tasks: Iterable[A], /
    ) -> Iterator[B]: ...


@contextmanager
def workers(count: int) -> Iterator[Mapping]:
    """Here, where there is only one."""
    if count == 1:
        yield map
    else:
        with ProcessPoolExecutor(count) as executor:
            yield executor.map
