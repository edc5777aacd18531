"""Tries the stand-in kernels, in the environment that they are for: the two ways to a
tree agree, and a token of a tree attends to what it would see if its branch were all
that there is. Prints how many trees were tried."""

import random
import sys
from itertools import pairwise
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parent / "kernels"))

from sgl_kernel.attention import (  # type: ignore[import-not-found]
    decode_attention_cpu,
    extend_attention_cpu,
)
from sgl_kernel.trees import (  # type: ignore[import-not-found]
    BY_QUERY,
    build_tree_kernel_efficient_cpu,
    reconstruct_indices_from_tree_mask,
    verify_tree_greedy_cpu,
)

TREES = 200
HEADS, KV_HEADS, SIZE = 4, 2, 8


class Drafted:
    """Candidates in groups of `branches`, each group from one earlier candidate, and
    the ones that were chosen; a chosen one's origin is chosen too."""

    def __init__(self, chance: random.Random) -> None:
        self.branches, steps = chance.randint(1, 3), chance.randint(1, 4)
        self.depth = steps
        self.origins = [-1]
        level = list(range(self.branches))
        places = list(level)
        for _ in range(steps - 1):
            level = sorted(chance.sample(level, self.branches))
            for origin in list(level):
                group = len(self.origins)
                self.origins.append(origin)
                places += range(group * self.branches, (group + 1) * self.branches)
            level = places[-(self.branches**2) :]
        chosen: set[int] = set()
        for place in chance.sample(places, chance.randint(1, len(places))):
            while place not in chosen:
                chosen.add(place)
                group = place // self.branches
                if group == 0:
                    break
                place = self.origins[group]
        self.chosen = sorted(chosen)

    def parent_of(self, place: int) -> int:
        """Its node; 0 is the root."""
        group = place // self.branches
        return 0 if group == 0 else 1 + self.chosen.index(self.origins[group])

    def path(self, node: int) -> list[int]:
        """Nodes from the root to this one."""
        found = [node]
        while found[0] != 0:
            found.insert(0, self.parent_of(self.chosen[found[0] - 1]))
        return found


def lists(nodes: int) -> tuple[torch.Tensor, ...]:
    """Positions, index, first children, next siblings, to be filled."""
    return tuple(torch.full((1, nodes), -1, dtype=torch.long) for _ in range(4))


def try_tree(chance: random.Random) -> None:
    drafted = Drafted(chance)
    nodes, length = len(drafted.chosen) + 1, chance.randint(1, 9)
    lengths = torch.tensor([length])
    mask = torch.zeros(nodes * nodes, dtype=torch.bool)
    built, read = lists(nodes), lists(nodes)
    build_tree_kernel_efficient_cpu(
        torch.tensor([drafted.origins]),
        torch.tensor([drafted.chosen]),
        lengths,
        mask,
        *built,
        drafted.branches,
        drafted.depth,
        nodes,
        BY_QUERY,
    )
    reconstruct_indices_from_tree_mask(mask, lengths, *read, 1, nodes)
    for mine, theirs in zip(built, read, strict=True):
        assert torch.equal(mine, theirs), (drafted.origins, drafted.chosen)
    paths = [drafted.path(node) for node in range(nodes)]
    seen = mask.view(nodes, nodes)
    assert [row.nonzero().flatten().tolist() for row in seen] == paths
    assert built[0].flatten().tolist() == [length + len(p) - 1 for p in paths]
    try_attention(paths, seen, length)
    try_verify(chance, drafted, built, paths)


def try_attention(paths: list[list[int]], seen: torch.Tensor, length: int) -> None:
    """All nodes at once with the mask, against each with its own branch alone."""
    nodes = len(paths)
    pool = torch.randn(2, length + nodes, KV_HEADS, SIZE)
    query = torch.randn(nodes, HEADS, SIZE)
    slots = torch.arange(length + nodes).unsqueeze(0)
    together, alone = torch.empty_like(query), torch.empty_like(query)
    one = torch.ones(1, dtype=torch.long)
    plain = (SIZE**-0.5, 0.0, False, 0, None, None)
    extend_attention_cpu(
        query, None, None, together, pool[0], pool[1], 1.0, 1.0, slots, one * 0,
        one * (length + nodes), one * nodes, one * 0, nodes, *plain, seen.reshape(-1),
    )  # fmt: skip
    for node, path in enumerate(paths):
        branch = [*range(length), *(length + step for step in path)]
        decode_attention_cpu(
            query[node : node + 1], pool[0], pool[1], 1.0, 1.0,
            alone[node : node + 1], None, None, one, one, torch.tensor([branch]),
            one * 0, one * len(branch), *plain,
        )  # fmt: skip
    assert torch.allclose(together, alone, atol=1e-5)


def try_verify(
    chance: random.Random,
    drafted: Drafted,
    built: tuple[torch.Tensor, ...],
    paths: list[list[int]],
) -> None:
    """The target says the tokens of one branch: that branch is accepted, no more."""
    nodes = len(paths)
    wanted = chance.choice(paths)
    tokens = torch.arange(100, 100 + nodes)
    says = torch.full((nodes,), 7)
    for node, following in pairwise(wanted):
        says[node] = tokens[following]
    accepted = torch.full((1, drafted.depth + 1), -1, dtype=torch.int32)
    count = torch.zeros(1, dtype=torch.int32)
    predicts = torch.zeros(nodes, dtype=torch.int32)
    _, index, first, following_sibling = built
    verify_tree_greedy_cpu(
        predicts=predicts,
        accept_index=accepted,
        accept_token_num=count,
        candidates=tokens.unsqueeze(0),
        retrive_index=index,
        retrive_next_token=first,
        retrive_next_sibling=following_sibling,
        target_predict=says,
    )
    assert count.item() == len(wanted) - 1
    assert accepted[0, : len(wanted)].tolist() == wanted
    assert predicts[wanted[-1]].item() == 7


if __name__ == "__main__":
    torch.manual_seed(0)
    for seed in range(TREES):
        try_tree(random.Random(seed))
    sys.stdout.write(f"{TREES} trees\n")
