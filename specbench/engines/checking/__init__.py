"""Checks an adapter against what an engine once printed and sent, with no engine
installed: files' contents in, verdicts out. Nothing here opens a file or a socket."""
