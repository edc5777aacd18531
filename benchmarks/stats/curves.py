"""The engines whose truth is programmed, and the speedup curves that they make. A curve
follows from what a step costs with and without drafts: tokens per step times the plain
step's cost over the speculative one's. Values only."""

from dataclasses import dataclass, replace

from specbench.sim.config import SimConfig, SimSpeculation, StepCost

UNIT_S = 0.01
"""In which costs are given here: a plain step costs a tenth of a second and little
more. So slow an engine is read some sixty times in a window, as the product reads real
ones, at the pace of one reading a second that the virtual client has."""
GRAPH_TOKENS_TWO, GRAPH_TOKENS_JUMP = 80, 320
EAGER = 11.0


@dataclass(frozen=True)
class Curve:
    """A baseline and an arm."""

    name: str
    what: str
    baseline: SimConfig
    arm: SimConfig
    is_smooth: bool = True
    """False where it jumps between two loads: no interval can be promised there."""
    levels: tuple[float, ...] = ()
    """Noise levels at which it is run; none named = all."""
    slower: float = 1.0
    """Every cost of the arm's steps is multiplied by this."""


def _engine(per_sequence: float, per_token: float) -> SimConfig:
    return SimConfig(
        max_num_seqs=256,
        max_model_len=4096,
        cost=StepCost(
            10 * UNIT_S, per_sequence * UNIT_S, per_token * UNIT_S, 0.01 * UNIT_S
        ),
        speculation=None,
    )


def _arm(
    baseline: SimConfig,
    acceptance: tuple[float, ...],
    draft: float,
    draft_per_sequence: float,
) -> SimConfig:
    drafter = SimSpeculation(
        num_speculative_tokens=len(acceptance),
        acceptance=acceptance,
        draft_step_s=draft * UNIT_S,
        draft_per_sequence_s=draft_per_sequence * UNIT_S,
    )
    return replace(baseline, speculation=drafter)


def _with_graphs(config: SimConfig, tokens: int) -> SimConfig:
    cost = replace(config.cost, eager_s=EAGER * UNIT_S, graph_tokens=tokens)
    return replace(config, cost=cost)


SHORT = _engine(0.01, 0.01)
"""Short contexts: a step costs little more for a large batch."""
LONG = _engine(0.26, 0.04)
"""Long contexts: each sequence costs a good deal of attention, drafts or not."""
_TWO = _with_graphs(SHORT, GRAPH_TOKENS_TWO)
_JUMP = _with_graphs(SHORT, GRAPH_TOKENS_JUMP)
_SURE, _GOOD, _POOR = (0.95, 0.9), (0.9,), (0.1,)
_ONE_OF_THREE = (0.95, 0.1, 0.0)

CURVES = (
    Curve(
        "steep",
        "falls from 2.4 at batch 1 to 0.33 at 256",
        SHORT,
        _arm(SHORT, _SURE, 0.5, 0.22),
    ),
    Curve(
        "medium",
        "falls from 1.38 to 0.65",
        SHORT,
        _arm(SHORT, _SURE, 5.0, 0.0705),
    ),
    Curve(
        "shallow",
        "falls from 1.11 to 0.90",
        LONG,
        _arm(LONG, _GOOD, 6.96, 0.308),
    ),
    Curve(
        "pays from",
        "rises from 0.69 to 1.41",
        LONG,
        _arm(LONG, _GOOD, 18.0, 0.0),
    ),
    Curve(
        "flat",
        "within 1 % of 1 everywhere",
        SHORT,
        _arm(SHORT, _GOOD, 8.8, 0.0079),
    ),
    Curve(
        "always",
        "falls from 2.6 to 1.57",
        SHORT,
        _arm(SHORT, _SURE, 0.3, 0.0085),
    ),
    Curve(
        "never",
        "0.60 everywhere",
        SHORT,
        _arm(SHORT, _POOR, 8.3, 0.01),
    ),
    Curve(
        "two crossings",
        "1.3 up to batch 16, 0.76 at 32 and 64, 1.2 to 1.4 above: the arm leaves its"
        " CUDA graphs at a batch four times smaller than its baseline",
        _TWO,
        _arm(_TWO, _ONE_OF_THREE, 1.7, 0.004),
        is_smooth=False,
    ),
    Curve(
        "jump",
        "drops from 1.2 to 0.79 at batch 80, where the arm leaves its CUDA graphs",
        _JUMP,
        _arm(_JUMP, _ONE_OF_THREE, 1.7, 0.0),
        is_smooth=False,
    ),
)
