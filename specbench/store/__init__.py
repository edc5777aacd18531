"""A run on disk: where its files lie, how they are written whole or not at all, and
how they are read back with an error that names the file."""
