"""Real measurements on GPUs, by others, and what must come out of them. Expectations
are computed here from the CSV files by formulas of their own."""
