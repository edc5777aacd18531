"""In which order the arms of a target are launched. Balanced (A B, B A, A B ...): what
drifts steadily with time or temperature then falls on both arms alike."""

from collections.abc import Sequence


def launch_order(arms: Sequence[str], replicates: int) -> list[tuple[str, int]]:
    """Arm and replicate (from 1) of each launch; every second replicate backwards."""
    order: list[tuple[str, int]] = []
    for replicate in range(1, replicates + 1):
        turn = arms if replicate % 2 else arms[::-1]
        order.extend((arm, replicate) for arm in turn)
    return order
