"""First answers for second turns: asked once, of a baseline, one at a time, and kept
with the run, so that all arms get the same bytes."""

from collections.abc import Callable, Mapping, Sequence

import orjson

from specbench.runner.cell import CellTask, Client, Endpoint, measure_cell
from specbench.schema.cell import CellKey
from specbench.schema.prompt import Message, Prompt, Question
from specbench.schema.sample import Outcome, RequestSample

Answers = Mapping[str, str]
"""Question id -> first answer."""


def freeze_answers(
    client: Client,
    endpoint: Endpoint,
    key: CellKey,
    questions: Sequence[Question],
    max_tokens: int,
    on_progress: Callable[[int], None],
) -> Answers:
    """Ask every first turn alone. `key` is a cell of the launch with concurrency 1. A
    question that fails has no answer, and so no second turn."""
    prompts = tuple(
        Prompt(f"{q.question_id}/1", q.category, 1, (Message("user", q.turns[0]),))
        for q in questions
    )
    task = CellTask(key, 0, (), prompts, max_tokens, 0.0)
    cell = measure_cell(client, endpoint, task, on_progress)
    return {
        questions[sample.index].question_id: answer_text(sample)
        for sample in cell.samples
        if sample.outcome is Outcome.OK
    }


def answer_text(sample: RequestSample) -> str:
    """The answer as a client would send it back: without the reasoning."""
    return "".join(c.text for c in sample.chunks if not c.is_reasoning)


def answers_file(answers: Answers) -> bytes:
    """What is kept with the run."""
    return orjson.dumps(dict(answers), option=orjson.OPT_INDENT_2)
