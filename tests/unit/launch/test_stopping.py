"""The escalation from asking to killing, step by step."""

import pytest

from specbench.launch.stopping import (
    SERVING_GRACES,
    STARTING_GRACES,
    StopAction,
    StopGraces,
    StopStage,
    next_action,
    stage_after,
)

GRACES = StopGraces(asked_s=5.0, asked_again_s=3.0, killed_s=2.0)


@pytest.mark.parametrize(
    ("stage", "waited_s", "action"),
    [
        (StopStage.UNASKED, 0.0, StopAction.ASK),
        (StopStage.ASKED, 4.9, StopAction.WAIT),
        (StopStage.ASKED, 5.0, StopAction.ASK),
        (StopStage.ASKED_AGAIN, 2.9, StopAction.WAIT),
        (StopStage.ASKED_AGAIN, 3.0, StopAction.KILL),
        (StopStage.KILLED, 0.1, StopAction.KILL),
        (StopStage.KILLED, 2.0, StopAction.GIVE_UP),
    ],
)
def test_each_stage_is_waited_for_and_then_goes_one_further(
    stage: StopStage, waited_s: float, action: StopAction
) -> None:
    assert next_action(stage, has_remaining=True, waited_s=waited_s, graces=GRACES) is (
        action
    )


@pytest.mark.parametrize("stage", list(StopStage))
def test_nothing_left_is_the_end_at_any_stage(stage: StopStage) -> None:
    action = next_action(stage, has_remaining=False, waited_s=99.0, graces=GRACES)
    assert action is StopAction.FINISH


def simulate(graces: StopGraces, dies_at_s: float) -> list[tuple[float, StopAction]]:
    """What is sent, and when, to something that ends at `dies_at_s`."""
    stage, since_s, now_s = StopStage.UNASKED, 0.0, 0.0
    sent: list[tuple[float, StopAction]] = []
    while True:
        action = next_action(stage, now_s < dies_at_s, now_s - since_s, graces)
        if action in (StopAction.FINISH, StopAction.GIVE_UP):
            return [*sent, (now_s, action)]
        if stage_after(stage, action) is not stage:
            sent.append((now_s, action))
            stage, since_s = stage_after(stage, action), now_s
        now_s += 0.5


def test_polite_engine_is_asked_once() -> None:
    assert simulate(SERVING_GRACES, dies_at_s=1.0) == [
        (0.0, StopAction.ASK),
        (1.0, StopAction.FINISH),
    ]


def test_starting_vllm_has_time_to_obey_its_second_sigterm() -> None:
    # vLLM 0.32.0 on a CPU: deaf to the first one, gone 7.5 s after the second.
    second_s = STARTING_GRACES.asked_s
    sent = simulate(STARTING_GRACES, dies_at_s=second_s + 7.5)
    assert [action for _, action in sent] == [
        StopAction.ASK,
        StopAction.ASK,
        StopAction.FINISH,
    ]


@pytest.mark.parametrize("graces", [SERVING_GRACES, STARTING_GRACES])
def test_immortal_process_is_killed_and_given_up_within_20_s(
    graces: StopGraces,
) -> None:
    sent = simulate(graces, dies_at_s=1e9)
    assert [action for _, action in sent] == [
        StopAction.ASK,
        StopAction.ASK,
        StopAction.KILL,
        StopAction.GIVE_UP,
    ]
    assert sent[-1][0] < 20.0
