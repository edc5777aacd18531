"""Starts an engine, waits until it answers and ends it with everything it started.
An effect: it touches processes, ports and log files, and knows no engine by name.
Linux only, because it reads /proc."""
