"""What a request gets from an arm for each step of the target model, and what it would
need for the arm to be as fast as its baseline: the step cost ratio r.

With T tokens per step, S the speedup of the metric and f the share of the baseline's
time that is prefill (of the whole request for throughput, interleaved with decoding for
TPOT), a token costs the baseline 1, of which f does not change with the arm, and the
arm 1 / S = f + (1 - f) r / T. Hence

    r = T (1 / S - f) / (1 - f)

and the arm pays, S > 1, exactly where T > r. It holds where both arms run the same
batch. Without f, or at different batches, there is the apparent r = T / S, exact only
where S = 1."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from specbench.schema.comparison import SpeedupMetric, StepNeed
from specbench.schema.estimate import CONFIDENCE, Estimate, Interval, absent
from specbench.schema.findings import CellStats
from specbench.stats.means import arithmetic_mean, geometric_mean
from specbench.stats.students_t import t_quantile

SAME_BATCH = 0.05
"""The arm's running batch may differ by so much from the baseline's."""
APPLIES_TO = (SpeedupMetric.THROUGHPUT, SpeedupMetric.TPOT)
"""Quantiles in the tail and latencies of whole requests are not made of steps alone."""


@dataclass(frozen=True, slots=True)
class _Launch:
    """Both arms in launches of one number."""

    tokens_per_step: float
    speedup: float
    share: float | None
    """f."""

    @property
    def apparent(self) -> float:
        return self.tokens_per_step / self.speedup

    def needed(self, share: float) -> float:
        """r; not above zero where more than the prefill was saved."""
        return self.tokens_per_step * (1 / self.speedup - share) / (1 - share)


def step_need(
    metric: SpeedupMetric, baseline: Sequence[CellStats], arm: Sequence[CellStats]
) -> StepNeed | None:
    """By launches of the same number; void cells take no part. None for metrics to
    which the formula does not apply, and where an arm has no cell that counts."""
    if metric not in APPLIES_TO:
        return None
    bases = {c.key.replicate: c for c in baseline if not c.is_void}
    arms = {c.key.replicate: c for c in arm if not c.is_void}
    if not bases or not arms:
        return None
    pairs = [(bases[n], arms[n]) for n in sorted(arms.keys() & bases.keys())]
    launches = [found for base, other in pairs if (found := _pair(metric, base, other))]
    share = _share(metric, [base for base, _ in pairs] or list(bases.values()))
    if not launches:
        return StepNeed(
            gets=_gets(list(arms.values())),
            needs=absent(_why_none(metric, pairs)),
            prefill_share=share,
            is_apparent=False,
        )
    gets = _over_launches([one.tokens_per_step for one in launches])
    why = _why_apparent(pairs, launches, share)
    if why or share.value is None:
        needs = _over_launches([one.apparent for one in launches])
        return StepNeed(gets, needs, share, is_apparent=True, note=why)
    needs = _over_launches([one.needed(_own_or(share.value, one)) for one in launches])
    known = sum(one.share is not None for one in launches)
    note = ""
    if known < len(launches):
        note = (
            f"the prefill share is known in {known} of {len(launches)} launches;"
            " their mean stands for the others"
        )
    return StepNeed(gets, needs, share, is_apparent=False, note=note)


def _pair(metric: SpeedupMetric, base: CellStats, arm: CellStats) -> _Launch | None:
    tokens, speedup = arm.tokens_per_step, _speedup(metric, base, arm)
    if not tokens or not speedup:
        return None
    return _Launch(tokens, speedup, _share_of(metric, base))


def _speedup(metric: SpeedupMetric, base: CellStats, arm: CellStats) -> float | None:
    """TPOT by the token-weighted means, since f is a share of all decode time."""
    if metric is SpeedupMetric.THROUGHPUT:
        better, worse = arm.output_throughput, base.output_throughput
    else:
        better, worse = base.mean_tpot_by_token, arm.mean_tpot_by_token
    return better / worse if better and worse else None


def _share_of(metric: SpeedupMetric, base: CellStats) -> float | None:
    found = base.prefill_share
    if found is None:
        return None
    is_throughput = metric is SpeedupMetric.THROUGHPUT
    return found.of_request if is_throughput else found.of_decode


def _own_or(mean: float, launch: _Launch) -> float:
    return mean if launch.share is None else launch.share


def _why_apparent(
    pairs: Sequence[tuple[CellStats, CellStats]],
    launches: Sequence[_Launch],
    share: Estimate,
) -> str:
    """Why prefill cannot be taken out; empty = it can."""
    batches = [(base.running_batch, arm.running_batch) for base, arm in pairs]
    known = [(ours, theirs) for ours, theirs in batches if ours and theirs]
    if len(known) < len(batches):
        return "the running batch is unknown, so that the arms' may differ"
    of_base = arithmetic_mean([ours for ours, _ in known])
    of_arm = arithmetic_mean([theirs for _, theirs in known])
    if abs(of_arm / of_base - 1) > SAME_BATCH:
        return (
            f"the running batches differ by more than {SAME_BATCH:.0%}: baseline"
            f" {of_base:.3g}, arm {of_arm:.3g}"
        )
    if share.value is None:
        return share.missing or "the prefill share is unknown"
    if any(one.needed(_own_or(share.value, one)) <= 0 for one in launches):
        return (
            "the arm took less time than prefill alone takes by the baseline's share of"
            f" {share.value:.0%}"
        )
    return ""


def _gets(arms: Sequence[CellStats]) -> Estimate:
    """Where the arm cannot be compared, by itself."""
    tokens = [c.tokens_per_step for c in arms if c.tokens_per_step]
    if tokens:
        return _over_launches(tokens)
    return absent(arms[0].missing.get("tokens_per_step", "no tokens per step"))


def _why_none(
    metric: SpeedupMetric, pairs: Sequence[tuple[CellStats, CellStats]]
) -> str:
    if not pairs:
        return "no launch of the arm has one of the same number in the baseline"
    for _, arm in pairs:
        if not arm.tokens_per_step:
            return arm.missing.get("tokens_per_step", "no tokens per step")
    return f"no {metric.value} in both arms"


def _share(metric: SpeedupMetric, bases: Sequence[CellStats]) -> Estimate:
    """f over launches; its spread, and no interval of its own."""
    shares = [f for base in bases if (f := _share_of(metric, base)) is not None]
    if not shares:
        return absent(bases[0].missing.get("prefill_share", "no prefill share"))
    return Estimate(arithmetic_mean(shares), min(shares), max(shares), len(shares))


def _over_launches(values: Sequence[float]) -> Estimate:
    """Geometric mean with the t interval of the logs."""
    value, n = geometric_mean(values), len(values)
    interval = None
    if n > 1:
        logs = [math.log(v) for v in values]
        mean = arithmetic_mean(logs)
        variance = math.fsum((x - mean) ** 2 for x in logs) / (n - 1)
        half = t_quantile((1 - CONFIDENCE) / 2, n - 1) * math.sqrt(variance / n)
        interval = Interval(value * math.exp(-half), value * math.exp(half))
    return Estimate(
        value=value,
        low=min(values),
        high=max(values),
        n=n,
        interval=interval,
        no_interval=None if interval else "one launch of each arm",
    )
