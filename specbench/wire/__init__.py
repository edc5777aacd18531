"""Bytes in any split to values. No sockets, no files, no clock: instants come in with
the bytes that they belong to."""
