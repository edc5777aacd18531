"""What all tests share. Property tests have no time limit: a busy machine is no
failure. In continuous integration they draw the same examples each time, so that a
change is judged and not luck; elsewhere they go on looking."""

import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import settings

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # a job in the background ignores Ctrl-C and hands that on to its children; the
    # tests of interruption need the usual handling
    signal.signal(signal.SIGINT, signal.default_int_handler)


settings.register_profile(
    "specbench", deadline=None, derandomize=bool(os.environ.get("CI"))
)
settings.load_profile("specbench")


@pytest.fixture(scope="session", autouse=True)
def own_state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What runs keep for later ones stays out of the user's own folders."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield
