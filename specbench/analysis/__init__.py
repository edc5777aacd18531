"""Records to findings: every figure that a report shows is derived here, from raw
instants and counts alone, so that it can be derived again from a stored run."""
