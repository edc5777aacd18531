"""A simulated server from its first instant to its last, start faults included, and the
lines that it prints. It prints nothing itself."""

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from datetime import datetime

import orjson

from specbench import __version__
from specbench.clock import utc_now
from specbench.sim.dialect import Dialect
from specbench.sim.fault_acts import crash_text, start_worker
from specbench.sim.options import SimOptions
from specbench.sim.server import SimServer
from specbench.sim.sglang_info import server_arguments
from specbench.sim.truth_log import TruthLog

Announce = Callable[[str], object]


class SimulatedCrash(Exception):  # noqa: N818 - it is no error of ours
    """The crash that was asked for; its log has been printed."""

    def __init__(self, exit_code: int) -> None:
        super().__init__(f"crash-at-start with exit code {exit_code}")
        self.exit_code = exit_code


async def serve(options: SimOptions, announce: Announce) -> None:
    """Serve until cancelled. When the port is open `announce` gets `listening_line`
    and the `launch_lines`, without their ends.

    Raises InputError where the port or the truth log cannot be had, SimulatedCrash
    where the faults say so.
    """
    with _truth_log(options) as truth:
        workers = [start_worker(worker) for worker in options.faults.workers()]
        await _stumble(options, announce)
        async with await SimServer.start(options, truth) as server:
            announce(listening_line(options, server.port))
            for line in launch_lines(options, utc_now()):
                announce(line)
            await asyncio.get_running_loop().create_future()
        del workers


async def _stumble(options: SimOptions, announce: Announce) -> None:
    """What comes before the port opens."""
    for crash in options.faults.crashes_at_start():
        text = crash_text(crash)
        await asyncio.sleep(crash.seconds)
        announce(text.removesuffix("\n"))
        raise SimulatedCrash(crash.exit_code)
    for start in options.faults.slow_starts():
        if start.is_port_closed:
            await asyncio.sleep(start.seconds)


def listening_line(options: SimOptions, port: int) -> str:
    """`listening on http://HOST:PORT {...}`: the address, then what the engine is
    programmed to be, as JSON."""
    programmed = {
        "engine": "sim",
        "version": __version__,
        "dialect": options.dialect,
        "model": options.model_name,
        "seed": options.seed,
        "output_length": options.output_length,
        "config": options.config,
    }
    host = f"[{options.host}]" if ":" in options.host else options.host
    return f"listening on http://{host}:{port} {orjson.dumps(programmed).decode()}"


def launch_lines(options: SimOptions, now: datetime) -> list[str]:
    """Lines of the engine's own log that say what it was started with; of vLLM's
    (0.32.0) the one from which the admission cap can be read back: no page says it."""
    if options.dialect is Dialect.SGLANG:
        stamp = f"[{now:%Y-%m-%d %H:%M:%S}]"
        return [
            f"{stamp} server_args={server_arguments(options)}",
            f"{stamp} The server is fired up and ready to roll!",
        ]
    config = options.config
    args: dict[str, str | int] = {
        "model": options.model_name,
        "max_model_len": config.max_model_len,
        "max_num_seqs": config.max_num_seqs,
    }
    if config.max_num_batched_tokens is not None:
        args["max_num_batched_tokens"] = config.max_num_batched_tokens
    return [f"INFO {now:%m-%d %H:%M:%S} [server.py:1] non-default args: {args}"]


@contextlib.contextmanager
def _truth_log(options: SimOptions) -> Iterator[TruthLog | None]:
    if options.truth_log is None:
        yield None
        return
    with TruthLog.open(options.truth_log) as truth:
        yield truth
