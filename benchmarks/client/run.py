"""`make bench-client`: clients side by side at a server with a known schedule. Blocks
of all clients are interleaved and their order turns round, so that a machine's noise
falls on all alike; figures are medians over blocks. README.md says more."""

import argparse
import importlib.metadata
import platform
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from peers import PEERS, peer_table, run_peer
from table import (
    AIOHTTP,
    AIOHTTP_UVLOOP,
    HTTPX,
    OURS,
    REFERENCE,
    Row,
    check,
    markdown,
    ratios,
    summarise,
)
from trial import CHUNKS, GAP_S, TTFT_S, run_client

from specbench import __version__
from specbench.host.machine import read_host

CLIENTS = (REFERENCE, OURS, AIOHTTP, AIOHTTP_UVLOOP, HTTPX)
SAVED = Path(__file__).parents[2] / "docs" / "benchmarks" / "client.md"
FULL_LOAD = 256
"""Above it the slow clients get one short block: they would take many times as long."""


def main(argv: Sequence[str]) -> int:
    """0 = every bound holds."""
    options = _arguments(argv)
    parts = []
    is_good = True
    for streams in options.streams:
        text, holds = compare(streams, options)
        parts.append(text)
        is_good &= holds
    page = "\n".join([_heading(), *parts])
    if options.save:
        SAVED.parent.mkdir(parents=True, exist_ok=True)
        SAVED.write_text(page)
    return 0 if is_good else 1


def _arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", type=_counts, default=[256, 1000])
    parser.add_argument("--seconds", type=float, default=60.0, help="of each client")
    parser.add_argument("--blocks", type=int, default=3, help="that they are cut into")
    parser.add_argument(
        "--short-seconds",
        type=float,
        default=10.0,
        help=f"of all but reference and ours over {FULL_LOAD} streams, in one block",
    )
    parser.add_argument("--clients", type=_names, default=list(CLIENTS))
    parser.add_argument(
        "--peers", type=_names, default=list(PEERS), help="where they are installed"
    )
    parser.add_argument("--save", action="store_true", help=f"to {SAVED.name}")
    return parser.parse_args(argv)


def _counts(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def _names(text: str) -> list[str]:
    return [part for part in text.split(",") if part]


def compare(streams: int, options: argparse.Namespace) -> tuple[str, bool]:
    """One load: all clients, then the programs that are installed."""
    blocks = {name: [] for name in options.clients}
    for block in range(options.blocks):
        turn = block % max(1, len(options.clients))
        for name in options.clients[turn:] + options.clients[:turn]:
            is_short = streams > FULL_LOAD and name not in {REFERENCE, OURS}
            if is_short and blocks[name]:
                continue
            seconds = options.short_seconds if is_short else options.seconds
            seconds /= 1 if is_short else options.blocks
            with tempfile.TemporaryDirectory(prefix="bench-client-") as folder:
                _say(f"{streams} streams, block {block + 1}: {name}")
                figures = run_client(name, streams, seconds, Path(folder))
                blocks[name].append(figures)
    rows = {name: summarise(name, found) for name, found in blocks.items() if found}
    peers = []
    peer_s = options.short_seconds if streams > FULL_LOAD else options.seconds
    for name in options.peers:
        with tempfile.TemporaryDirectory(prefix="bench-client-") as folder:
            _say(f"{streams} streams: {name}")
            peers.append(run_peer(name, streams, peer_s, Path(folder)))
    return _section(streams, rows, peers)


def _section(
    streams: int, rows: dict[str, Row], peers: Sequence[object]
) -> tuple[str, bool]:
    bounds = check(rows)
    offered = streams * CHUNKS / (TTFT_S + (CHUNKS - 1) * GAP_S)
    lines = [
        f"\n## {streams} streams, {offered:,.0f} chunks/s when all are busy\n",
        markdown(list(rows.values())),
        "",
        *(f"- {line}" for line in ratios(rows)),
        "",
        *(f"- {'holds' if b.holds else 'FAILS'}: {b.text}" for b in bounds),
        "",
        *peer_table(peers),
    ]
    text = "\n".join(lines)
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
    return text, all(bound.holds for bound in bounds)


def _heading() -> str:
    host = read_host()
    versions = ", ".join(
        f"{name} {importlib.metadata.version(name)}"
        for name in ("uvloop", "httpx", "aiohttp", "orjson")
    )
    return (
        "# Client benchmark\n\n"
        "Made by `make bench-client`; `benchmarks/client/README.md` says how. Server"
        " and client share the machine.\n\n"
        f"- {datetime.now(UTC):%Y-%m-%d}, {host.cpu_count} CPUs of {host.cpu_model},"
        f" kernel {host.kernel}\n"
        f"- specbench {__version__}, Python {platform.python_version()}, {versions}\n"
        f"- schedule: first text after {TTFT_S * 1e3:g} ms, {CHUNKS} chunks, one each"
        f" {GAP_S * 1e3:g} ms\n"
    )


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
