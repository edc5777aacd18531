"""Launch requests: plain ones, changed where a test says so."""

from typing import Any

from specbench.engines.contract import LaunchRequest
from specbench.schema.plan import AdmissionCaps
from specbench.schema.sweep import Scalar, Target

NGRAM: dict[str, Any] = {"method": "ngram", "num_speculative_tokens": 3}


def request(
    args: dict[str, Scalar] | None = None,
    env: dict[str, str] | None = None,
    speculative: dict[str, Any] | None = None,
    caps: AdmissionCaps | None = None,
    engine_cpus: tuple[int, ...] | None = None,
    *,
    help_text: str | None = None,
    folder: str = ".",
    **target: Any,
) -> LaunchRequest:
    """A baseline of `org/toy` on port 8123, unless said otherwise."""
    described = {"model": "org/toy", "engine": "vllm", **target}
    return LaunchRequest(
        target=Target(args=args or {}, env=env or {}, **described),
        speculative=speculative,
        caps=caps or AdmissionCaps(max_num_seqs=64, max_num_batched_tokens=None),
        host="127.0.0.1",
        port=8123,
        engine_cpus=engine_cpus,
        model_name="toy",
        help_text=help_text,
        folder=folder,
    )
