"""When to send, as pure functions."""


def stagger_delays(concurrency: int, request_s: float) -> tuple[float, ...]:
    """Seconds after the start at which each slot sends its first request: spread
    evenly over one request's duration, so that no arm runs in lock-step."""
    return tuple(slot * request_s / concurrency for slot in range(concurrency))
