"""The speculative methods of SGLang 0.5.23. Keys are its flags without
`--speculative-`, from its `launch_server --help`; defaults and rules are those of its
captures and of srt/arg_groups/speculative_hook.py."""

from collections.abc import Mapping
from typing import Any

from specbench.engines.arm_keys import Key, Kind
from specbench.engines.methods import EngineMethods, Method, Need, Variant
from specbench.engines.sglang_arm_rules import (
    CHAINS,
    CONFIG_RULES,
    RULES,
    TARGET_RULES,
)

_LENGTHS = "num_steps, eagle_topk, num_draft_tokens: all or none"
_WITH_MODEL = (*CHAINS, "DFLASH", "DSPARK")
_EAGLES = ("EAGLE", "EAGLE3", "NEXTN")

METHODS: tuple[Method, ...] = (
    Method(
        "EAGLE",
        Need.HEAD,
        "Targets with a trained head that reads their last hidden state; or with such"
        " layers of their own.",
        _LENGTHS,
    ),
    Method(
        "EAGLE3",
        Need.HEAD,
        "The same with newer heads, which read several layers of the target.",
        _LENGTHS,
        required=("draft_model_path",),
    ),
    Method(
        "NEXTN",
        Need.BUNDLED,
        "Targets trained with layers that predict further tokens; runs as EAGLE.",
        _LENGTHS,
    ),
    Method(
        "STANDALONE",
        Need.DRAFT_MODEL,
        "Families with a small sibling, where there is no head for the target.",
        _LENGTHS,
        required=("draft_model_path",),
    ),
    Method(
        "NGRAM",
        Need.NOTHING,
        "Answers that repeat their prompt or earlier answers of the same server.",
        "num_draft_tokens, 12 if not given; eagle_topk must not be given",
        learns="POST /flush_cache empties its corpus; sent between cells",
    ),
    Method(
        "DFLASH",
        Need.HEAD,
        "Heads that draft a whole block in one pass: long drafts at little cost.",
        "dflash_block_size, else the head's; num_steps and eagle_topk must not be"
        " given",
        required=("draft_model_path",),
        runs_on_cpu=False,
    ),
    Method(
        "DSPARK",
        Need.HEAD,
        "Block heads that know how sure they are, so that fewer tokens are verified.",
        "dspark_block_size, else the head's; num_steps and eagle_topk must not be"
        " given",
        runs_on_cpu=False,
        folder="dspark",
    ),
    Method(
        "UNO",
        Need.ADAPTER,
        "Drafting by the target itself under an adapter: no second set of weights.",
        "num_draft_tokens, required",
        required=("uno_lora_path", "num_draft_tokens"),
        runs_on_cpu=False,
    ),
)

