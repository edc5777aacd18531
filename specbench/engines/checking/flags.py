"""The command line: every flag that the adapter passes is one that the captured help of
the engine knows."""

import re
from collections.abc import Iterator

from specbench.engines.checking.captures import FLAGS, CaptureSet
from specbench.engines.checking.verdicts import CheckedItem, Verdict
from specbench.engines.contract import EngineAdapter, LaunchRequest
from specbench.errors import InputError
from specbench.schema.plan import AdmissionCaps
from specbench.schema.sweep import Target

ARM = "command line"
_FLAG = re.compile(r"--[A-Za-z0-9][A-Za-z0-9_.-]*")


def check_flags(adapter: EngineAdapter, captured: CaptureSet) -> Iterator[CheckedItem]:
    """Of a baseline on a GPU and on a CPU, with nothing in the target's `args`."""
    if captured.flags is None:
        yield CheckedItem(
            ARM,
            "flags",
            Verdict.UNSAID,
            "nobody knows whether the engine has them: there is no flags.txt",
            FLAGS,
        )
        return
    known = set(_FLAG.findall(captured.flags))
    for device in ("gpu", "cpu"):
        target = Target.model_validate(
            {"model": "some/model", "engine": adapter.name, "device": device}
        )
        try:
            command = adapter.command(_request(target, captured.flags))
        except InputError as error:
            yield CheckedItem(ARM, f"flags, {device}", Verdict.UNSAID, str(error), "")
            continue
        passed = {
            match[0]
            for part in command.argv
            if (match := _FLAG.match(part)) is not None
        }
        unknown = sorted(passed - known)
        yield CheckedItem(
            ARM,
            f"flags, {device}",
            Verdict.WRONG if unknown else Verdict.OK,
            f"not of the engine: {', '.join(unknown)}"
            if unknown
            else ", ".join(sorted(passed)),
            FLAGS,
        )


def _request(target: Target, help_text: str) -> LaunchRequest:
    return LaunchRequest(
        target=target,
        speculative=None,
        caps=AdmissionCaps(max_num_seqs=16, max_num_batched_tokens=None),
        host="127.0.0.1",
        port=8000,
        engine_cpus=None,
        model_name="model",
        help_text=help_text,
    )
