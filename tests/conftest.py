"""What all tests share. Property tests have no time limit: a busy machine is no
failure. In continuous integration they draw the same examples each time, so that a
change is judged and not luck; elsewhere they go on looking."""

import os
import signal

from hypothesis import settings

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # a job in the background ignores Ctrl-C and hands that on to its children; the
    # tests of interruption need the usual handling
    signal.signal(signal.SIGINT, signal.default_int_handler)


settings.register_profile(
    "specbench", deadline=None, derandomize=bool(os.environ.get("CI"))
)
settings.load_profile("specbench")
