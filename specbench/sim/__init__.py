"""An engine with programmed truth: a pure model of continuous batching with
speculation, and an HTTP server that plays it in real time. For tests of the
measuring side, and for learning what speculation trades."""
