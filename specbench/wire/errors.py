"""The one error of this layer. It is raised for input that breaks the format; a
stream that breaks off or reports an error is a value instead."""


class WireError(ValueError):
    """The bytes are not what the protocol allows; the message says what and where."""
