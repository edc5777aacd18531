"""Frozen nouns of the product: what a sweep asks for, what was observed, what was
concluded. Types only; nothing here computes a result or touches the world."""
