"""Reads pages of a running engine: its metrics, version and models. An effect: it asks
and keeps the text; what the text means is decided elsewhere."""
