"""Why an engine died. The logs here are made up in the shapes that engines write; real
ones are in tests/contract."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.engines.causes import EMPTY, find_cause

CAUSE = "ValueError: draft model has 14 heads, which tensor parallel size 4 splits not"
FRAMES = ['  File "models/draft.py", line 88, in __init__', "    raise ValueError(x)"]
REMARK = "RuntimeError: Engine core initialization failed. See root cause above."


def traceback(exception: str, prefix: str = "", frames: list[str] | None = None) -> str:
    lines = ["Traceback (most recent call last):", *(frames or FRAMES)]
    return "".join(f"{prefix}{line}\n" for line in [*lines, *exception.split("\n")])


PREFIXES = [
    "",
    "(EngineCore_DP0 pid=424) ",
    "(EngineCore pid=424) ERROR 11-30 10:02:39 [core.py:1510] ",
    "ERROR 11-30 10:00:06 worker[1]: ",
    "[rank0]: ",
    "2026-11-30 10:00:06,123 ERROR engine.worker: ",
]


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize(
    "last",
    [
        traceback(REMARK),
        traceback(REMARK, "(APIServer pid=9) "),
        traceback("RuntimeError: the core did not come up; the cause is further up"),
        traceback("Exception: Initialization failed. See stack trace for root cause."),
        traceback("Exception: WorkerProc failed in a background process; see above."),
        "INFO 11-30 10:00:09 [launcher.py:1] Shutting down\n",
        "ERROR 11-30 10:00:07 core: worker process died\n",
        traceback("ConnectionResetError: [Errno 104] Connection reset by peer"),
        traceback("KeyboardInterrupt"),
        "",
    ],
)
def test_cause_is_found_under_the_general_remarks(prefix: str, last: str) -> None:
    log = (
        "INFO 11-30 10:00:01 [api.py:1] engine version 0.0.0\n"
        + traceback(CAUSE, prefix)
        + "ERROR 11-30 10:00:07 [core.py:7] EngineCore failed to start.\n"
        + last
    )
    assert find_cause(log) == CAUSE


def test_seconds_may_pass_inside_a_traceback() -> None:
    lines = traceback(CAUSE).splitlines()
    log = "".join(
        f"ERROR 11-30 10:00:0{second} worker[1]: {line}\n"
        for second, line in enumerate(lines, start=6)
    )
    assert find_cause(log + traceback(REMARK)) == CAUSE


def test_lines_of_other_processes_inside_a_traceback_are_not_it() -> None:
    own = traceback(CAUSE, "(Worker pid=1) ERROR 11-30 10:00:06 [w.py:1] ").splitlines()
    other = "(EngineCore pid=2) ERROR 11-30 10:00:06 [c.py:1] busy"
    assert find_cause("\n".join(f"{line}\n{other}" for line in own)) == CAUSE
    own = traceback(CAUSE).splitlines()
    assert find_cause("\n".join(f"{line}\n{other}" for line in own)) == CAUSE


def test_header_may_stand_at_the_end_of_a_record() -> None:
    log = "[2026-11-30 10:00:00 TP0] Scheduler hit an exception: " + traceback(CAUSE)
    assert find_cause(log + "\n[2026-11-30 10:00:01] SIGQUIT received.\n") == CAUSE


OUT_OF_MEMORY = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 896.00 MiB. GPU 0"
    " has a total capacity of 79.10 GiB of which 512.00 MiB is free. See documentation"
    " for Memory Management (https://pytorch.org/docs/stable/notes/cuda.html)"
)


def test_memory_that_runs_out_is_the_cause_and_its_advice_stands_beside_it() -> None:
    prefix = "(EngineCore_DP0 pid=11) ERROR 11-30 10:02:39 [core.py:1510] "
    advice = "RuntimeError: CUDA out of memory occurred when warming up; lower the cap."
    log = (
        traceback(OUT_OF_MEMORY, prefix)
        + f"{prefix}\n{prefix}The above exception was the direct cause of the following"
        f" exception:\n{prefix}\n"
        + traceback(advice, prefix)
        + "(EngineCore_DP0 pid=11) Process EngineCore_DP0:\n"
        + "[rank0]:[W1130 10:02:40 ProcessGroupNCCL.cpp:1] Warning: not destroyed\n"
        + traceback(f"{REMARK} Failed core proc(s): {{}}", "(APIServer pid=9) ")
    )
    assert find_cause(log).splitlines() == [OUT_OF_MEMORY, advice]


def test_deepest_exception_of_a_chain_comes_first() -> None:
    link = "\nDuring handling of the above exception, another exception occurred:\n\n"
    log = link.join(
        [traceback("OSError: no hub"), traceback("KeyError: 'x'"), traceback(CAUSE)]
    )
    assert find_cause(log).splitlines() == ["OSError: no hub", CAUSE]


def test_last_of_unrelated_tracebacks_is_the_cause() -> None:
    log = traceback("ImportError: no plugin") + "INFO 1\n" + traceback(CAUSE)
    assert find_cause(log) == CAUSE


def test_traceback_that_was_only_a_warning_is_not_the_cause() -> None:
    warning = "(Worker pid=1) WARNING 11-30 10:00:09 [w.py:1] "
    log = traceback(CAUSE) + traceback("ImportError: no extra", warning)
    assert find_cause(log) == CAUSE
    assert find_cause(traceback("ImportError: x", warning)) == "ImportError: x"


def test_message_of_several_lines_is_whole() -> None:
    exception = (
        "pydantic_core._pydantic_core.ValidationError: 1 validation error for Config\n"
        "no_such_key\n"
        "  Unexpected keyword argument [type=unexpected_keyword_argument]\n"
        "    For further information visit https://errors.pydantic.dev/2/v/x"
    )
    after = "\nINFO:     Shutting down\n/usr/lib/python3.11/x.py:254: UserWarning: y\n"
    assert find_cause(traceback(exception) + after) == exception
    prefix = "(EngineCore pid=4) ERROR 11-30 10:02:39 [core.py:1510] "
    log = traceback(exception, prefix) + f"{prefix[:-7]}1511] something else\n"
    assert find_cause(log) == exception


def test_exception_without_a_message_is_told_with_its_place() -> None:
    frames = ['  File "a.py", line 1, in f', *FRAMES[:1], "    assert k > 0"]
    cause = find_cause(traceback("AssertionError", frames=frames))
    assert cause.splitlines() == ["AssertionError", *frames[1:]]


def test_usage_error_is_the_cause() -> None:
    error = "vllm serve: error: argument --port: invalid int value: 'x'"
    log = f"usage: vllm serve [model_tag] [options]\n{error}\n"
    assert find_cause(log) == error


def test_colours_are_taken_off() -> None:
    log = traceback(CAUSE, "\x1b[0;36m(Worker pid=1)\x1b[0;0m ")
    assert find_cause(log) == CAUSE


def test_errors_without_a_traceback_stand_in_for_it() -> None:
    log = (
        "INFO 11-30 10:00:01 [api.py:1] starting\n"
        "ERROR 11-30 10:00:06 [worker.py:3] draft model has 14 attention heads\n"
        "ERROR 11-30 10:00:07 [core.py:3] worker process died\n" + traceback(REMARK)
    )
    assert find_cause(log).splitlines() == [
        "draft model has 14 attention heads",
        REMARK,
    ]


def test_death_below_python_is_told_with_what_the_parent_says() -> None:
    remark = f"{REMARK} Failed core proc(s): {{'EngineCore_DP0': -11}}"
    log = "!!!!!!! Segfault encountered !!!!!!!\n" + traceback(remark)
    cause = find_cause(log).splitlines()
    assert cause == ["!!!!!!! Segfault encountered !!!!!!!", remark]


def test_remark_is_better_than_nothing() -> None:
    assert find_cause(traceback(REMARK)) == REMARK


def test_exception_whose_traceback_is_cut_off_is_found() -> None:
    log = f"    return f(x)\n           ^^^^\n{CAUSE}\n\n[10:00:01] kill_process_tree\n"
    assert find_cause(log) == CAUSE


def test_log_without_an_error_ends_with_its_last_lines() -> None:
    cause = find_cause("one\ntwo\n\nthree\nfour\n\n")
    assert cause.splitlines() == [
        "the log names no error; it ends:",
        "two",
        "three",
        "four",
    ]


@pytest.mark.parametrize("log", ["", "\n", "  \n\t\n"])
def test_empty_log_is_said_to_be_empty(log: str) -> None:
    assert find_cause(log) == EMPTY


PARTS = [traceback(CAUSE), traceback(REMARK), "Traceback (most recent call last):\n"]


@given(st.lists(st.text(max_size=30) | st.sampled_from([*PARTS, *PREFIXES, "\n", " "])))
def test_any_log_has_a_cause(parts: list[str]) -> None:
    assert find_cause("".join(parts)).strip()
