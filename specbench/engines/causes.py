"""Why a Python program died, from its log. The log's last line is often a general
remark of the parent process ("see above"); the cause is what the process at the bottom
raised. The rule: of the last traceback that is not such a remark, the deepest exception
of its chain, whole, and the outermost one where it says more. Failing that, what the
log calls errors; failing that, its last lines."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

EMPTY = "the log is empty"

_HEADER = "Traceback (most recent call last):"
_CHAINED = (
    "The above exception was the direct cause of the following exception:",
    "During handling of the above exception, another exception occurred:",
)
_MAX_TRACEBACK_LINES = 2000
_MAX_TEXT_LINES = 12
_MAX_ERROR_LINES = 5
_MAX_LAST_LINES = 3

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_EXCEPTION = re.compile(r"(?P<kind>[A-Za-z_][\w.]*)(:( |$)|$)")
_RECORD = re.compile(
    r"\s*(?:\([^)]*\bpid=\d+[^)]*\)\s?)?"
    r"(?:\[[^\]]*\d\d:\d\d[^\]]*\]|(?:DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL|FATAL)\b)"
)
"""A line with a process, an instant or a level in front: a logger wrote it."""
_LEVEL = re.compile(
    r"\b(?:ERROR|CRITICAL|FATAL)\b[^:]*?\d\d:\d\d:\d\d\S*\s+"
    r"(?:\[[^\]]*\] )?(?P<text>.*)"
)
_MILD = re.compile(r"\b(DEBUG|INFO|WARNING)\b")
_USAGE = re.compile(r"[^\s:][^:]{0,80}: error: ")
"""argparse: `program: error: what is wrong`."""

_REMARK = re.compile(
    r"root cause"
    r"|\b(cause|errors?|reason|details|log|trace|traceback)\b.{0,40}"
    r"\b(above|further up|earlier)\b"
    r"|\b(above|earlier)\b.{0,40}\b(cause|errors?|logs?|trace)\b"
    r"|\b(see|check) (the )?(above|logs?|stack ?trace)\b"
    r"|\bbackground process\b"
    r"|\bfailed core proc"
    r"|\b(worker|core|child|sub-?)\s?process(es)?\b.{0,30}"
    r"\b(died|dead|failed|exited|terminated)\b"
    r"|\bdid not come up\b",
    re.IGNORECASE,
)
"""What a parent says when a child has failed."""

_CONSEQUENCES = frozenset(
    {
        "BrokenPipeError",
        "ConnectionAbortedError",
        "ConnectionRefusedError",
        "ConnectionResetError",
        "CancelledError",
        "EOFError",
        "EngineDeadError",
        "KeyboardInterrupt",
        "SystemExit",
    }
)
"""What the other processes raise when one has gone."""

_NAMED = re.compile(r"[\w.]*(Error|Exception)\b(:|$)")
"""An exception without its traceback, as in a log whose beginning is lost."""

_NATIVE = re.compile(
    r"segmentation fault|segfault|fatal python error|terminate called|what\(\):"
    r"|\bkilled\b|out of memory|bus error|core dumped|cannot open shared object"
    r"|illegal instruction",
    re.IGNORECASE,
)
"""Deaths below Python."""


@dataclass(frozen=True, slots=True)
class _Raised:
    """One traceback's end."""

    first: int
    """Line of its header."""
    last: int
    """Last line of its text."""
    prefix: str
    """What a logger put before each of its lines."""
    text: tuple[str, ...]
    """The exception, without that."""

    @property
    def is_telling(self) -> bool:
        """Whether it says more than that something else has failed."""
        kind = self.text[0].partition(":")[0].rpartition(".")[2]
        return kind not in _CONSEQUENCES and not _REMARK.search(self.text[0])


def find_cause(log: str) -> str:
    """One or more lines, never empty."""
    lines = [_COLOURS.sub("", line).rstrip() for line in log.splitlines()]
    if not any(lines):
        return EMPTY
    chains = _chains(lines)
    for is_mild in (False, True):
        for chain in reversed(chains):
            telling = [raised for raised in chain if raised.is_telling]
            if telling and bool(_MILD.search(telling[0].prefix)) is is_mild:
                return "\n".join(_join_ends(telling))
    remark = list(chains[-1][-1].text) if chains else []
    return "\n".join(_loose_errors(lines, chains) + remark) or _last_lines(lines)


