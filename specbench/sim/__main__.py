"""`python -m specbench.sim`: serve the simulated engine until it is told to stop. This
module joins flags, event loop and signals; everything else lives beside it."""

import asyncio
import contextlib
import signal
import sys
from collections.abc import Sequence

import uvloop

from specbench.errors import ExitCode, SpecbenchError
from specbench.sim.options import SimOptions, parse_sim_flags
from specbench.sim.serving import SimulatedCrash, serve


def main(argv: Sequence[str]) -> int:
    """Serve; the exit code. SIGTERM and SIGINT end it with 0, as with an engine."""
    try:
        options = parse_sim_flags(argv)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_serve_until_signal(options))
    except SpecbenchError as error:
        lines = [error.message] + ([f"hint: {error.hint}"] if error.hint else [])
        sys.stderr.write("\n".join(lines) + "\n")
        return error.exit_code
    except SimulatedCrash as crash:
        return crash.exit_code
    return ExitCode.FINE


async def _serve_until_signal(options: SimOptions) -> None:
    serving = asyncio.ensure_future(serve(options, _write_line))
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, serving.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await serving


def _write_line(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
