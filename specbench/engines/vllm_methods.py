"""The speculative methods of vLLM 0.32.0. Names, keys, ranges and rules are those of
its vllm/config/speculative.py; which of them a model runner builds, of its
vllm/v1/worker/gpu_model_runner.py and vllm/v1/worker/gpu/spec_decode/__init__.py."""

from collections.abc import Mapping
from typing import Any

from specbench.engines.arm_keys import Key, Kind
from specbench.engines.methods import EngineMethods, Method, Need, Variant
from specbench.engines.vllm_arm_rules import RULES, TARGET_RULES
from specbench.engines.vllm_verify_rules import TRITON

_MTP_NAMES = (
    "deepseek_mtp",
    "dots3_note_mtp",
    "mimo_mtp",
    "mimo_v2_mtp",
    "glm4_moe_mtp",
    "glm4_moe_lite_mtp",
    "glm_ocr_mtp",
    "ernie_mtp",
    "nemotron_h_mtp",
    "exaone_moe_mtp",
    "exaone4_5_mtp",
    "qwen3_next_mtp",
    "qwen4_exp_mtp",
    "qwen3_5_mtp",
    "longcat_flash_mtp",
    "bailing_hybrid_v3_mtp",
    "minimax_m3_mtp",
    "bailing_hybrid_mtp",
    "kimi_k3_mtp",
    "pangu_ultra_moe_mtp",
    "step3p5_mtp",
    "hy_v3_mtp",
    "hy_v4_mtp",
    "gemma4_mtp",
    "inkling_mtp",
    "glm5_next_mtp",
)
"""Older names of `mtp`: the engine takes them, warns, and runs the same."""

_LENGTH = "num_speculative_tokens"
_REQUIRED = f"{_LENGTH}, required"
_BY_HEAD = f"{_LENGTH}, unless the head's config has n_predict"
_WITH_MODEL = (
    "draft_model",
    "eagle",
    "eagle3",
    "mtp",
    "medusa",
    "mlp_speculator",
    "dflash",
    "dspark",
)
"""Methods that load weights."""
_N_GRAMS = ("ngram", "ngram_gpu")

METHODS: tuple[Method, ...] = (
    Method(
        "ngram",
        Need.NOTHING,
        "Answers that repeat their prompt: summaries, edits, code, retrieval.",
        _REQUIRED,
        required=(_LENGTH,),
    ),
    Method(
        "ngram_gpu",
        Need.NOTHING,
        "The same, searched on the GPU, so that asynchronous scheduling stays on.",
        _REQUIRED,
        required=(_LENGTH,),
    ),
    Method(
        "suffix",
        Need.NOTHING,
        "Prompts with long repeats; drafts grow with the match that was found.",
        f"{_LENGTH} is the most; without it the depth of the tree",
        learns="suffix_decoding_max_cached_requests = 0, which is asked for: nothing"
        " empties its cache between loads",
        package="arctic-inference==0.1.1",
        module="arctic_inference",
    ),
    Method(
        "draft_model",
        Need.DRAFT_MODEL,
        "Families with a small sibling, where there is no head for the target.",
        _BY_HEAD.replace("head", "model"),
        required=("model",),
    ),
    Method(
        "eagle",
        Need.HEAD,
        "Targets with a trained head that reads their last hidden state.",
        _BY_HEAD,
        required=("model",),
    ),
    Method(
        "eagle3",
        Need.HEAD,
        "The same with newer heads, which read several layers of the target.",
        _BY_HEAD,
        required=("model",),
    ),
    Method(
        "mtp",
        Need.BUNDLED,
        "Targets trained with layers that predict further tokens.",
        f"{_LENGTH}, required without `model`",
        aliases=_MTP_NAMES,
    ),
    Method(
        "medusa",
        Need.HEAD,
        "Cheap heads that guess each position by itself; later ones are often wrong.",
        _BY_HEAD,
        required=("model",),
    ),
    Method(
        "mlp_speculator",
        Need.HEAD,
        "Nothing in this version.",
        _BY_HEAD,
        required=("model",),
        absent="its configuration knows the name, but no model runner has the drafter",
    ),
    Method(
        "dflash",
        Need.HEAD,
        "Heads that draft a whole block in one pass: long drafts at little cost.",
        _BY_HEAD,
        required=("model",),
    ),
    Method(
        "dspark",
        Need.HEAD,
        "Block heads that know how sure they are, for adaptive verification.",
        f"{_LENGTH}, else the head's block size; required without `model`",
    ),
    Method(
        "custom_class",
        Need.PROGRAM,
        "Trying a drafter of your own: `model` is its dotted import path.",
        _REQUIRED,
        required=("model", _LENGTH),
    ),
    Method(
        "extract_hidden_states",
        Need.NOTHING,
        "Collecting hidden states to train a head; it makes nothing faster.",
        f"{_LENGTH}, only 1",
        required=(_LENGTH, "draft_model_config"),
    ),
)

