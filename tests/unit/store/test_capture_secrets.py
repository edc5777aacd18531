"""No secret gets into a recorded set; what is no secret stays."""

import json

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.store.capture_secrets import redact_log, redact_page
from specbench.store.secrets import redact_argv, redact_document, redact_env

SECRET = "S3cr,e)t/+=x"
SIGNS = "abcXYZ_0189"
PARTS = ("TOKEN", "KEY", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL")
VARIABLES = st.builds(
    lambda before, part, after: f"V{before}{part}{after}",
    st.text(SIGNS, max_size=6),
    st.sampled_from(PARTS),
    st.text(SIGNS, max_size=6),
)
"""Names of variables that `redact_env` takes for secret."""
FLAGS = st.builds(
    lambda before, part: f"--{before}{part}",
    st.sampled_from(("", "hf-", "hf_", "api-", "api_", "s3-secret-access-")),
    st.sampled_from(("key", "token", "secret", "password")),
)


@pytest.mark.parametrize(
    ("line", "public"),
    [
        ("serve --api-key abc --port 1", "serve --api-key <redacted> --port 1"),
        ("serve --api-key=abc --port 1", "serve --api-key=<redacted> --port 1"),
        ("serve --api-key a b --port 1", "serve --api-key <redacted> --port 1"),
        ("--api-key \\\n  abc \\\n  -x", "--api-key \\\n  <redacted> \\\n  -x"),
        ("['serve', '--api-key', 'abc']", "['serve', '--api-key', <redacted>]"),
        ("args: {'api_key': ['abc'], 'n': 1}", "args: {'api_key': <redacted>, 'n': 1}"),
        ('{"api_key":"abc","n":null}', '{"api_key":<redacted>,"n":null}'),
        (r'"{\"api_key\": \"abc\"}"', r'"{\"api_key\": <redacted>}"'),
        ("api_key=None, hf_token='x'", "api_key=None, hf_token=<redacted>"),
        ("A_TOKEN=x B_KEY_2=y vllm", "A_TOKEN=<redacted> B_KEY_2=<redacted> vllm"),
        ("-e HF_TOKEN='a b' vllm", "-e HF_TOKEN=<redacted> vllm"),
        ("Authorization: Bearer z", "Authorization: Bearer <redacted>"),
        ("'authorization': 'Basic z'", "'authorization': 'Basic <redacted>'"),
        ("sent bearer z, twice", "sent bearer <redacted>, twice"),
        ("from https://me:pw@host/x", "from https://<redacted>@host/x"),
        ("serving with zzz", "serving with <redacted>"),
    ],
)  # fmt: skip
def test_a_log_loses_its_secrets(line: str, public: str) -> None:
    assert redact_log(line, ["zzz"]) == public


@pytest.mark.parametrize(
    "line",
    [
        "max_num_batched_tokens=2048, bos_token_id=1, num_key_value_heads=8",
        "tokenizer='org/toy', skip_tokenizer_init=False, TOKENIZERS_PARALLELISM=false",
        "#new-token: 64, #cached-token: 0, token usage: 0.01",
        "GPU KV cache size: 1,234 tokens",
        "INFO 12-01 16:07:39 [server.py:1] http://127.0.0.1:8000 is up",
        "--ssl-keyfile f --max-num-batched-tokens 8192",
    ],
)
def test_what_only_sounds_like_a_secret_stays_in_a_log(line: str) -> None:
    assert redact_log(line, [""]) == line


@given(name=VARIABLES, lower=st.booleans())
def test_a_variable_is_hidden_in_a_command_as_in_an_environment(
    name: str, *, lower: bool
) -> None:
    name = name.lower() if lower else name
    # a fragment is as bad as the whole
    assert "S3cr" not in redact_env({name: SECRET})[name]
    for line in (
        f"{name}={SECRET} vllm serve",
        f"env A=1 {name}='{SECRET}' vllm serve",
        f'docker run -e {name}="{SECRET} {SECRET}" image',
    ):
        public = redact_log(line, [])
        assert "S3cr" not in public
        assert "e)t" not in public
    assert SECRET not in "".join(redact_argv(("env", f"{name}={SECRET}", "vllm")))


@given(name=VARIABLES)
def test_a_variable_is_hidden_where_a_page_or_a_log_lists_it(name: str) -> None:
    name = name.upper()  # other names are those of settings
    listed = {"a": [{name: SECRET}], name: [SECRET]}
    # of lists of texts, `...TOKENS` may hold what a model said
    if not name.endswith("TOKENS"):
        assert SECRET not in json.dumps(redact_document(listed))
    for text in (
        f"{name}: {SECRET}\n",
        json.dumps({name: SECRET}),
        repr({name: SECRET}),
    ):
        assert "S3cr" not in redact_log(f"up: {text}", [])


@given(flag=FLAGS)
def test_a_flag_is_hidden_in_every_spelling(flag: str) -> None:
    argv = ["serve", flag, SECRET, "--port", "1"]
    for line in (
        " ".join(argv),
        f"serve {flag}={SECRET} --port 1",
        repr(argv),
        json.dumps(argv),
        json.dumps(argv, indent=1),
    ):
        public = redact_log(line, [])
        assert "S3cr" not in public
        assert "e)t" not in public
        assert "--port" in public
    page = redact_page(orjson.dumps({"argv": argv}), [])
    assert orjson.loads(page) == {"argv": ["serve", flag, "<redacted>", "--port", "1"]}


def test_a_page_without_a_secret_stays_as_it_was_sent() -> None:
    body = b'{ "version" :  "0.32.0" }\n'
    assert redact_page(body, ["abc"]) == body
    assert redact_page(b"vllm:running 1.0\n", [""]) == b"vllm:running 1.0\n"


def test_a_page_loses_what_stands_under_a_secret_name() -> None:
    page = redact_page(
        b'{"api_key": ["abc"], "max_tokens": 5, "x": ["zzz"], "tokens": ["a"],'
        b' "launch_command": "serve --api-key abc --port 1"}',
        ["zzz"],
    )
    assert orjson.loads(page) == {
        "api_key": ["<redacted>"],
        "max_tokens": 5,
        "x": ["<redacted>"],
        "tokens": ["a"],
        "launch_command": "serve --api-key <redacted> --port 1",
    }
