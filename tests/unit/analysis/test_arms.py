"""What an arm's settings say of its figures."""

from typing import Any

import pytest

from specbench.analysis.arms import (
    ADAPTIVE,
    PADDED,
    SURE,
    TREES,
    fixed_draft_tokens,
    rate_caveat,
)
from specbench.schema.drafting import Drafter


@pytest.mark.parametrize(
    ("speculative", "caveat"),
    [
        ({"algorithm": "NGRAM"}, PADDED),
        ({"algorithm": "ngram", "num-draft-tokens": 8}, PADDED),
        ({"algorithm": "EAGLE3", "eagle_topk": 2, "num_draft_tokens": 6}, TREES),
        ({"algorithm": "STANDALONE", "eagle-topk": 4}, TREES),
        ({"algorithm": "EAGLE", "eagle_topk": 1, "num_steps": 3}, ""),
        ({"algorithm": "EAGLE", "eagle_topk": 1, "adaptive": True}, ADAPTIVE),
        ({"algorithm": "EAGLE", "adaptive_config": {"1": {}}}, ADAPTIVE),
        ({"algorithm": "EAGLE", "adaptive": False}, ""),
        ({"algorithm": "DSPARK", "num_draft_tokens": 8}, SURE),
        ({"method": "ngram", "num_speculative_tokens": 3}, ""),
        ({"method": "eagle3", "model": "m", "num_speculative_tokens": 3}, ""),
    ],
)
def test_rates_that_do_not_compare_say_why(
    speculative: dict[str, Any], caveat: str
) -> None:
    assert rate_caveat(speculative) == caveat


@pytest.mark.parametrize(
    ("drafter", "caveat"),
    [
        (Drafter("EAGLE3", branches=4), TREES),
        (Drafter("EAGLE3", branches=1), ""),
        (Drafter("EAGLE3", is_adaptive=True, branches=1), ADAPTIVE),
        (None, ""),
    ],
)
def test_what_the_server_chose_by_itself_counts(
    drafter: Drafter | None, caveat: str
) -> None:
    assert rate_caveat({"algorithm": "EAGLE3"}, drafter) == caveat


def test_an_adaptive_arm_that_the_server_did_not_make_so_is_none() -> None:
    arm = {"algorithm": "EAGLE3", "adaptive": True}
    running = Drafter("EAGLE3", is_adaptive=False, branches=4)
    assert rate_caveat(arm, running) == TREES


@pytest.mark.parametrize(
    ("speculative", "tokens"),
    [
        ({"method": "ngram", "num_speculative_tokens": 3}, 3),
        ({"method": "ngram"}, None),
        ({"algorithm": "EAGLE3", "eagle_topk": 1, "num_steps": 3}, 3),
        ({"algorithm": "EAGLE3", "num-draft-tokens": 6, "eagle_topk": 2}, 5),
        ({"algorithm": "ngram"}, 11),
        ({"algorithm": "NGRAM", "num_draft_tokens": 8}, 7),
        ({"algorithm": "EAGLE3"}, None),
        ({"algorithm": "EAGLE3", "adaptive": True, "num_draft_tokens": 4}, None),
        ({"algorithm": "EAGLE3", "adaptive_config": {"1": {}}}, None),
    ],
)
def test_tokens_verified_beside_the_targets_own(
    speculative: dict[str, Any], tokens: int | None
) -> None:
    """Of SGLang's arms the width counts the target's own token in."""
    assert fixed_draft_tokens(speculative) == tokens
