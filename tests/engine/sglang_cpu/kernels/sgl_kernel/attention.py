"""Attention over a paged KV pool, one sequence after another, in plain PyTorch.

`table[row]` lists the pool's slots of a sequence's tokens, in order. Windows, soft caps
and cross attention are not done; a model that wants one is refused, not served wrong.
"""

import torch
from torch import Tensor


def attend(
    query: Tensor, keys: Tensor, values: Tensor, scale: float, visible: Tensor | None
) -> Tensor:
    """[new, heads, size] from [new, heads, size] and [all, kv heads, size]. `visible`:
    [new, all], None = everything."""
    shared = query.shape[1] // keys.shape[1]
    grouped = query.unflatten(1, (keys.shape[1], shared)).float()
    scores = torch.einsum("nkgd,mkd->kgnm", grouped, keys.float()) * scale
    if visible is not None:
        scores = scores.masked_fill(visible.logical_not(), -torch.inf)
    mixed = torch.einsum("kgnm,mkd->nkgd", scores.softmax(-1), values.float())
    return mixed.flatten(1, 2).to(query.dtype)


def extend_attention_cpu(
    query: Tensor,
    key: Tensor | None,
    value: Tensor | None,
    out: Tensor,
    key_pool: Tensor,
    value_pool: Tensor,
    key_scale: float,
    value_scale: float,
    table: Tensor,
    rows: Tensor,
    lengths: Tensor,
    new_lengths: Tensor,
    starts: Tensor,
    longest: int,
    scale: float,
    cap: float,
    is_cross: bool,
    window: int,
    encoder_lengths: Tensor | None,
    sinks: Tensor | None,
    tree_mask: Tensor | None = None,
    is_causal: bool = True,
) -> None:
    """Several new tokens of each sequence behind what the pool holds of it. With
    `tree_mask` ([new, new] of each sequence, one after another) a new token sees its
    own branch only."""
    refuse(cap, is_cross, window, sinks)
    seen = 0
    for row, length, new, start in zip(
        rows.tolist(),
        lengths.tolist(),
        new_lengths.tolist(),
        starts.tolist(),
        strict=True,
    ):
        slots = table[row, :length].long()
        keys, values = key_pool[slots], value_pool[slots]
        mine = slice(start, start + new)
        if key is not None and value is not None:
            keys[length - new :] = key[mine].reshape(new, *keys.shape[1:])
            values[length - new :] = value[mine].reshape(new, *values.shape[1:])
        visible = torch.ones(new, length, dtype=torch.bool)
        if tree_mask is not None:
            own = tree_mask.reshape(-1)[seen : seen + new * new]
            visible[:, length - new :] = own.view(new, new).bool()
            seen += new * new
        elif is_causal:
            visible = visible.tril(length - new)
        out[mine] = attend(query[mine], keys, values, scale, visible)


def decode_attention_cpu(
    query: Tensor,
    key_pool: Tensor,
    value_pool: Tensor,
    key_scale: float,
    value_scale: float,
    out: Tensor,
    key: Tensor | None,
    value: Tensor | None,
    slots: Tensor,
    scratch: Tensor,
    table: Tensor,
    rows: Tensor,
    lengths: Tensor,
    scale: float,
    cap: float,
    is_cross: bool,
    window: int,
    encoder_lengths: Tensor | None,
    sinks: Tensor | None,
) -> None:
    """One new token of each sequence; it goes into the pool first."""
    refuse(cap, is_cross, window, sinks)
    if key is not None and value is not None:
        key_pool[slots] = key.reshape(-1, *key_pool.shape[1:]).to(key_pool.dtype)
        value_pool[slots] = value.reshape(-1, *value_pool.shape[1:]).to(
            value_pool.dtype
        )
    for place, (row, length) in enumerate(
        zip(rows.tolist(), lengths.tolist(), strict=True)
    ):
        mine = slice(place, place + 1)
        held = table[row, :length].long()
        out[mine] = attend(query[mine], key_pool[held], value_pool[held], scale, None)


def refuse(cap: float, is_cross: bool, window: int, sinks: Tensor | None) -> None:
    """Whatever these kernels would silently leave out."""
    if cap or is_cross or window > 0 or sinks is not None:
        raise NotImplementedError(
            "specbench's stand-in kernels do plain attention only: no soft cap, no"
            " cross attention, no window, no sinks"
        )
