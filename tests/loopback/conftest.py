"""Fixtures that several modules use."""

from tests.loopback.crews import crew

__all__ = ["crew"]
