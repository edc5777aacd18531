"""The limit on open files: each stream is a socket, and many systems begin at 1,024."""

import contextlib
import resource


def allow_open_files() -> int:
    """Raise this process's limit as far as its user may, for itself and for what it
    starts from now on; the limit that holds then."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        soft = hard
    return soft
