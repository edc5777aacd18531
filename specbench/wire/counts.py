"""Token counts as servers send them."""

HIGHEST = 10_000_000
"""No request has so many tokens; what is higher is damage, and would be carried into
sums and files."""


def read_count(value: object) -> int | None:
    """A count, or None for what is none."""
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= HIGHEST else None
