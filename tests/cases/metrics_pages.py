"""Metrics pages in the text form of Prometheus, written anew: series and labels in any
order, with the companions and comments that real pages have."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from specbench.analysis.acceptance import acceptance_between
from specbench.analysis.missing import Missing
from specbench.engines.vllm_metrics import PREFIX, read_metrics
from specbench.schema.acceptance import Acceptance
from specbench.schema.snapshot import EngineReading, Phase
from specbench.wire.prometheus import cut_to_prefix

Draw = Callable[[Any], Any]

CREATED = 1.7954112e9
"""A time of creation; never a count."""
SPEC = "vllm:spec_decode_num_"
DRAFTS = f"{SPEC}drafts"
DRAFT_TOKENS = f"{SPEC}draft_tokens"
ACCEPTED = f"{SPEC}accepted_tokens"
BY_POSITION = f"{SPEC}accepted_tokens_per_pos"

MODEL_NAMES = st.sampled_from(
    [
        "m",
        f"acme/{DRAFTS}_total-8B",
        f'{DRAFTS}_total{{engine=\\"0\\"}} 99',
        f"x\\n{ACCEPTED}_total 77\\n",
        "vllm:spec_decode_num_drafts_created",
        "a,b=c} 1 # {\\\\",
        "温度 😀",
    ]
)
"""Escaped as the text form has it; some hold the names of metrics."""


@dataclass(frozen=True)
class Drafted:
    """What one engine has counted since it started."""

    drafts: int
    draft_tokens: int
    accepted: tuple[int, ...]
    """By position; falls."""

    def plus(self, other: "Drafted") -> "Drafted":
        """Both together."""
        pairs = zip(self.accepted, other.accepted, strict=True)
        return Drafted(
            self.drafts + other.drafts,
            self.draft_tokens + other.draft_tokens,
            tuple(a + b for a, b in pairs),
        )


def growths(positions: int, least: int = 0) -> st.SearchStrategy[Drafted]:
    """Counts as a drafter of so many positions makes them."""

    def of(numbers: list[int]) -> Drafted:
        drafts, *accepted = sorted(numbers, reverse=True)
        return Drafted(drafts, drafts * positions, tuple(accepted))

    count = st.integers(least, 10**6)
    return st.lists(count, min_size=positions + 1, max_size=positions + 1).map(of)


def number(draw: Draw, value: float) -> str:
    """One of the ways to write it."""
    forms = [f"{value:.1f}", repr(float(value)), f"{value:.10e}"]
    chosen: str = draw(st.sampled_from([*forms, str(int(value))]))
    return chosen


def series(draw: Draw, name: str, value: float, labels: dict[str, str]) -> str:
    """A sample line with its labels in any order."""
    pairs = draw(st.permutations(sorted(labels.items())))
    inside = ",".join(f'{key}="{label}"' for key, label in pairs)
    comma = draw(st.sampled_from(["", ","])) if pairs else ""
    return f"{name}{{{inside}{comma}}} {number(draw, value)}"


def counter(draw: Draw, name: str, value: float, labels: dict[str, str]) -> list[str]:
    """A counter and its time of creation."""
    return [
        series(draw, f"{name}_total", value, labels),
        series(draw, f"{name}_created", CREATED, labels),
    ]


def engine_lines(
    draw: Draw, counted: Drafted, engine: str, model: str = "m"
) -> list[str]:
    """All series of one engine's drafts."""
    labels = {"engine": engine, "model_name": model}
    lines = counter(draw, DRAFTS, counted.drafts, labels)
    lines += counter(draw, DRAFT_TOKENS, counted.draft_tokens, labels)
    lines += counter(draw, ACCEPTED, sum(counted.accepted), labels)
    for position, accepted in enumerate(counted.accepted):
        placed = {**labels, "position": str(position)}
        lines += counter(draw, BY_POSITION, accepted, placed)
    return lines


def page(draw: Draw, lines: Sequence[str]) -> str:
    """The lines in any order, among others."""
    others = [
        f"# HELP {DRAFTS}_total Number of spec decoding drafts.",
        f"# TYPE {DRAFTS}_total counter",
        f"# TYPE {DRAFTS}_created gauge",
        "",
        'vllm:num_requests_running{engine="0"} 1.0',
        f'other:{DRAFTS}_total{{engine="0"}} 5',
        f'{DRAFTS}_total_bucket{{le="+Inf"}} 5',
    ]
    end: str = draw(st.sampled_from(["\n", "\r\n"]))
    shuffled: list[str] = draw(st.permutations([*lines, *others]))
    return end.join(shuffled) + end


def acceptance_of(before: str, after: str) -> Acceptance | Missing:
    """From two pages to what became of the drafts between them."""
    readings = [
        EngineReading(phase, at, *read_metrics(cut_to_prefix(text, PREFIX)))
        for at, (phase, text) in enumerate(((Phase.OPEN, before), (Phase.CLOSE, after)))
    ]
    return acceptance_between(readings, (Phase.OPEN, Phase.CLOSE), "the window")


def found(before: str, after: str) -> Acceptance:
    """As above, where there has to be something."""
    acceptance = acceptance_of(before, after)
    assert isinstance(acceptance, Acceptance), acceptance
    return acceptance
