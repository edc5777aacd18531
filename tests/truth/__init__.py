"""Truth tests: the product against what the simulated server logged of itself. The
judge here has its own reading of the log and its own formulas."""
