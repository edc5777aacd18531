from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from specbench.schema.prompt import Question
from specbench.workload.order import order_questions


def question(number: int, category: str) -> Question:
    return Question(f"{number}", category, (f"Question {number}?",))


many = st.lists(st.sampled_from(["a", "b", "c", ""]), min_size=1, max_size=40).map(
    lambda names: [question(i, name) for i, name in enumerate(names)]
)


@given(many, st.integers())
def test_order_holds_every_question_once(questions: list[Question], seed: int) -> None:
    ordered = order_questions(questions, seed)
    assert sorted(ordered, key=lambda q: int(q.question_id)) == questions


@given(many, st.integers())
def test_every_beginning_has_a_balanced_mix(
    questions: list[Question], seed: int
) -> None:
    sizes = Counter(q.category for q in questions)
    seen: Counter[str] = Counter(dict.fromkeys(sizes, 0))
    for q in order_questions(questions, seed):
        seen[q.category] += 1
        unfinished = [seen[name] for name in sizes if seen[name] < sizes[name]]
        assert all(max(seen.values()) - count <= 1 for count in unfinished)


def test_order_is_the_same_in_every_version_of_python() -> None:
    questions = [question(i, "ab"[i % 2]) for i in range(8)]
    ordered = [q.question_id for q in order_questions(questions, seed=0)]
    assert ordered == ["4", "1", "2", "5", "6", "7", "0", "3"]


def test_seed_changes_the_order() -> None:
    questions = [question(i, "") for i in range(20)]
    assert order_questions(questions, 0) != order_questions(questions, 1)


def test_another_category_leaves_the_order_inside_the_others_alone() -> None:
    few = [question(i, "a") for i in range(9)]
    more = [*few, *(question(i, "b") for i in range(9, 15))]
    kept = [q for q in order_questions(more, 3) if q.category == "a"]
    assert kept == list(order_questions(few, 3))