def _join_ends(chain: list[_Raised]) -> list[str]:
    deepest, outermost = chain[0].text, chain[-1].text
    return list(deepest) if deepest == outermost else [*deepest, *outermost]


def _chains(lines: list[str]) -> list[list[_Raised]]:
    """Exceptions that led to one another stand together, deepest first."""
    chains: list[list[_Raised]] = []
    for raised in _all_raised(lines):
        before = chains[-1][-1] if chains else None
        if before is not None and _is_chained(lines[before.last : raised.first]):
            chains[-1].append(raised)
        else:
            chains.append([raised])
    return chains


def _is_chained(between: list[str]) -> bool:
    return any(line.endswith(_CHAINED) for line in between)


def _all_raised(lines: list[str]) -> Iterator[_Raised]:
    """In the order of the lines."""
    for index, line in enumerate(lines):
        prefix, header, _ = line.partition(_HEADER)
        if header:
            raised = _read_traceback(lines, index, prefix)
            if raised is not None:
                yield raised
        elif _USAGE.match(line):
            yield _Raised(index, index, "", (line,))


def _read_traceback(lines: list[str], header: int, prefix: str) -> _Raised | None:
    """Frames are indented; the first line that is not is the exception."""
    pattern = _line_pattern(lines, header, prefix)
    end = min(len(lines), header + 1 + _MAX_TRACEBACK_LINES)
    for index in range(header + 1, end):
        content = _content(lines[index], pattern)
        if content is None or not content or content[0].isspace():
            continue
        if content.startswith(_HEADER):
            return None
        if _EXCEPTION.match(content):
            text = [content, *_continuation(lines, index, content)]
            last = index + len(text) - 1
            if ":" not in content:
                # it has no message: the place says more
                text += _place(lines[header + 1 : index], pattern)
            return _Raised(header, last, prefix, tuple(text))
    return None


def _place(frames: list[str], pattern: re.Pattern[str] | None) -> list[str]:
    """The innermost frame."""
    contents = [_content(line, pattern) or "" for line in frames]
    starts = [i for i, text in enumerate(contents) if text.startswith("  File ")]
    return [text for text in contents[starts[-1] :] if text] if starts else []


def _line_pattern(lines: list[str], header: int, prefix: str) -> re.Pattern[str] | None:
    """How the traceback's other lines begin: as its header does, but for the digits
    (clock, line number); None = plainly, as where a logger marks a record's first line
    only."""
    pattern = re.compile(re.sub(r"\d+", r"\\d+", re.escape(prefix)))
    for follower in lines[header + 1 : header + 1 + _MAX_TRACEBACK_LINES]:
        if prefix and pattern.match(follower):
            return pattern
        if follower.startswith("  File "):
            return None
    return None


def _content(line: str, pattern: re.Pattern[str] | None) -> str | None:
    """The line without its prefix; None for a line of somebody else."""
    if pattern is not None:
        match = pattern.match(line)
        return line[match.end() :] if match else None
    return None if _RECORD.match(line) and not line[0].isspace() else line


def _continuation(lines: list[str], index: int, content: str) -> Iterator[str]:
    """The rest of a message of several lines: up to a blank one, a record, or a line
    that begins otherwise than the first."""
    prefix = lines[index].removesuffix(content)
    for follower in lines[index + 1 : index + _MAX_TEXT_LINES]:
        text = follower[len(prefix) :]
        is_foreign = not follower.startswith(prefix) or bool(_RECORD.match(text))
        if is_foreign or not text.strip() or text.startswith(_HEADER):
            return
        yield text


def _loose_errors(lines: list[str], chains: list[list[_Raised]]) -> list[str]:
    """What the log calls errors outside of tracebacks, and deaths below Python."""
    inside = {
        index
        for chain in chains
        for raised in chain
        for index in range(raised.first, raised.last + 1)
    }
    found: dict[str, None] = {}
    for index, line in enumerate(lines):
        match = _LEVEL.search(line)
        is_error = match or _NAMED.match(line) or _NATIVE.search(line)
        if index not in inside and is_error:
            found[match["text"] if match else line.strip()] = None
    telling = [text for text in found if text and not _REMARK.search(text)]
    return (telling or list(found))[:_MAX_ERROR_LINES]


def _last_lines(lines: list[str]) -> str:
    last = [line for line in lines if line.strip()][-_MAX_LAST_LINES:]
    return "\n".join(["the log names no error; it ends:", *last])