KEYS: tuple[Key, ...] = (
    Key("method", Kind.TEXT),
    Key("model", Kind.TEXT),
    Key(_LENGTH, Kind.WHOLE, least=1),
    Key("num_speculative_tokens_per_batch_size", Kind.LIST),
    Key("prompt_lookup_min", Kind.WHOLE, least=1, used_by=_N_GRAMS),
    Key("prompt_lookup_max", Kind.WHOLE, least=1, used_by=_N_GRAMS),
    Key("suffix_decoding_max_tree_depth", Kind.WHOLE, least=1, used_by=("suffix",)),
    Key(
        "suffix_decoding_max_cached_requests",
        Kind.WHOLE,
        least=0,
        used_by=("suffix",),
    ),
    Key("suffix_decoding_max_spec_factor", Kind.NUMBER, least=0, used_by=("suffix",)),
    Key(
        "suffix_decoding_min_token_prob",
        Kind.NUMBER,
        least=0,
        most=1,
        used_by=("suffix",),
    ),
    Key("parallel_drafting", Kind.FLAG, used_by=_WITH_MODEL),
    Key(
        "rejection_sample_method",
        Kind.TEXT,
        choices=("standard", "synthetic", "block"),
    ),
    Key("synthetic_acceptance_rates", Kind.LIST),
    Key("synthetic_acceptance_length", Kind.NUMBER, least=1),
    Key("draft_sample_method", Kind.TEXT, choices=("greedy", "probabilistic")),
    Key("enable_adaptive_verification", Kind.FLAG),
    Key("dspark_draft_topk", Kind.WHOLE, least=1, used_by=("dspark",)),
    Key("use_heterogeneous_vocab", Kind.FLAG, used_by=("draft_model",)),
    Key("index_share_for_mtp_iteration", Kind.FLAG, used_by=("mtp",)),
    Key("use_local_argmax_reduction", Kind.FLAG),
    Key("disable_padded_drafter_batch", Kind.FLAG),
    Key("disable_eagle_block_drop", Kind.FLAG),
    Key("enforce_eager", Kind.FLAG),
    Key("draft_tensor_parallel_size", Kind.WHOLE, least=1, used_by=_WITH_MODEL),
    Key("quantization", Kind.TEXT, used_by=_WITH_MODEL),
    Key("moe_backend", Kind.TEXT),
    Key("attention_backend", Kind.TEXT),
    Key("kv_cache_dtype", Kind.TEXT),
    Key("max_model_len", Kind.WHOLE, least=1, used_by=_WITH_MODEL),
    Key("revision", Kind.TEXT, used_by=_WITH_MODEL),
    Key("code_revision", Kind.TEXT, used_by=_WITH_MODEL),
    Key("draft_load_config", Kind.TABLE),
    Key("draft_model_config", Kind.TABLE, used_by=("extract_hidden_states",)),
)
"""Every field of its `SpeculativeConfig` that is the user's to set; the engine itself
fills in the target's configuration and the draft's parallel one."""

VARIANTS: tuple[Variant, ...] = (
    Variant(
        "num_speculative_tokens_per_batch_size = [[1, 4, 3], [5, 64, 0]]",
        "all",
        is_lossless=True,
        good_for="Drafts that get shorter, or stop, as the running batch grows.",
    ),
    Variant(
        "parallel_drafting = true",
        "draft_model, eagle, eagle3; always on in dflash, dspark",
        is_lossless=True,
        good_for="Draft models and heads trained to fill all positions in one pass.",
    ),
    Variant(
        "enable_adaptive_verification = true",
        "dspark, and drafters that give logits; needs full CUDA graphs",
        is_lossless=True,
        good_for="Verifying only the drafted tokens that are likely to be taken.",
    ),
    Variant(
        "rejection_sample_method = block",
        "all that run on its second model runner",
        is_lossless=True,
        good_for="Sampling above temperature 0: a draft is judged as a whole.",
    ),
    Variant(
        "rejection_sample_method = synthetic",
        "all",
        is_lossless=False,
        good_for="Break-even by acceptance, without a trained head; answers mean"
        " nothing.",
    ),
)


def _choose(arm: Mapping[str, Any]) -> Any:
    """As its __post_init__ does: without a method, a dotted path is a class of the
    user's, and what another model is shows when it is read."""
    method, model = arm.get("method"), arm.get("model")
    if method is not None:
        return method
    if model in ("ngram", "[ngram]"):
        return "ngram"
    if isinstance(model, str) and _is_dotted(model):
        return "custom_class"
    return None


def _is_dotted(model: str) -> bool:
    words = model.split(".")
    return len(words) > 1 and all(word.isidentifier() for word in words)


METHODS_OF_VLLM = EngineMethods(
    engine="vllm",
    title="vLLM",
    version="0.32.0",
    selector="method",
    methods=METHODS,
    keys=KEYS,
    choose=_choose,
    rules=RULES,
    target_rules=TARGET_RULES,
    modules=(TRITON,),
    variants=VARIANTS,
    lossy_by=("rejection_sample_method",),
    foreign={
        "algorithm": "method",
        "draft_model_path": "model",
        "draft_model": "model",
        "draft_model_revision": "revision",
        "num_steps": "num_speculative_tokens",
        "num_draft_tokens": "num_speculative_tokens",
        "draft_model_quantization": "quantization",
        "draft_attention_backend": "attention_backend",
        "draft_kv_cache_dtype": "kv_cache_dtype",
        "use_block_verification": 'rejection_sample_method = "block"',
        "adaptive": "enable_adaptive_verification",
        "tensor_parallel_size": "draft_tensor_parallel_size",
        "adaptive_config": "num_speculative_tokens_per_batch_size",
    },
)
