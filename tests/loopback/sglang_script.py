"""Writes a program that stands in for `sglang`: it takes SGLang's flags, and serves the
simulated engine in SGLang's dialect."""

import sys
from pathlib import Path

FLUSHED = "Cache flushed successfully!"
"""In its log, once for each time; SGLang's own words."""

PROGRAM = """#!{python}
import argparse
import os
import signal
import sys
from http import HTTPStatus

parser = argparse.ArgumentParser(prog="sglang serve")
parser.add_argument("command", choices=["serve"])
for flag in (
    "model-path",
    "served-model-name",
    "host",
    "port",
    "tp-size",
    "max-running-requests",
    "decode-log-interval",
    "stream-interval",
    "device",
    "cuda-graph-max-bs-decode",
    "speculative-algorithm",
    "speculative-draft-model-path",
    "speculative-num-steps",
    "speculative-eagle-topk",
    "speculative-num-draft-tokens",
):
    parser.add_argument("--" + flag)
parser.add_argument("--enable-metrics", action="store_true")
parser.add_argument("--disable-radix-cache", action="store_true")
args = parser.parse_args()
if args.speculative_algorithm and {crashes}:
    sys.stderr.write({log!r})
    sys.stderr.flush()
    os.kill(os.getpid(), signal.SIGKILL)

from specbench.sim.__main__ import main
from specbench.sim.face import Page
from specbench.sim.sglang_face import SglangFace

page = SglangFace.page


def told(face, method, path):
    if path == "/flush_cache" and {refuses}:
        return Page(HTTPStatus.BAD_REQUEST, b"Flush cache failed.", "text/plain")
    answer = page(face, method, path)
    if path == "/flush_cache" and answer.status == 200:
        sys.stdout.write({flushed!r} + "\\n")
        sys.stdout.flush()
    return answer


SglangFace.page = told
flags = ["--dialect", "sglang", "--host", args.host, "--port", args.port]
flags += ["--served-model-name", args.served_model_name]
flags += ["--max-num-seqs", args.max_running_requests]
flags += ["--decode-log-interval", args.decode_log_interval]
flags += ["--step-base-ms", "20", "--prefill-per-token-ms", "0.01"]
if not args.disable_radix_cache:
    flags += ["--enable-prefix-caching"]
if args.speculative_algorithm:
    flags += ["--speculative-config", {truth!r}]
sys.exit(main(flags))
"""

TRUTH = (
    '{"method": "sim", "num_speculative_tokens": 3, "acceptance": [0.9],'
    ' "draft_ms": 1.0}'
)


CRASH_LOG = """[2026-11-30 05:20:09] Load weight begin. avail mem=18.35 GB
[2026-11-30 05:20:10] Scheduler hit an exception: Traceback (most recent call last):
  File "scheduler.py", line 6362, in run_scheduler_process
    scheduler = Scheduler(server_args, port_args)
ValueError: the drafter has 14 attention heads, which 4 does not divide

[2026-11-30 05:20:10] SIGQUIT received. signum=None, frame=None. It usually means one \
child failed.
[2026-11-30 05:20:15] kill_process_tree called: parent_pid=11541, include_parent=True
"""
"""As SGLang ends when it cannot start: it kills itself, and its last lines say nothing
of the cause."""


def write_sglang(
    folder: Path, *, refuses_to_flush: bool = False, crashes: bool = False
) -> Path:
    """An executable in `folder`; with `crashes`, speculative arms die at once."""
    path = folder / "sglang"
    path.write_text(
        PROGRAM.format(
            python=sys.executable,
            flushed=FLUSHED,
            refuses=refuses_to_flush,
            crashes=crashes,
            log=CRASH_LOG,
            truth=TRUTH,
        )
    )
    path.chmod(0o755)
    return path
