"""From data sets to the prompts of a cell, the same bytes for every arm. Pure but for
the readers of files (`readers`, `shipped`, `filler`, `tokenizer`)."""
