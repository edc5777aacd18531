"""How long an output is by nature: the same for every prompt, or spread over prompts
so that the slots of a closed loop do not run in lock-step. Pure."""

import hashlib
import math
from dataclasses import dataclass
from statistics import NormalDist

_TWO_TO_64 = 2.0**64


@dataclass(frozen=True, slots=True)
class OutputLength:
    """Log-normal over prompts, rounded to whole tokens, at least 1."""

    mean: int
    """Tokens."""
    spread: float = 0.0
    """Standard deviation as a share of the mean; 0 = every output has the mean."""

    def of(self, prompt_key: str) -> int:
        """Tokens of the output to one prompt. It follows from the prompt alone, as the
        text does, so all arms and launches give a prompt the same length.

        With z standard normal and v = ln(1 + spread^2) it is mean exp(sqrt(v) z - v/2),
        whose mean and standard deviation are those asked for.
        """
        if self.spread == 0:
            return self.mean
        variance = math.log1p(self.spread**2)
        z = _standard_normal(f"length/{prompt_key}")
        scale = math.exp(math.sqrt(variance) * z - variance / 2)
        return max(1, round(self.mean * scale))


def _standard_normal(key: str) -> float:
    """A standard normal number that follows from the key."""
    bits = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big")
    return NormalDist().inv_cdf((bits + 0.5) / _TWO_TO_64)
