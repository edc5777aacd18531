"""Measures where speculative decoding stops paying.

Importing the package is cheap on purpose: matplotlib, pyarrow and pydantic load
only where they are used, so that the command line answers at once.
"""

__version__ = "0.1.0"

MEASUREMENT_VERSION = 5
"""Raised by every change that can move a number (see CHANGELOG, "Measurement")."""
