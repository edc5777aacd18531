"""The tokenizer that a GGUF describes, as the files that a Hugging Face model has.

GGUF stores a byte-level BPE as two lists (tokens and merges) and only names the rule
that splits text before it. This module knows the rule of SmolLM2: digits one by one,
then GPT-2's pattern. It needs the `tokenizers` library and touches no files.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

SPLITTING_RULE = "smollm"
CONTROL = 3  # GGUF's token type of markers such as <|im_start|>


def tokenizer(fields: Mapping[str, Any]) -> Tokenizer:
    """Build the tokenizer; markers become special tokens with the ids they have."""
    if fields["tokenizer.ggml.pre"] != SPLITTING_RULE:
        raise ValueError(f"unknown splitting rule: {fields['tokenizer.ggml.pre']}")
    tokens: list[str] = fields["tokenizer.ggml.tokens"]
    kinds: list[int] = fields["tokenizer.ggml.token_type"]
    merges = [tuple(merge.split(" ")) for merge in fields["tokenizer.ggml.merges"]]
    made = Tokenizer(
        models.BPE(
            vocab={token: number for number, token in enumerate(tokens)}, merges=merges
        )
    )
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
        ]
    )
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens(
        [
            AddedToken(token, normalized=False, special=True)
            for token, kind in zip(tokens, kinds, strict=True)
            if kind == CONTROL
        ]
    )
    return made


def special_ids(fields: Mapping[str, Any]) -> dict[str, int]:
    """The ids that config.json and generation_config.json both state."""
    return {
        "bos_token_id": int(fields["tokenizer.ggml.bos_token_id"]),
        "eos_token_id": int(fields["tokenizer.ggml.eos_token_id"]),
        "pad_token_id": int(fields["tokenizer.ggml.padding_token_id"]),
    }


def tokenizer_config(fields: Mapping[str, Any], positions: int) -> dict[str, Any]:
    """The content of tokenizer_config.json.

    The chat template stands here as well as in a file of its own: older engines read
    it only from here.
    """
    tokens: list[str] = fields["tokenizer.ggml.tokens"]
    names = {
        name.removesuffix("_id"): tokens[number]
        for name, number in special_ids(fields).items()
    }
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        **names,
        "unk_token": tokens[int(fields["tokenizer.ggml.unknown_token_id"])],
        "add_prefix_space": False,
        "clean_up_tokenization_spaces": False,
        "model_max_length": positions,
        "chat_template": fields["tokenizer.chat_template"],
    }
