"""Engine adapters: one a file, pure translation between what specbench wants and what
an engine says. Nothing here starts a process, opens a socket or reads a file, so every
adapter can be tested without its engine."""

from specbench.engines.contract import EngineAdapter
from specbench.engines.openai import OpenAIAdapter
from specbench.engines.sglang import SglangAdapter
from specbench.engines.sim import SimAdapter
from specbench.engines.vllm import VllmAdapter

_ALL: tuple[EngineAdapter, ...] = (
    VllmAdapter(),
    SglangAdapter(),
    OpenAIAdapter(),
    SimAdapter(),
)

ADAPTERS: dict[str, EngineAdapter] = {adapter.name: adapter for adapter in _ALL}
"""Adapters by the name that a sweep file uses."""

__all__ = ["ADAPTERS", "EngineAdapter"]