KEYS: tuple[Key, ...] = (
    Key("algorithm", Kind.TEXT),
    Key("draft_model_path", Kind.TEXT, used_by=(*_WITH_MODEL, "UNO")),
    Key("draft_model_revision", Kind.TEXT, used_by=_WITH_MODEL),
    Key("draft_load_format", Kind.TEXT, used_by=_WITH_MODEL),
    Key("draft_model_quantization", Kind.TEXT, used_by=_WITH_MODEL),
    Key("num_steps", Kind.WHOLE, least=0),
    Key("eagle_topk", Kind.WHOLE, least=1),
    Key("num_draft_tokens", Kind.WHOLE, least=1),
    Key("adaptive", Kind.FLAG),
    Key("adaptive_config", Kind.TABLE_OR_FILE),
    Key("dflash_block_size", Kind.WHOLE, least=1, used_by=("DFLASH",)),
    Key("dspark_block_size", Kind.WHOLE, least=1, used_by=("DSPARK",)),
    Key("dspark_sps_table_path", Kind.TEXT, used_by=("DSPARK",)),
    Key("dspark_confidence_sts_path", Kind.TEXT, used_by=("DSPARK",)),
    Key("dspark_align_verify_tokens_to_graph_tier", Kind.FLAG, used_by=("DSPARK",)),
    Key("domino_candidate_pool_size", Kind.WHOLE, least=0),
    Key("uno_lora_path", Kind.TEXT, used_by=("UNO",)),
    Key("accept_threshold_single", Kind.NUMBER),
    Key("accept_threshold_acc", Kind.NUMBER),
    Key("use_rejection_sampling", Kind.FLAG),
    Key("use_block_verification", Kind.FLAG),
    Key("token_map", Kind.TEXT, used_by=_EAGLES),
    Key("attention_mode", Kind.TEXT, choices=("prefill", "decode")),
    Key("draft_attention_backend", Kind.TEXT),
    Key("dsa_topk_backend", Kind.TEXT, choices=("sgl-kernel", "torch", "flashinfer")),
    Key(
        "draft_kv_cache_dtype",
        Kind.TEXT,
        choices=("auto", "fp8_e5m2", "fp8_e4m3", "bf16", "bfloat16"),
    ),
    Key("draft_window_size", Kind.WHOLE, least=1),
    Key("draft_sink_size", Kind.WHOLE, least=0),
    Key("moe_runner_backend", Kind.TEXT),
    Key("moe_a2a_backend", Kind.TEXT),
    Key("enable_w4a4_mxfp4_megamoe", Kind.FLAG),
    Key(
        "enable_multi_layer_eagle",
        Kind.FLAG,
        used_by=_EAGLES,
    ),
    Key("ngram_min_bfs_breadth", Kind.WHOLE, least=1, used_by=("NGRAM",)),
    Key("ngram_max_bfs_breadth", Kind.WHOLE, least=1, used_by=("NGRAM",)),
    Key("ngram_match_type", Kind.TEXT, choices=("BFS", "PROB"), used_by=("NGRAM",)),
    Key("ngram_max_trie_depth", Kind.WHOLE, least=1, used_by=("NGRAM",)),
    Key("ngram_capacity", Kind.WHOLE, least=1, used_by=("NGRAM",)),
    Key("ngram_external_corpus_path", Kind.TEXT, used_by=("NGRAM",)),
    Key("ngram_external_sam_budget", Kind.WHOLE, least=0, used_by=("NGRAM",)),
    Key("ngram_external_corpus_max_tokens", Kind.WHOLE, least=1, used_by=("NGRAM",)),
)
"""All of its flags on speculation but those of a drafter on a second server."""

VARIANTS: tuple[Variant, ...] = (
    Variant(
        "adaptive = true",
        "EAGLE, EAGLE3, NEXTN with eagle_topk 1",
        is_lossless=True,
        good_for="Fewer steps, or none, as the running batch grows or drafts fail.",
    ),
    Variant(
        "eagle_topk = 4",
        "EAGLE, EAGLE3, NEXTN, STANDALONE",
        is_lossless=True,
        good_for="Small batches: a tree of drafts is accepted further than a chain.",
    ),
    Variant(
        "use_block_verification = true",
        "EAGLE, EAGLE3, NEXTN with eagle_topk 1; DFLASH, DSPARK",
        is_lossless=True,
        good_for="Sampling above temperature 0: a draft is judged as a whole.",
    ),
    Variant(
        "token_map = FILE",
        "EAGLE, EAGLE3, NEXTN",
        is_lossless=True,
        good_for="Large vocabularies: the head scores their frequent part only.",
    ),
    Variant(
        "accept_threshold_single = 0.9",
        "all that draft a chain or a tree",
        is_lossless=False,
        good_for="Nothing that is compared with the target's own answers.",
    ),
)


def _choose(arm: Mapping[str, Any]) -> Any:
    """It takes names in any case; there is no default."""
    name = arm.get("algorithm")
    return name.upper() if isinstance(name, str) else name or ""


METHODS_OF_SGLANG = EngineMethods(
    engine="sglang",
    title="SGLang",
    version="0.5.23",
    selector="algorithm",
    methods=METHODS,
    keys=KEYS,
    choose=_choose,
    rules=RULES,
    target_rules=TARGET_RULES,
    config_rules=CONFIG_RULES,
    variants=VARIANTS,
    lossy_by=("accept_threshold_single", "accept_threshold_acc"),
    spellings={"draft_model": "draft_model_path"},
    foreign={
        "method": "algorithm",
        "model": "draft_model_path",
        "revision": "draft_model_revision",
        "num_speculative_tokens": "num_steps, eagle_topk and num_draft_tokens",
        "num_speculative_tokens_per_batch_size": "adaptive and adaptive_config",
        "quantization": "draft_model_quantization",
        "attention_backend": "draft_attention_backend",
        "kv_cache_dtype": "draft_kv_cache_dtype",
        "rejection_sample_method": "use_rejection_sampling and use_block_verification",
        "enable_adaptive_verification": "DSPARK's own way",
        "prompt_lookup_min": "ngram_min_bfs_breadth and ngram_max_trie_depth",
        "prompt_lookup_max": "ngram_max_trie_depth",
    },
)
