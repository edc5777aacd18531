"""A process that outlives the server that started it, as an engine's orphaned worker
does: `python -m specbench.sim.outliving_worker PID_FILE SECONDS`. It ignores SIGTERM,
SIGINT and SIGHUP, and ends by itself after SECONDS, so that nothing stays for ever."""

import os
import signal
import sys
import threading
from pathlib import Path

from specbench.sim.faults import LONGEST_WORKER_S


def main(pid_file: str, seconds: str) -> None:
    """Announce itself once no signal can stop it any more, then wait."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    path = Path(pid_file)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    unfinished.write_text(f"{os.getpid()}\n", encoding="ascii")
    unfinished.replace(path)  # whoever sees the file sees the whole number
    sys.stdout.write("up\n")
    sys.stdout.flush()
    threading.Event().wait(min(float(seconds), LONGEST_WORKER_S))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
