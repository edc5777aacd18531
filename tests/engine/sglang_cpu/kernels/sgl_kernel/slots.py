"""Bookkeeping between requests and the KV pool: which slots a step writes to, which of
them stay when drafts were verified, and how accepted tokens move on."""

import ctypes
from collections.abc import Iterator

import torch
from torch import Tensor


def spans(first: Tensor, last: Tensor) -> Iterator[tuple[int, slice, slice]]:
    """Of each sequence: its number, its positions, and their places in a flat list."""
    sizes = (last - first).clamp(min=0).tolist()
    begin = 0
    for number, (start, size) in enumerate(zip(first.tolist(), sizes, strict=True)):
        yield number, slice(start, start + size), slice(begin, begin + size)
        begin += size


def assign_req_to_token_pool_cpu(
    rows: Tensor, table: Tensor, first: Tensor, last: Tensor, slots: Tensor, width: int
) -> None:
    """Enter slots into the table at the positions `first` to `last`."""
    for number, positions, places in spans(first, last):
        table[rows[number], positions] = slots[places].to(table.dtype)


def assign_extend_cache_locs_cpu(
    rows: Tensor, table: Tensor, first: Tensor, last: Tensor, out: Tensor, width: int
) -> None:
    """The other way: the slots at those positions, flat."""
    for number, positions, places in spans(first, last):
        out[places] = table[rows[number], positions].to(out.dtype)


def assign_draft_cache_locs_contiguous_cpu(
    rows: Tensor,
    table: Tensor,
    lengths: Tensor,
    out: Tensor,
    width: int,
    branches: int,
    depth: int,
) -> None:
    """The slots of all draft tokens, right behind each sequence."""
    last = lengths + branches * depth
    assign_extend_cache_locs_cpu(rows, table, lengths, last, out, width)


def build_draft_decode_metadata_cpu(
    table: Tensor, rows: Tensor, lengths: Tensor, branches: int, depth: int, width: int
) -> Tensor:
    """A table with a row for each branch of a draft: the sequence, then the slots of
    this branch alone."""
    own = table[rows.long(), :width].repeat_interleave(branches, dim=0)
    for row, length in enumerate(lengths.repeat_interleave(branches).tolist()):
        branch = length + row % branches * depth
        drafted = own[row, branch : branch + depth].clone()
        own[row, length : length + len(drafted)] = drafted
    return own


def fill_bonus_tokens_cpu(
    tokens: Tensor, accepted: Tensor, bonus: Tensor, stride: int
) -> None:
    """The last accepted token of each sequence."""
    places = torch.arange(len(accepted)) * stride + accepted.long() - 1
    bonus[: len(accepted)] = tokens.reshape(-1)[places].to(bonus.dtype)


def fill_accept_out_cache_loc_cpu(accepted: Tensor, slots: Tensor, out: Tensor) -> None:
    """Slots of accepted tokens, packed; -1 stands for none."""
    kept = slots[accepted[accepted > -1].long()]
    out[: len(kept)] = kept.to(out.dtype)


def rotate_input_ids_cpu(
    ids: Tensor,
    starts: Tensor,
    lengths: Tensor,
    fresh: Tensor,
    select_index: Tensor | None = None,
) -> None:
    """Move each sequence's tokens one place to the left and put its fresh one at the
    end, or where `select_index` says."""
    fresh = fresh.reshape(-1)
    for number, (start, length) in enumerate(
        zip(starts.tolist(), lengths.tolist(), strict=True)
    ):
        if length < 1:
            continue
        end = start + length
        ids[start : end - 1] = ids[start + 1 : end].clone()
        place = end - 1 if select_index is None else int(select_index[number])
        ids[place] = fresh[number].to(ids.dtype)


def copy_all_layer_kv_cache_cpu(
    addresses: Tensor, strides: Tensor, targets: Tensor, sources: Tensor
) -> None:
    """Copy slots inside every layer's pool, which comes as an address and the bytes of
    a slot. All are read before any is written: they may overlap."""
    moves = list(zip(targets.tolist(), sources.tolist(), strict=True))
    for address, size in zip(addresses.tolist(), strides.tolist(), strict=True):
        held = [ctypes.string_at(address + source * size, size) for _, source in moves]
        for (target, _), content in zip(moves, held, strict=True):
            ctypes.memmove(address + target * size, content, size)
