"""Which fault hits which request; and the JSON that says so."""

import json
from pathlib import Path

import pytest

from specbench.errors import InputError
from specbench.sim.fault_flags import read_faults
from specbench.sim.faults import (
    CounterReset,
    CrashAtStart,
    Fault,
    FaultPlan,
    Hits,
    OutlivingWorker,
    RequestFault,
    RequestFaultKind,
    SlowStart,
)

_CUT = RequestFaultKind.CUT


def _read(**keys: object) -> Fault:
    (fault,) = read_faults(json.dumps(keys))
    return fault


def _hit(plan: FaultPlan, calls: int) -> list[int]:
    return [n for n in range(1, calls + 1) if plan.for_request(n) is not None]


def test_a_number_hits_one_call_and_every_hits_all() -> None:
    once = FaultPlan((RequestFault(_CUT, Hits(request=3)),))
    assert _hit(once, 9) == [3]
    assert _hit(FaultPlan((RequestFault(_CUT, Hits(every=True)),)), 4) == [1, 2, 3, 4]


def test_a_share_hits_about_so_many_and_the_same_ones_each_time() -> None:
    def hit(share: float, seed: int) -> list[int]:
        plan = FaultPlan((RequestFault(_CUT, Hits(share=share)),), seed)
        return _hit(plan, 2000)

    # Standard deviation of the count is 21.
    assert 100 < len(hit(0.1, 0)) < 300
    assert hit(0.1, 0) == hit(0.1, 0) != hit(0.1, 1)
    assert (hit(0.0, 0), len(hit(1.0, 0))) == ([], 2000)


def test_of_several_the_first_in_the_plan_strikes() -> None:
    hang = RequestFault(RequestFaultKind.HANG, Hits(request=2))
    cut = RequestFault(_CUT, Hits(every=True))
    assert FaultPlan((hang, cut)).for_request(2) is hang
    assert FaultPlan((cut, hang)).for_request(2) is cut


@pytest.mark.parametrize("kind", list(RequestFaultKind))
def test_every_kind_of_a_request_can_be_asked_for(kind: RequestFaultKind) -> None:
    extra = {"gap_ms": 5} if kind is RequestFaultKind.SLOW_STREAM else {}
    fault = _read(kind=kind, request=2, **extra)
    assert isinstance(fault, RequestFault)
    assert (fault.kind, fault.which) == (kind, Hits(request=2))


def test_every_key_arrives_in_its_place() -> None:
    assert _read(kind="slow-start", seconds=1.5, port="closed") == SlowStart(1.5, True)
    assert _read(kind="counter-reset", after_requests=4) == CounterReset(4)
    assert _read(
        kind="crash-at-start", text="no", log="/l", exit_code=3, seconds=2
    ) == CrashAtStart(2.0, 3, "no", Path("/l"))
    assert _read(kind="outliving-worker", pid_file="/p", seconds=9) == OutlivingWorker(
        Path("/p"), 9.0
    )
    assert _read(
        kind="http-error", request="every", status=429, body="wait"
    ) == RequestFault(
        RequestFaultKind.HTTP_ERROR, Hits(every=True), status=429, text="wait"
    )
    assert _read(
        kind="garbage", share=0.5, after_tokens=7, bytes=9, where="framing"
    ) == RequestFault(
        RequestFaultKind.GARBAGE, Hits(share=0.5), 7, size=9, breaks_framing=True
    )
    assert _read(kind="death", request=1, exit_code=0) == RequestFault(
        RequestFaultKind.DEATH, Hits(request=1), exit_code=0
    )


@pytest.mark.parametrize(
    ("keys", "names"),
    [
        ({}, "unknown kind None"),
        ({"kind": "melt"}, "unknown kind 'melt'"),
        ({"kind": ["cut"]}, "unknown kind"),
        ({"kind": "cut"}, "`request` and `share`"),
        ({"kind": "cut", "request": 1, "share": 0.1}, "`request` and `share`"),
        ({"kind": "cut", "request": 0}, "`request`"),
        ({"kind": "cut", "request": True}, "`request`"),
        ({"kind": "cut", "request": "all"}, "`request`"),
        ({"kind": "cut", "share": 1.5}, "`share`"),
        ({"kind": "cut", "request": 1, "after_tokens": -1}, "`after_tokens`"),
        ({"kind": "cut", "request": 1, "after_tokens": 1.5}, "`after_tokens`"),
        ({"kind": "cut", "request": 1, "seconds": 1}, "unknown key `seconds`"),
        ({"kind": "http-error", "request": 1, "after_tokens": 1}, "`after_tokens`"),
        ({"kind": "http-error", "request": 1, "status": 200}, "`status`"),
        ({"kind": "http-error", "request": 1, "status": 499}, "`status`"),
        ({"kind": "slow-stream", "request": 1}, "`gap_ms` is missing"),
        ({"kind": "slow-start"}, "`seconds` is missing"),
        ({"kind": "slow-start", "seconds": 1, "port": "ajar"}, "`port`"),
        ({"kind": "outliving-worker", "pid_file": "/p", "seconds": 999}, "`seconds`"),
        ({"kind": "crash-at-start", "exit_code": 0}, "`exit_code`"),
        ({"kind": "counter-reset"}, "`after_requests` is missing"),
    ],
)
def test_what_cannot_be_used_is_named(keys: dict[str, object], names: str) -> None:
    with pytest.raises(InputError) as caught:
        read_faults(json.dumps(keys))
    assert names in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize("text", ["{", "3", '["cut"]', "null"])
def test_what_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="--fault"):
        read_faults(text)
