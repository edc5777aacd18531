"""Python imports this at start when its folder is on PYTHONPATH. In a load process it
starts a thread that takes the interpreter away from the event loop: all the time, or
30 ms of each 300. No other process is touched."""

import os
import sys
import threading
import time

LOAD_PROCESS = "specbench.load.worker"


def _spin(pause_s: float) -> None:
    while True:
        end = time.monotonic() + 0.03
        while time.monotonic() < end:
            pass
        if pause_s:
            time.sleep(pause_s)


if LOAD_PROCESS in sys.orig_argv:
    _pause_s = float(os.environ["SPECBENCH_TEST_PAUSE_S"])
    threading.Thread(target=_spin, args=(_pause_s,), daemon=True).start()
