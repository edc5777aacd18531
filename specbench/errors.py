"""The one error tree. Every error says what happened and where; `hint` says what
to do next; `exit_code` is the contract with CI scripts. Nothing here does I/O."""

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of the command line; scripts rely on them."""

    FINE = 0
    REGRESSION = 1
    BAD_INPUT = 2
    ENGINE_FAILED = 3
    RESULTS_DAMAGED = 4
    INCONCLUSIVE = 5
    INTERNAL = 70
    INTERRUPTED = 130


class SpecbenchError(Exception):
    """Something that the person running specbench can act on."""

    exit_code = ExitCode.INTERNAL

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class InputError(SpecbenchError):
    """A sweep file, an argument, a data set or a given port is not usable."""

    exit_code = ExitCode.BAD_INPUT


class EngineError(SpecbenchError):
    """An engine did not start, died, or does not answer as its adapter expects."""

    exit_code = ExitCode.ENGINE_FAILED


class ResultsError(SpecbenchError):
    """A stored run is damaged, incomplete or of an unknown format."""

    exit_code = ExitCode.RESULTS_DAMAGED
