"""What all tests share. Property tests have no time limit: a busy machine is no
failure. In continuous integration they draw the same examples each time, so that a
change is judged and not luck; elsewhere they go on looking."""

import os

from hypothesis import settings

settings.register_profile(
    "specbench", deadline=None, derandomize=bool(os.environ.get("CI"))
)
settings.load_profile("specbench")
