"""Rules about one cell, by what can spoil it. Each looks at the summary and says void,
flag or nothing; `analysis.validity` lists them all."""
