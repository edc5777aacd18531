"""Reads the end of a log that is still being written, for people to look at."""

import re
from pathlib import Path

_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f]")


def read_tail(path: Path, max_bytes: int) -> str:
    """The last `max_bytes` of a file, from the start of a line on when it was cut;
    empty when there is no such file."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            start = max(0, size - max_bytes)
            file.seek(start)
            content = file.read(max_bytes)
    except FileNotFoundError:
        return ""
    if start > 0:
        _, _, after_break = content.partition(b"\n")
        content = after_break or content
    return content.decode("utf-8", errors="replace")


def last_line(path: Path, max_bytes: int = 8192) -> str:
    """The last line with something in it, without colours; a progress bar that redraws
    itself counts as many lines. Empty when there is none."""
    for line in reversed(re.split(r"[\r\n]", read_tail(path, max_bytes))):
        text = _ESCAPE.sub("", line).strip()
        if text:
            return text
    return ""
