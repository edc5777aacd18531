"""The address of a server that somebody names, checked before anything is sent."""

from urllib.parse import urlsplit

from specbench.errors import InputError

API_KEY_VARIABLE = "SPECBENCH_API_KEY"


def check_url(url: str) -> None:
    """A server's address: scheme, host, perhaps a port and a path. It is stored and
    shown, so that a password in it would be too. Raises InputError."""
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in {"http", "https"} and bool(parts.hostname)
        is_address = is_address and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        raise InputError(f"{url!r} is not a URL", hint="e.g. http://127.0.0.1:8000")
    if parts.username is not None or parts.password is not None:
        raise InputError(
            "the URL holds a user name or a password, which would be stored",
            hint=f"leave it out and set {API_KEY_VARIABLE} in the environment",
        )
    if "?" in url or "#" in url:
        raise InputError(
            f"{url!r} has a query or a fragment, and paths are added behind it",
            hint="give the address only, e.g. http://127.0.0.1:8000",
        )
