"""Whose server the simulator imitates."""

from enum import StrEnum


class Dialect(StrEnum):
    """The engines whose streams, pages and metrics it knows."""

    VLLM = "vllm"
    """vLLM 0.32.0."""
    SGLANG = "sglang"
    """SGLang 0.5.23."""
