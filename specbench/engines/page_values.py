"""What stands on the JSON pages of a server, each value of the type that it should
have; None, or nothing, for what a page does not say."""

from typing import Any

import orjson


def json_object(page: str | None) -> dict[str, Any]:
    """Empty for anything else."""
    try:
        value = orjson.loads(page or "")
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def text(value: object) -> str | None:
    """A text that is not empty."""
    return value if isinstance(value, str) and value else None


def whole(value: object) -> int | None:
    """A whole number; `true` is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def first_model(page: str | None) -> dict[str, Any]:
    """The entry of `/v1/models` that a server of one model has."""
    models = json_object(page).get("data")
    if isinstance(models, list) and models and isinstance(models[0], dict):
        return models[0]
    return {}
