"""An engine for tests, standard library only: a health page, and the manners that real
engines have when they start and when they are told to end. Run it as a script; see
`read_arguments` for what it can be told."""

import argparse
import os
import signal
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import FrameType

SECOND_SIGTERM_CODE = 7
"""How it exits when it ignored the first SIGTERM and obeys the second."""


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int)
    parser.add_argument("--health", choices=["ok", "late", "never"], default="ok")
    parser.add_argument("--late-s", type=float, default=0.0)
    parser.add_argument("--crash", type=Path, help="print this file, exit with 1")
    parser.add_argument("--sigterm", choices=["obey", "second"], default="obey")
    parser.add_argument("--workers", nargs="*", choices=["own-session", "no-marker"])
    parser.add_argument("--pid-file", type=Path)
    parser.add_argument("--be-worker", action="store_true")
    return parser.parse_args()


def be_worker() -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    sys.stdout.write("deaf\n")
    sys.stdout.flush()
    while True:
        time.sleep(60)


def start_worker(kind: str) -> int:
    """own-session: in no group of the engine's. no-marker: with an empty environment
    as well, so that only descent tells whose it is."""
    worker = subprocess.Popen(
        [sys.executable, "-S", "-E", __file__, "--be-worker"],
        start_new_session=True,
        env={} if kind == "no-marker" else None,
        stdout=subprocess.PIPE,
    )
    assert worker.stdout is not None
    worker.stdout.readline()  # from here on it is deaf
    return worker.pid


def serve_health(port: int, health: str, late_s: float) -> None:
    ready_at = time.monotonic() + late_s if health != "never" else float("inf")

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            is_ready = time.monotonic() >= ready_at
            self.send_response(200 if is_ready else 503)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", port), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()


def obey_second_sigterm() -> None:
    received = 0

    def count(number: int, frame: FrameType | None) -> None:
        nonlocal received
        received += 1
        if received == 2:
            os._exit(SECOND_SIGTERM_CODE)

    signal.signal(signal.SIGTERM, count)


def main() -> None:
    arguments = read_arguments()
    if arguments.be_worker:
        be_worker()
    if arguments.sigterm == "second":
        obey_second_sigterm()
    if arguments.crash:
        sys.stderr.write(arguments.crash.read_text())
        sys.exit(1)
    pids = [os.getpid(), *(start_worker(kind) for kind in arguments.workers or ())]
    if arguments.port:
        serve_health(arguments.port, arguments.health, arguments.late_s)
    sys.stdout.write("stand-in: serving\n")
    sys.stdout.flush()
    if arguments.pid_file:
        # Renamed into place: whoever sees it sees it whole.
        part = arguments.pid_file.with_suffix(".part")
        part.write_text("\n".join(str(pid) for pid in pids))
        part.rename(arguments.pid_file)
    while True:
        time.sleep(60)


if __name__ == "__main__":
    main()
