"""SGLang's metrics pages in the text form of Prometheus, written anew."""

CREATED = 1.7954112e9
"""A time of creation; never a count."""
MODEL = "acme/sglang:spec_verify_calls_total-8B"


def line(name: str, value: float, **labels: str) -> str:
    """A sample of a whole server."""
    inside = {"engine_type": "unified", "model_name": MODEL, **labels}
    text = ",".join(f'{key}="{label}"' for key, label in sorted(inside.items()))
    return f"sglang:{name}{{{text}}} {value}\n"


def rank_line(
    name: str, value: float, tp: int = 0, pp: int = 0, /, **labels: str
) -> str:
    """A sample of a scheduler."""
    ranks = {"tp_rank": str(tp), "pp_rank": str(pp), "moe_ep_rank": "0"}
    return line(name, value, **ranks, **labels)


def counter(name: str, value: float, **labels: str) -> str:
    """A counter with the companion that a server in a single process has."""
    created = line(f"{name}_created", CREATED, **labels)
    return line(f"{name}_total", value, **labels) + created


def ended_requests(
    requests: int, generated: int, verifies: int | None, **labels: str
) -> str:
    """What a server has counted of requests that have ended."""
    streamed = {"is_streaming": "true", **labels}
    text = counter("num_requests", requests, **streamed)
    text += counter("generation_tokens", generated, **streamed)
    if verifies is not None:
        text += counter("spec_verify_calls", verifies, **labels)
    return text
