"""What is stored holds no secret value; what is no secret stays."""

import pytest

from specbench.store.secrets import (
    REDACTED,
    redact_argv,
    redact_document,
    redact_env,
)


@pytest.mark.parametrize(
    "name",
    [
        "HF_TOKEN",
        "hf_token",
        "OPENAI_API_KEY",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_ACCESS_KEY_ID",
        "DB_PASSWORD",
        "MY_PASSWD",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "TOKEN_2",
    ],
)
def test_a_secret_looking_variable_loses_its_value(name: str) -> None:
    assert redact_env({name: "hunter2"}) == {name: REDACTED}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CUDA_VISIBLE_DEVICES", "0,1"),
        ("TOKENIZERS_PARALLELISM", "false"),
        ("VLLM_MAX_NUM_BATCHED_TOKENS", "8192"),
    ],
)
def test_other_variables_stay(name: str, value: str) -> None:
    assert redact_env({name: value}) == {name: value}


def test_a_secret_is_dropped_from_a_command_line_in_both_spellings() -> None:
    argv = ("vllm", "serve", "--api-key", "s3cret", "--hf-token=s3cret", "--port", "1")
    assert redact_argv(argv) == (
        *("vllm", "serve", "--api-key", REDACTED),
        *(f"--hf-token={REDACTED}", "--port", "1"),
    )


def test_settings_that_only_sound_like_secrets_stay() -> None:
    argv = (
        *("--max-num-batched-tokens", "8192", "--tokenizer", "t"),
        *("--ssl-keyfile", "f", "--long-prefill-token-threshold=4", "--flag"),
    )
    assert redact_argv(argv) == argv


def test_a_sweep_loses_secrets_at_any_depth() -> None:
    sweep = {
        "targets": [
            {
                "args": {"api-key": "s3cret", "max-model-len": 4096},
                "env": {"HF_TOKEN": "s3cret", "OMP_NUM_THREADS": "2"},
            }
        ],
        "arms": [{"speculative": {"speculative_token_tree": "[(0,)]"}}],
        "workload": {"max_tokens": 256},
    }
    assert redact_document(sweep) == {
        "targets": [
            {
                "args": {"api-key": REDACTED, "max-model-len": 4096},
                "env": {"HF_TOKEN": REDACTED, "OMP_NUM_THREADS": "2"},
            }
        ],
        "arms": [{"speculative": {"speculative_token_tree": "[(0,)]"}}],
        "workload": {"max_tokens": 256},
    }
