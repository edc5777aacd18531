"""The load generator: sends requests and stamps what comes back. The timing path is
short and ours: an instant is taken in the socket's callback, parsing comes later."""
