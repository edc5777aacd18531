"""Keeps secret values out of what is stored, going by names. Of variables it prefers
dropping a harmless value to keeping a token; of settings, whose names people know, only
those whose name ends like a secret are dropped. Pure."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

REDACTED = "<redacted>"

# TOKENIZERS_PARALLELISM and the like name no secret.
_SECRET_VARIABLE = re.compile(
    r"TOKEN(?!IZ)|KEY|SECRET|PASSWORD|PASSWD|CREDENTIAL", re.IGNORECASE
)
# `api-key` and `hf_token` are secrets, `speculative_token_tree` and `ssl-keyfile` not.
_SECRET_SETTING = re.compile(
    r"(TOKEN|KEY|SECRET|PASSWORD|PASSWD|CREDENTIAL)S?$", re.IGNORECASE
)
_TOKEN_COUNT = re.compile(r"TOKENS$", re.IGNORECASE)
_NUMBER = re.compile(r"[\d.]+[kKmM]?")
_KEYS_FLAG = re.compile(r"--api[-_]keys?")


def redact_env(env: Mapping[str, str]) -> dict[str, str]:
    """The same variables; values of the secret-looking ones replaced."""
    return {name: _public(_SECRET_VARIABLE, name, env[name]) for name in env}


def redact_argv(argv: Sequence[str]) -> tuple[str, ...]:
    """A command line; the value after or inside a secret-looking flag replaced."""
    public = []
    flag = ""
    for arg in argv:
        name, equals, value = arg.partition("=")
        if arg.startswith("--"):
            value = _public(_SECRET_SETTING, name, value)
            public.append(f"{name}={value}" if equals else name)
            flag = "" if equals else name
            continue
        if equals and name.isidentifier():  # a variable before the program
            arg = f"{name}={_public(_SECRET_VARIABLE, name, value)}"
        public.append(_public(_SECRET_SETTING, flag, arg))
        flag = flag if takes_several(flag) else ""
    return tuple(public)


def takes_several(flag: str) -> bool:
    """Whether more words than one may be secrets behind it: vLLM 0.32.0 takes several
    keys (entrypoints/launchers/cli_args.py, api_key)."""
    return bool(_KEYS_FLAG.fullmatch(flag))


def is_secret(name: str, *, is_variable: bool) -> bool:
    """Whether what stands under a name is a secret; a name in capitals is always taken
    for a variable's."""
    pattern = _SECRET_VARIABLE if is_variable or name.isupper() else _SECRET_SETTING
    return bool(pattern.search(name))


def is_count(name: str, value: str) -> bool:
    """Whether it is a number of tokens, whatever the name sounds like."""
    return bool(_TOKEN_COUNT.search(name) and _NUMBER.fullmatch(value))


def redact_document(document: Any) -> Any:
    """Plain JSON types at any depth: texts under secret-looking keys replaced; what
    lies under a key `env` is taken for variables."""
    if isinstance(document, Mapping):
        return {key: _redact_entry(key, value) for key, value in document.items()}
    if isinstance(document, (list, tuple)):
        return [redact_document(item) for item in document]
    return document


def _redact_entry(key: str, value: Any) -> Any:
    secret = _SECRET_VARIABLE if key.isupper() else _SECRET_SETTING
    if isinstance(value, str):
        return _public(secret, key, value)
    if isinstance(value, (list, tuple)) and not _TOKEN_COUNT.search(key):
        texts = [_public(secret, key, x) if isinstance(x, str) else x for x in value]
        return redact_document(texts)
    if key == "env" and isinstance(value, Mapping):
        return redact_env({name: str(text) for name, text in value.items()})
    return redact_document(value)


def _public(secret: re.Pattern[str], name: str, value: str) -> str:
    if not secret.search(name):
        return value
    return value if is_count(name, value) else REDACTED
