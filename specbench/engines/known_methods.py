"""The registry: what is known of the speculative methods of each engine."""

from collections.abc import Mapping

from specbench.engines.methods import EngineMethods
from specbench.engines.sglang_methods import METHODS_OF_SGLANG
from specbench.engines.vllm_methods import METHODS_OF_VLLM

METHODS_BY_ENGINE: Mapping[str, EngineMethods] = {
    methods.engine: methods for methods in (METHODS_OF_VLLM, METHODS_OF_SGLANG)
}
"""By the name that a sweep file uses. Engines whose methods are their own business (a
server that already runs, the simulation) are not in it."""
