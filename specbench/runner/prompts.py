"""The prompts of every cell of a sweep, from what preflight has read."""

import threading
from collections.abc import Iterator, Mapping, Sequence

from specbench.planning.engine_args import plain_name
from specbench.planning.size import largest_cell
from specbench.runner.freezing import Answers
from specbench.runner.lengths import left_out_note
from specbench.runner.preflight import Prepared
from specbench.schema.cell import CellKey, Condition
from specbench.schema.plan import CellSize
from specbench.schema.prompt import Prompt, Question
from specbench.schema.sweep import Target
from specbench.workload.order import order_questions
from specbench.workload.prompts import (
    Opening,
    cell_prompts,
    list_prompts,
    mark_pass,
    needs_first_answer,
    put_marker,
)

_CACHING_ON = {"enable-prefix-caching": True, "disable-radix-cache": False}

CellPrompts = tuple[tuple[Prompt, ...], tuple[Prompt, ...]]
"""Warm-up and measured prompts."""


class PromptSource:
    """Gives each cell its prompts; the same for every arm and launch. Thread-safe."""

    def __init__(self, prepared: Prepared, urls: Mapping[str, str]) -> None:
        """`urls` (by arm): servers that go on running from pass to pass, and may keep
        prefixes; each load and replicate gets a short mark. It is equal in all arms,
        but for those that share a server."""
        self._prepared = prepared
        self._marks = pass_marks(urls)
        self._lock = threading.Lock()
        self._workload = prepared.plan.spec.workload
        self._ordered: Mapping[str, tuple[Question, ...]] = {
            name: order_questions(dataset.questions, self._workload.seed)
            for name, dataset in prepared.datasets.items()
        }
        self._answers: dict[str, Answers] = {}
        self._made: dict[tuple[str, str, int, CellSize, str], CellPrompts] = {}

    def for_cell(
        self, key: CellKey, size: CellSize, *, is_first_look: bool = False
    ) -> CellPrompts:
        """Warm-up and measured prompts; made once, since fitting a length is slow.
        `is_first_look`: for a launch that has not measured yet; a server that goes on
        running then knows none of the first cell's prompts from it."""
        c = key.condition
        mark = ""
        if key.arm in self._marks:
            warmth = (
                f"t{c.temperature:g}" if len(self._workload.temperature) > 1 else ""
            )
            look = "u" if is_first_look else ""
            mark = f"{look}{c.load_mark}{warmth}r{key.replicate}{self._marks[key.arm]}"
        place = (c.target, c.dataset, c.context, size, mark)
        with self._lock:
            if place not in self._made:
                self._made[place] = self._make(c, size, mark)
            return self._made[place]

    def _make(self, c: Condition, size: CellSize, mark: str) -> CellPrompts:
        listed = list_prompts(
            self._ordered[c.dataset],
            self._workload.turns,
            self._answers.get(c.dataset, {}),
        )
        prompts = listed.prompts
        opening: Opening = put_marker
        if (axis := self._prepared.lengths.axis(c.target)) is not None:
            prompts = tuple(p for p in prompts if axis.takes(p, c.context))
            opening = axis.opening(c.dataset, c.context)
        if mark:
            opening = mark_pass(opening, mark)
        return cell_prompts(prompts, size, opening)

    def unanswered(self) -> dict[str, tuple[Question, ...]]:
        """Questions whose first answers are still to be frozen, by data set; only as
        many as the largest cell can reach."""
        if self._workload.turns == "first":
            return {}
        spec = self._prepared.plan.spec
        reach = largest_cell(spec.measure, spec.load)
        return {
            name: needs_first_answer(questions)[:reach]
            for name, questions in self._ordered.items()
            if name not in self._answers and needs_first_answer(questions)
        }

    def keep_answers(self, dataset: str, answers: Answers) -> tuple[str, ...]:
        """From now on second turns are asked; the turns that are not, and why."""
        asked = self.unanswered()[dataset]
        with self._lock:
            self._answers[dataset] = answers
            self._made.clear()
        listed = list_prompts(asked, self._workload.turns, answers)
        return (
            *(f"{dataset}: {e.where} {e.reason}" for e in listed.left_out),
            *self._too_long(dataset, listed.prompts),
        )

    def _too_long(self, dataset: str, prompts: Sequence[Prompt]) -> Iterator[str]:
        """Second turns that some context does without; first ones are known before."""
        axes = self._prepared.lengths.axes or {}
        later = [prompt for prompt in prompts if prompt.turn > 1]
        for label, axis in axes.items():
            name = f"{label}: {dataset}" if len(axes) > 1 else dataset
            for context in axis.contexts:
                if long := [p for p in later if not axis.takes(p, context)]:
                    yield left_out_note(name, long, context, axis)


def pass_marks(urls: Mapping[str, str]) -> dict[str, str]:
    """What each arm adds to the marks of its passes: nothing, or a letter where another
    arm goes to the same server, which would know the arm's prompts from there."""
    marks = {}
    for arm, url in urls.items():
        sharing = [other for other, its_url in urls.items() if its_url == url]
        place = sharing.index(arm)
        marks[arm] = chr(ord("a") + place) if len(sharing) > 1 else ""
    return marks


def is_caching_wanted(target: Target) -> bool:
    """Whether the sweep file itself turned prefix caching on: by vLLM's flag, or by
    taking SGLang's back."""
    return any(
        _CACHING_ON.get(plain_name(name)) is value
        for name, value in target.args.items()
    )
