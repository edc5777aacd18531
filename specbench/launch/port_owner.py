"""Finds out who listens on a port, from /proc/net/tcp (proc(5)) and the sockets that
processes hold. Best effort: another user's process shows its user at most."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from specbench.launch.proc_table import PROC

_LISTEN = "0A"
_SHOWN = 100
_SECRET_FLAG = re.compile(r"(key|token|secret|passw)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ListeningSocket:
    """One row of the kernel's table."""

    inode: str
    uid: int


def parse_listeners(table: str, port: int) -> tuple[ListeningSocket, ...]:
    """Sockets in a /proc/net/tcp or tcp6 text that listen on `port`, whatever the
    address. Lines of another shape are passed over."""
    found = []
    for line in table.splitlines()[1:]:
        fields = line.split()
        if len(fields) < 10 or fields[3] != _LISTEN:
            continue
        _, _, hexadecimal = fields[1].rpartition(":")
        try:
            if int(hexadecimal, 16) == port:
                found.append(ListeningSocket(inode=fields[9], uid=int(fields[7])))
        except ValueError:
            continue
    return tuple(found)


def shorten_command(argv: Sequence[str]) -> str:
    """A command line for a message: what follows a flag that sounds like a secret is
    left out, and the rest is cut."""
    words: list[str] = []
    is_secret = False
    for word in argv:
        flag, equals, _ = word.partition("=")
        sounds_secret = word.startswith("-") and bool(_SECRET_FLAG.search(flag))
        if is_secret and not word.startswith("-"):
            words.append("***")
        elif sounds_secret and equals:
            words.append(f"{flag}=***")
        else:
            words.append(word)
        is_secret = (sounds_secret and not equals) or (
            is_secret and not word.startswith("-")
        )
    text = " ".join(words)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def describe_owner(port: int, root: Path = PROC) -> str | None:
    """Who listens on `port`, in words; None when nobody is seen to."""
    listeners = [
        listener
        for name in ("tcp", "tcp6")
        for listener in parse_listeners(_read_text(root / "net" / name), port)
    ]
    if not listeners:
        return None
    wanted = {f"socket:[{listener.inode}]" for listener in listeners}
    for folder in sorted(root.iterdir()):
        if folder.name.isdecimal() and _holds(folder, wanted):
            argv = _read_text(folder / "cmdline").rstrip("\0").split("\0")
            return f"process {folder.name}: {shorten_command(argv)}"
    uid = listeners[0].uid
    return f"a process of user id {uid}, which this user may not look at"


def _holds(process: Path, sockets: set[str]) -> bool:
    try:
        return any(
            str(handle.readlink()) in sockets for handle in (process / "fd").iterdir()
        )
    except OSError:  # another user's, or it ended or closed one meanwhile
        return False


def _read_text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
