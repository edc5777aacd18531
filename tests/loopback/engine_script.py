"""Writes a program that stands in for `vllm`: it serves the simulated engine, or dies
with a log, depending on whether speculation is asked for."""

import sys
from pathlib import Path

PROGRAM = """#!{python}
import sys

argv = sys.argv[1:]
is_speculative = "--speculative-config" in argv
if is_speculative and {crashes}:
    sys.stderr.write({log!r})
    sys.exit(1)


def value(flag, default):
    return argv[argv.index(flag) + 1] if flag in argv else default


from specbench.sim.__main__ import main

flags = []
for flag in ("--host", "--port", "--served-model-name", "--max-num-seqs"):
    flags += [flag, value(flag, "")]
flags += ["--step-base-ms", "20", "--prefill-per-token-ms", "0.01"]
if is_speculative:
    flags += ["--speculative-config", {truth!r}]
sys.exit(main(flags))
"""

TRUTH = (
    '{"method": "sim", "num_speculative_tokens": 3, "acceptance": [0.9],'
    ' "draft_ms": 1.0}'
)

CRASH_LOG = """INFO config: speculative method=ngram
ERROR worker[0]: Traceback (most recent call last):
ERROR worker[0]:   File "worker.py", line 88, in load
ERROR worker[0]: ValueError: the drafter has 14 heads, which 4 does not divide
Traceback (most recent call last):
  File "server.py", line 210, in main
RuntimeError: the engine core did not come up; see the cause above
"""


def write_engine(folder: Path, *, crashes: bool = False) -> Path:
    """An executable in `folder`; with `crashes`, speculative arms die at once."""
    path = folder / "vllm"
    path.write_text(
        PROGRAM.format(
            python=sys.executable, crashes=crashes, log=CRASH_LOG, truth=TRUTH
        )
    )
    path.chmod(0o755)
    return path
