"""Arms held against what is on this machine: heads, packages, another release."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from specbench.errors import InputError
from specbench.planning.expand import plan_sweep
from specbench.runner.preflight import check_arms, check_shell, prepare_sweep
from specbench.schema.plan import SweepPlan
from specbench.schema.sweep import SweepSpec, Target

LLAMA = {"architectures": ["LlamaForCausalLM"], "vocab_size": 100, "hidden_size": 64}
HEAD = {**LLAMA, "architectures": ["LlamaForCausalLMEagle3"]}
NGRAM: dict[str, Any] = {"method": "ngram", "num_speculative_tokens": 3}


def plan(speculative: dict[str, Any], is_aa: bool = False, **target: Any) -> SweepPlan:
    described = {"model": "org/target", "engine": "vllm", "name": "t", **target}
    spec = SweepSpec.model_validate(
        {
            "targets": [described],
            "arms": [{"name": "arm", "speculative": speculative}],
            "workload": {"datasets": ["d"], "context": [0], "max_tokens": 16},
            "load": {"concurrency": [1]},
        }
    )
    return plan_sweep(spec, is_aa=is_aa)


def notes(
    speculative: dict[str, Any],
    environ: Mapping[str, str] | None = None,
    will_launch: bool = True,
    **target: Any,
) -> tuple[str, ...]:
    return check_arms(
        plan(speculative, **target), "s.toml", environ or {}, will_launch=will_launch
    )


def refusal(
    speculative: dict[str, Any],
    environ: Mapping[str, str] | None = None,
    **target: Any,
) -> str:
    with pytest.raises(InputError) as error:
        notes(speculative, environ, **target)
    return error.value.message


def model(folder: Path, config: dict[str, Any], name: str = "config.json") -> str:
    folder.mkdir(parents=True)
    (folder / name).write_text(json.dumps(config))
    return str(folder)


def environment(folder: Path, *packages: str, closed: bool = True) -> str:
    """A virtual environment with these distributions; its program."""
    program = folder / "bin" / "vllm"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    site = folder / "lib" / "python3.11" / "site-packages"
    for package in packages:
        (site / f"{package}.dist-info").mkdir(parents=True)
    shared = "false" if closed else "true"
    text = f"include-system-site-packages = {shared}\n"
    (folder / "pyvenv.cfg").write_text(text)
    return str(program)


def eagle3(head: str) -> dict[str, Any]:
    return {"method": "eagle3", "model": head, "num_speculative_tokens": 3}


def test_a_head_that_is_not_there_is_refused_by_file_arm_and_key(
    tmp_path: Path,
) -> None:
    said = refusal(eagle3(str(tmp_path / "nowhere")))
    assert said.startswith("s.toml: arms[0] (arm): speculative.model: there is no")
    assert "nowhere" in said


def test_a_folder_without_a_config_is_no_head(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    said = refusal(eagle3(str(tmp_path / "empty")))
    assert "has no config.json" in said


def test_the_key_of_the_other_engine_is_named_too(tmp_path: Path) -> None:
    arm = {"algorithm": "EAGLE3", "draft_model_path": str(tmp_path / "nowhere")}
    assert "speculative.draft_model_path" in refusal(arm, engine="sglang")


def test_a_head_in_a_folder_passes(tmp_path: Path) -> None:
    assert notes(eagle3(model(tmp_path / "head", HEAD))) == ()
    mistral = model(tmp_path / "mistral", {}, "params.json")
    assert notes(eagle3(mistral)) == ()


def test_weights_behind_an_address_are_the_engines_business() -> None:
    assert notes(eagle3("s3://bucket/head"), {"HF_HUB_OFFLINE": "1"}) == ()


@pytest.mark.parametrize("value", ["1", "true", "YES", "on"])
def test_a_name_has_to_be_cached_where_the_hub_may_not_be_asked(
    tmp_path: Path, value: str
) -> None:
    environ = {"HF_HUB_OFFLINE": value, "HF_HUB_CACHE": str(tmp_path)}
    said = refusal(eagle3("org/head"), environ)
    assert "speculative.model: org/head" in said
    assert "HF_HUB_OFFLINE" in said
    model(tmp_path / "models--org--head" / "snapshots" / "abc", HEAD)
    assert notes(eagle3("org/head"), environ) == ()


def test_a_name_is_left_to_the_engine_where_it_may_ask_or_looks_elsewhere(
    tmp_path: Path,
) -> None:
    cache = {"HF_HUB_CACHE": str(tmp_path)}
    assert notes(eagle3("org/head"), cache) == ()
    offline = {**cache, "HF_HUB_OFFLINE": "1"}
    assert notes(eagle3("org/head"), offline, args={"download-dir": "/w"}) == ()
    assert notes(eagle3("org/head"), offline, env={"HF_HUB_OFFLINE": "0"}) == ()
    assert "org/head" in refusal(eagle3("org/head"), cache, env={"HF_HUB_OFFLINE": "1"})


def test_a_draft_model_of_another_vocabulary_is_refused_with_both_sizes(
    tmp_path: Path,
) -> None:
    target = model(tmp_path / "target", LLAMA)
    small = model(tmp_path / "small", {**LLAMA, "vocab_size": 90})
    arm = {"method": "draft_model", "model": small, "num_speculative_tokens": 3}
    said = refusal(arm, model=target)
    assert "90 tokens" in said
    assert "100" in said
    assert notes({**arm, "use_heterogeneous_vocab": True}, model=target) == ()
    standalone = {"algorithm": "STANDALONE", "draft_model_path": small}
    assert "90 tokens" in refusal(standalone, model=target, engine="sglang")


def test_an_eagle3_head_under_eagle_is_refused(tmp_path: Path) -> None:
    head = model(tmp_path / "head", HEAD)
    arm = {"algorithm": "EAGLE", "draft_model_path": head}
    assert "EAGLE-3 head" in refusal(arm, engine="sglang")
    assert notes({**arm, "algorithm": "EAGLE3"}, engine="sglang") == ()


def test_a_head_for_another_target_is_noted(tmp_path: Path) -> None:
    target = model(tmp_path / "target", {**LLAMA, "hidden_size": 128})
    (note,) = notes(eagle3(model(tmp_path / "head", HEAD)), model=target)
    assert note.startswith("arm: the drafter")
    assert "64 numbers" in note


def test_layers_that_the_target_lacks_are_a_missing_head(tmp_path: Path) -> None:
    plain = model(tmp_path / "plain", LLAMA)
    arm = {"method": "mtp", "num_speculative_tokens": 1}
    assert "speculative.model: is missing" in refusal(arm, model=plain)
    nextn = {"algorithm": "NEXTN"}
    said = refusal(nextn, model=plain, engine="sglang")
    assert "speculative.draft_model_path: is missing" in said
    trained = model(tmp_path / "trained", {"num_nextn_predict_layers": 1})
    assert notes(arm, model=trained) == ()
    strange = model(tmp_path / "strange", {"architectures": ["NewForCausalLM"]})
    (note,) = notes(arm, model=strange)
    assert "speaks of none" in note


def test_a_package_that_the_engine_lacks_is_named(tmp_path: Path) -> None:
    arm = {"method": "suffix", "suffix_decoding_max_cached_requests": 0}
    lacking = environment(tmp_path / "a", "vllm-0.32.0")
    assert "arctic-inference" in refusal(arm, executable=lacking)
    having = environment(tmp_path / "b", "vllm-0.32.0", "arctic_inference-0.1.1")
    assert notes(arm, executable=having) == ()
    shared = environment(tmp_path / "c", "vllm-0.32.0", closed=False)
    assert notes(arm, executable=shared) == ()


def test_methods_without_a_cpu_form_are_refused_there(tmp_path: Path) -> None:
    head = model(tmp_path / "head", HEAD)
    arm = {"algorithm": "DFLASH", "draft_model_path": head}
    assert "does not run on a CPU" in refusal(arm, engine="sglang", device="cpu")
    assert notes(arm, engine="sglang") == ()


def test_keys_without_effect_are_noted() -> None:
    arm = {"method": "suffix", "suffix_decoding_max_cached_requests": 0}
    (note,) = notes({**arm, "prompt_lookup_max": 3})
    assert note == "arm: speculative.prompt_lookup_max has no effect with suffix"


def test_an_older_name_is_noted(tmp_path: Path) -> None:
    trained = model(tmp_path / "trained", {"num_nextn_predict_layers": 1})
    arm = {"method": "deepseek_mtp", "num_speculative_tokens": 1}
    (note,) = notes(arm, model=trained)
    assert "older name of mtp" in note


@pytest.mark.parametrize(
    ("arm", "word"),
    [
        ({**NGRAM, "newer_key": 1}, "newer_key"),
        ({"method": "newer_method", "num_speculative_tokens": 3}, "newer_method"),
        ({"method": "mlp_speculator", "model": "org/head"}, "mlp_speculator"),
        ({**NGRAM, "rejection_sample_method": "newer_way"}, "newer_way"),
    ],
)
def test_words_of_another_release_are_left_to_it(
    tmp_path: Path, arm: dict[str, Any], word: str
) -> None:
    other = environment(tmp_path / "other", "vllm-0.33.1+cpu")
    (note,) = notes(arm, executable=other)
    assert word in note
    assert "vLLM 0.33.1+cpu is installed" in note
    known = environment(tmp_path / "known", "vllm-0.32.0+cpu")
    assert word in refusal(arm, executable=known)
    assert word in refusal(arm, executable=str(tmp_path / "no-program"))


@pytest.mark.parametrize("will_launch", [True, False])
def test_a_new_word_does_not_hide_what_is_wrong_beside_it(
    tmp_path: Path, will_launch: bool
) -> None:
    other = environment(tmp_path / "other", "vllm-0.33.1", "arctic_inference-0.1.1")
    learning = {"method": "suffix", "newer_key": 1}
    with pytest.raises(InputError, match="max_cached_requests: must be 0"):
        notes(learning, will_launch=will_launch, executable=other)
    wrong = {**NGRAM, "newer_key": 1, "prompt_lookup_max": "3"}
    with pytest.raises(InputError, match="prompt_lookup_max: expected a whole"):
        notes(wrong, will_launch=will_launch, executable=other)
    two = {**NGRAM, "newer_key": 1, "newest_key": 1}
    assert len(notes(two, will_launch=will_launch, executable=other)) == 2


def test_a_new_word_beside_a_head_leaves_the_head_checked(tmp_path: Path) -> None:
    other = environment(tmp_path / "other", "vllm-0.33.1")
    arm = {**eagle3(str(tmp_path / "nowhere")), "newer_key": 1}
    assert "there is no folder" in refusal(arm, executable=other)


def test_a_head_inside_the_target_is_found(tmp_path: Path) -> None:
    plain = model(tmp_path / "plain", LLAMA)
    arm = {"algorithm": "DSPARK"}
    said = refusal(arm, model=plain, engine="sglang")
    assert "speculative.draft_model_path: is missing" in said
    assert "dspark/" in said
    model(tmp_path / "plain" / "dspark", HEAD)
    assert notes(arm, model=plain, engine="sglang") == ()


def test_a_head_inside_a_target_on_the_hub_is_a_note(tmp_path: Path) -> None:
    model(tmp_path / "models--org--target" / "snapshots" / "abc", LLAMA)
    cache = {"HF_HUB_CACHE": str(tmp_path)}
    (note,) = notes({"algorithm": "DSPARK"}, cache, engine="sglang")
    assert "whether org/target has any is found out on the hub" in note
    assert "is missing" in refusal({"algorithm": "NEXTN"}, cache, engine="sglang")


def test_an_exact_verification_of_chains_is_refused_for_a_tree_by_default(
    tmp_path: Path,
) -> None:
    llama = model(tmp_path / "llama", LLAMA)
    arm = {
        "algorithm": "EAGLE3",
        "draft_model_path": model(tmp_path / "head", HEAD),
        "use_rejection_sampling": True,
    }
    said = refusal(arm, model=llama, engine="sglang")
    assert "speculative.eagle_topk: is missing" in said
    assert "LlamaForCausalLM" in said
    block = {**arm, "use_rejection_sampling": False, "use_block_verification": True}
    assert "use_block_verification" in refusal(block, model=llama, engine="sglang")
    chain = {**arm, "num_steps": 5, "eagle_topk": 1}
    adaptive = {**arm, "adaptive": True}
    tree = {**arm, "use_rejection_sampling": False}
    for fine in (chain, adaptive, tree):
        assert notes(fine, model=llama, engine="sglang") == ()
    qwen = model(tmp_path / "qwen", {**LLAMA, "architectures": ["Qwen3ForCausalLM"]})
    assert notes(arm, model=qwen, engine="sglang") == ()


def test_verification_that_a_cpu_lacks_is_refused_or_noted(tmp_path: Path) -> None:
    arm = {
        "algorithm": "EAGLE3",
        "draft_model_path": model(tmp_path / "head", HEAD),
        "num_steps": 3,
        "eagle_topk": 1,
    }
    block = {**arm, "use_block_verification": True}
    said = refusal(block, engine="sglang", device="cpu")
    assert "use_block_verification: only on a GPU" in said
    assert notes(block, engine="sglang") == ()
    rejection = {**arm, "use_rejection_sampling": True}
    (note,) = notes(rejection, engine="sglang", device="cpu")
    assert "verifies greedily" in note
    assert notes(rejection, engine="sglang") == ()


def test_the_runner_may_be_chosen_by_the_shell_or_by_the_target() -> None:
    block = {**NGRAM, "rejection_sample_method": "block"}
    first = {"VLLM_USE_V2_MODEL_RUNNER": "0"}
    assert notes(block) == ()
    assert "has no effect" in notes(block, first)[0]
    assert "has no effect" in notes(block, env=first)[0]
    assert notes(block, first, env={"VLLM_USE_V2_MODEL_RUNNER": "1"}) == ()


def test_an_engine_without_triton_verifies_token_by_token(tmp_path: Path) -> None:
    block = {**NGRAM, "rejection_sample_method": "block"}
    lacking = environment(tmp_path / "a", "vllm-0.32.0+cpu")
    (note,) = notes(block, executable=lacking)
    assert "has no effect" in note
    having = environment(tmp_path / "b", "vllm-0.32.0", "triton-3.6.0")
    assert notes(block, executable=having) == ()


def test_a_class_of_ones_own_runs_on_the_first_runner() -> None:
    """Its method is not written where the model is a dotted path."""
    arm = {"model": "my_drafters.Best", "num_speculative_tokens": 3}
    (note,) = notes({**arm, "rejection_sample_method": "block"})
    assert "has no effect" in note


@pytest.mark.parametrize(
    "name",
    ["SGLANG_SIMULATE_ACC_LEN", "SGL_SIMULATE_ACC_LEN", "SGLANG_SIMULATE_ACC_METHOD"],
)
def test_acceptance_forced_by_the_shell_is_refused(name: str) -> None:
    plain = Target(model="m", engine="sglang")
    with pytest.raises(InputError) as error:
        check_shell(plain, "s.toml: target", {name: "3"})
    assert error.value.message.startswith("s.toml: target.env: specbench's own")
    assert name in error.value.message
    assert f'env = {{ {name} = "3" }}' in error.value.hint
    check_shell(plain, "s.toml: target", {"PATH": "/bin"})
    written = Target(model="m", engine="sglang", env={name: "2"})
    check_shell(written, "s.toml: target", {name: "3"})
    check_shell(Target(model="m", engine="vllm"), "s.toml: target", {name: "3"})


@pytest.mark.parametrize("is_aa", [True, False])
def test_the_shell_is_looked_at_before_any_launch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_aa: bool
) -> None:
    monkeypatch.setenv("SGLANG_SIMULATE_ACC_LEN", "3")
    program = environment(tmp_path / "engine", "sglang-0.5.23")
    sweep = plan(
        {"algorithm": "NGRAM"}, is_aa=is_aa, engine="sglang", executable=program
    )
    with pytest.raises(InputError, match="SGLANG_SIMULATE_ACC_LEN"):
        prepare_sweep(sweep, "s.toml", will_launch=True)


def test_a_server_that_runs_already_has_decided() -> None:
    (note,) = notes({**NGRAM, "newer_key": 1}, will_launch=False)
    assert "newer_key" in note
    assert notes(eagle3("/no/such/head"), will_launch=False) == ()


def test_an_aa_run_starts_no_drafter(tmp_path: Path) -> None:
    arm = eagle3(str(tmp_path / "nowhere"))
    assert check_arms(plan(arm, is_aa=True), "s.toml", {}, will_launch=True) == ()


def test_an_arm_is_held_against_its_own_targets_only(tmp_path: Path) -> None:
    spec = SweepSpec.model_validate(
        {
            "targets": [
                {"model": "m", "engine": "vllm", "name": "v"},
                {"model": "m", "engine": "sglang", "name": "s"},
            ],
            "arms": [
                {"name": "a", "speculative": NGRAM, "targets": ["v"]},
                {"name": "b", "speculative": {"algorithm": "NGRAM"}, "targets": ["s"]},
            ],
            "workload": {"datasets": ["d"], "context": [0], "max_tokens": 16},
            "load": {"concurrency": [1]},
        }
    )
    assert check_arms(plan_sweep(spec), "s.toml", {}, will_launch=True) == ()
