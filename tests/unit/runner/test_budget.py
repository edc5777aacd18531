"""The machine time that a run may take."""

from specbench.runner.budget import Budget
from specbench.units import NS_PER_S


class Hand:
    """Of a clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.at_s = 100.0

    def now_ns(self) -> int:
        return round(self.at_s * NS_PER_S)


def test_a_budget_is_spent_when_so_much_time_has_passed_since_it_was_made() -> None:
    hand = Hand()
    budget = Budget(30.0, hand.now_ns)
    assert (budget.left_s, budget.is_spent) == (30.0, False)
    hand.at_s += 29.0
    assert (budget.left_s, budget.is_spent) == (1.0, False)
    hand.at_s += 2.0
    assert (budget.left_s, budget.is_spent) == (0.0, True)
    assert budget.elapsed_s == 31.0


def test_without_a_limit_it_is_never_spent() -> None:
    hand = Hand()
    budget = Budget(None, hand.now_ns)
    hand.at_s += 1e9
    assert (budget.left_s, budget.is_spent) == (None, False)
