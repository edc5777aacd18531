"""Trees of draft tokens. Node 0 is the token that the target has settled; the others
were drafted, and a parent always stands before its children. A tree is walked by two
lists, each node's first child and its next sibling, with -1 for none."""

import torch
from torch import Tensor

ROOT = 0
NONE = -1
BY_QUERY = 1
"""Mask of the new tokens only, the one that SGLang asks for on a CPU."""


def link(parents: list[int]) -> tuple[list[int], list[int]]:
    """First children and next siblings, in the order of the nodes."""
    first = [NONE] * len(parents)
    following = [NONE] * len(parents)
    for node in range(len(parents) - 1, ROOT, -1):
        parent = parents[node]
        if parent != NONE:
            first[parent], following[node] = node, first[parent]
    return first, following


def ancestry(parents: list[int]) -> Tensor:
    """[nodes, nodes]: whether the second is the first or one of its ancestors. A node
    without a parent sees the root all the same."""
    seen = torch.eye(len(parents), dtype=torch.bool)
    seen[:, ROOT] = True
    for node, parent in enumerate(parents):
        if parent != NONE:
            seen[node] |= seen[parent]
    return seen


def build_tree_kernel_efficient_cpu(
    parent_list: Tensor,
    selected: Tensor,
    lengths: Tensor,
    mask: Tensor,
    positions: Tensor,
    index: Tensor,
    first_child: Tensor,
    next_sibling: Tensor,
    branches: int,
    depth: int,
    nodes: int,
    mask_mode: int,
) -> None:
    """From what the drafter proposed to the tree that is verified. A selected token is
    the place of a candidate among all; the candidates that came from one token stand
    in a group of `branches`, and `parent_list[group]` is the place of that token."""
    if int(mask_mode) != BY_QUERY:
        raise NotImplementedError(f"stand-in kernels: tree mask mode {mask_mode}")
    count = len(lengths)
    origins = parent_list.reshape(count, -1).tolist()
    for number, chosen in enumerate(selected.reshape(count, -1).tolist()):
        node_of = {place: node for node, place in enumerate(chosen, start=1)}
        parents = [NONE]
        for place in chosen:
            group = place // branches
            origin = origins[number][group] if group else None
            parents.append(ROOT if origin is None else node_of.get(origin, NONE))
        seen = ancestry(parents)
        mask.view(-1)[number * nodes**2 : (number + 1) * nodes**2] = seen.view(-1)
        positions.view(-1)[number * nodes : (number + 1) * nodes] = (
            seen.sum(1) - 1 + lengths[number]
        )
        store(number, parents, (index, first_child, next_sibling))


def reconstruct_indices_from_tree_mask(
    mask: Tensor,
    lengths: Tensor,
    positions: Tensor,
    index: Tensor,
    first_child: Tensor,
    next_sibling: Tensor,
    count: int,
    nodes: int,
) -> None:
    """The tree behind a mask: a node's parent is the last of its ancestors."""
    seen = mask.reshape(-1)[: count * nodes**2].view(count, nodes, nodes).bool()
    above = seen & torch.ones(nodes, nodes, dtype=torch.bool).tril(-1)
    order = torch.arange(nodes).expand(count, nodes, nodes)
    parents = order.masked_fill(above.logical_not(), NONE).amax(-1)
    for number, own in enumerate(parents.tolist()):
        store(number, own, (index, first_child, next_sibling))
    depths = above.sum(-1) + lengths[:count].unsqueeze(1)
    positions.view(-1)[: count * nodes] = depths.reshape(-1).to(positions.dtype)


def verify_tree_greedy_cpu(
    predicts: Tensor,
    accept_index: Tensor,
    accept_token_num: Tensor,
    candidates: Tensor,
    retrive_index: Tensor,
    retrive_next_token: Tensor,
    retrive_next_sibling: Tensor,
    target_predict: Tensor,
) -> None:
    """Follow, from the root, the children that the target would have said itself.
    (SGLang names the arguments, and spells them so.)"""
    wanted = target_predict.reshape(-1).tolist()
    trees = (candidates, retrive_index, retrive_next_token, retrive_next_sibling)
    for number, (tokens, places, first, following) in enumerate(
        zip(*(one.tolist() for one in trees), strict=True)
    ):
        node, path = ROOT, [places[ROOT]]
        while len(path) < accept_index.shape[1]:
            node = first[node]
            while node != NONE and tokens[node] != wanted[path[-1]]:
                node = following[node]
            if node == NONE:
                break
            path.append(places[node])
        for place in path:
            predicts[place] = wanted[place]
        accept_index[number, : len(path)] = torch.tensor(path, dtype=accept_index.dtype)
        accept_token_num[number] = len(path) - 1


def store(number: int, parents: list[int], out: tuple[Tensor, Tensor, Tensor]) -> None:
    """Write one sequence's lists: each node's place in the whole batch, its first
    child, its next sibling."""
    mine = slice(number * len(parents), (number + 1) * len(parents))
    first, following = link(parents)
    places = list(range(mine.start, mine.stop))
    for target, values in zip(out, (places, first, following), strict=True):
        target.view(-1)[mine] = torch.tensor(values, dtype=target.dtype)
