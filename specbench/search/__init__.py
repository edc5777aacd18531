"""Which cells to measure next, given what is known so far. Pure."""
