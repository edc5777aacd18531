"""Small drafters for the engine tier, made from the target's own files."""
