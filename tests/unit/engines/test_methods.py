"""Rules that hold for every engine in the registry, and how arms are held against
it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.engines.arm_keys import Key, Kind
from specbench.engines.known_methods import METHODS_BY_ENGINE
from specbench.engines.methods import (
    EngineMethods,
    Need,
    UnknownToVersionError,
    check_arm,
    check_arm_of_other_release,
    idle_keys,
)
from specbench.engines.sglang_methods import METHODS_OF_SGLANG
from specbench.engines.vllm_methods import METHODS_OF_VLLM
from specbench.errors import InputError
from tests.unit.engines.requests import NGRAM

ENGINES = pytest.mark.parametrize(
    "methods", METHODS_BY_ENGINE.values(), ids=list(METHODS_BY_ENGINE)
)


def refusal(methods: EngineMethods, arm: dict[str, Any]) -> InputError:
    with pytest.raises(InputError) as error:
        check_arm(methods, arm)
    return error.value


@ENGINES
def test_names_and_keys_are_listed_once(methods: EngineMethods) -> None:
    assert len(set(methods.names)) == len(methods.names)
    keys = [key.name for key in methods.keys]
    assert len(set(keys)) == len(keys)
    assert methods.selector in keys


@ENGINES
def test_the_registry_speaks_of_its_own_methods_and_keys_only(
    methods: EngineMethods,
) -> None:
    names = {method.name for method in methods.methods}
    keys = {key.name for key in methods.keys}
    for key in methods.keys:
        assert set(key.used_by) <= names
    for method in methods.methods:
        assert set(method.required) <= set(methods.key_names(method))
    assert set(methods.lossy_by) <= keys
    assert not set(methods.foreign) & keys
    for variant in methods.variants:
        assert variant.name.partition(" = ")[0] in keys


@ENGINES
def test_what_a_method_is_good_for_is_one_sentence(methods: EngineMethods) -> None:
    said = [method.good_for for method in methods.methods]
    said += [variant.good_for for variant in methods.variants]
    for sentence in said:
        assert sentence.endswith(".")
        assert 0 < len(sentence) < 100


@ENGINES
def test_heads_and_models_are_asked_for_by_key(methods: EngineMethods) -> None:
    """A draft model has no other place to come from."""
    for method in methods.methods:
        if method.needs is Need.DRAFT_MODEL:
            assert {"model", "draft_model_path"} & set(method.required)


@ENGINES
@given(word=st.text("abcdefgh_", min_size=1, max_size=30))
def test_any_word_that_is_no_key_is_refused_with_what_the_version_knows(
    methods: EngineMethods, word: str
) -> None:
    if word.replace("-", "_") in {key.name for key in methods.keys}:
        return
    method = next(m for m in methods.methods if m.needs is Need.NOTHING)
    arm = {methods.selector: method.name, "num_speculative_tokens": 3, word: 1}
    if methods.engine == "sglang":
        del arm["num_speculative_tokens"]
    error = refusal(methods, arm)
    assert isinstance(error, UnknownToVersionError)
    assert f"speculative.{word}" in error.message
    assert methods.label in error.message
    for known in methods.key_names(method):
        assert known in error.hint


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ("prompt_lookup_maximum", "prompt_lookup_max"),
        ("num_speculative_token", "num_speculative_tokens"),
        ("num-speculative-tokns", "num_speculative_tokens"),
    ],
)
def test_the_nearest_key_is_named(wrong: str, meant: str) -> None:
    assert (
        f"did you mean {meant}?" in refusal(METHODS_OF_VLLM, {**NGRAM, wrong: 2}).hint
    )


def test_another_engines_key_is_translated() -> None:
    hint = refusal(METHODS_OF_VLLM, {**NGRAM, "num_draft_tokens": 4}).hint
    assert "vLLM has num_speculative_tokens for it" in hint
    arm = {"algorithm": "NGRAM", "num_speculative_tokens": 4}
    assert "num_draft_tokens" in refusal(METHODS_OF_SGLANG, arm).hint
    arm = {"algorithm": "NGRAM", "speculative_num_draft_tokens": 4}
    assert "did you mean num_draft_tokens?" in refusal(METHODS_OF_SGLANG, arm).hint


@ENGINES
def test_a_method_that_the_version_lacks_is_refused_with_those_it_has(
    methods: EngineMethods,
) -> None:
    error = refusal(methods, {methods.selector: "lookahead"})
    assert isinstance(error, UnknownToVersionError)
    assert f"speculative.{methods.selector}: 'lookahead'" in error.message
    assert methods.label in error.message
    for name in methods.names:
        assert name in error.hint


@ENGINES
@given(words=st.sets(st.text("abcdefgh", min_size=4, max_size=9), max_size=3))
def test_another_release_gets_its_words_and_the_rest_is_checked(
    methods: EngineMethods, words: set[str]
) -> None:
    newer = {f"newer_{word}": 1 for word in words}
    for method in (m for m in methods.methods if m.required and m.absent is None):
        with pytest.raises(InputError, match=f"{method.required[0]}: is missing"):
            check_arm_of_other_release(
                methods, {methods.selector: method.name, **newer}
            )
    plain = {"vllm": NGRAM, "sglang": {"algorithm": "NGRAM"}}[methods.engine]
    unknown = check_arm_of_other_release(methods, {**plain, **newer})
    assert len(unknown) == len(newer)
    for word, error in zip(newer, unknown, strict=True):
        assert f"speculative.{word}:" in error.message


@pytest.mark.parametrize(
    ("methods", "arm", "key"),
    [
        (
            METHODS_OF_VLLM,
            {"method": "mlp_speculator", "model": "m"},
            "method",
        ),
        (
            METHODS_OF_VLLM,
            {**NGRAM, "rejection_sample_method": "typical"},
            "rejection_sample_method",
        ),
        (
            METHODS_OF_VLLM,
            {
                **NGRAM,
                "rejection_sample_method": "synthetic_2",
                "synthetic_acceptance_length": 2,
            },
            "rejection_sample_method",
        ),
        (
            METHODS_OF_SGLANG,
            {"algorithm": "NGRAM", "ngram_match_type": "LONGEST"},
            "ngram_match_type",
        ),
    ],
)
def test_limits_of_the_known_version_do_not_hold_for_another(
    methods: EngineMethods, arm: dict[str, Any], key: str
) -> None:
    assert isinstance(refusal(methods, arm), UnknownToVersionError)
    (error,) = check_arm_of_other_release(methods, arm)
    assert f"speculative.{key}:" in error.message


def test_a_choice_of_the_wrong_kind_is_no_word_of_any_release() -> None:
    arm = {**NGRAM, "rejection_sample_method": 3}
    assert not isinstance(refusal(METHODS_OF_VLLM, arm), UnknownToVersionError)
    with pytest.raises(InputError, match="expected text"):
        check_arm_of_other_release(METHODS_OF_VLLM, arm)


@ENGINES
def test_required_keys_are_missed_by_name(methods: EngineMethods) -> None:
    for method in methods.methods:
        if method.absent is None and method.required:
            error = refusal(methods, {methods.selector: method.name})
            assert f"speculative.{method.required[0]}: is missing" in error.message
            assert method.needs in error.hint


def test_dashes_are_underscores_and_a_key_stands_once() -> None:
    check_arm(METHODS_OF_VLLM, {"method": "ngram", "num-speculative-tokens": 3})
    error = refusal(METHODS_OF_VLLM, {**NGRAM, "num-speculative-tokens": 3})
    assert "given twice" in error.message
    arm = {"algorithm": "STANDALONE", "draft_model": "a", "draft-model-path": "b"}
    assert "given twice" in refusal(METHODS_OF_SGLANG, arm).message


def test_keys_that_the_method_does_not_read_are_found() -> None:
    arm = {"method": "eagle", "model": "m", "prompt_lookup_max": 3}
    check_arm(METHODS_OF_VLLM, arm)
    assert idle_keys(METHODS_OF_VLLM, arm) == ("prompt_lookup_max",)
    assert idle_keys(METHODS_OF_VLLM, NGRAM) == ()
    assert idle_keys(METHODS_OF_VLLM, {"model": "m", "prompt_lookup_max": 3}) == ()


@pytest.mark.parametrize(
    ("key", "right", "wrong"),
    [
        (Key("k", Kind.TEXT), ["", "a"], [1, True, []]),
        (Key("k", Kind.FLAG), [True, False], [1, "true"]),
        (Key("k", Kind.WHOLE, least=1), [1, 99], [0, 1.0, True, "1"]),
        (Key("k", Kind.NUMBER, least=0, most=1), [0, 0.5, 1], [-0.1, 1.01, True, "0"]),
        (Key("k", Kind.NUMBER), [2, -1.5], [float("nan"), float("inf")]),
        (Key("k", Kind.LIST), [[], [1], (1,)], ["ab", {}, 1]),
        (Key("k", Kind.TABLE), [{}, {"a": 1}], ["ab", [], 1]),
        (Key("k", Kind.TABLE_OR_FILE), [{}, "a.json"], [[], 1]),
        (Key("k", Kind.TEXT, choices=("a", "b")), ["a", "b"], ["c", "A"]),
    ],
)
def test_values_are_held_to_their_kind_and_bounds(
    key: Key, right: list[Any], wrong: list[Any]
) -> None:
    assert key.complaint(None) is None
    for value in right:
        assert key.complaint(value) is None
    for value in wrong:
        complaint = key.complaint(value)
        assert complaint is not None
        assert repr(value) in complaint
