"""The command line: one file a sub-command, and the only place that prints or exits.
Heavy modules are imported inside the commands, so that `--help` is instant."""
