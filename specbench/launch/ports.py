"""Chooses a port for an engine and makes sure that a given one is free, so that a
forgotten server is never measured in place of the engine.

The check binds without SO_REUSEPORT, which vLLM 0.32.0 sets on its own socket
(entrypoints/launchers/launcher.py): two vLLM servers of one user can share a port, and
the second one starts without complaint."""

import errno
import socket

from specbench.errors import InputError
from specbench.launch.port_owner import describe_owner


def find_free_port(host: str) -> int:
    """A port of `host` that nobody used a moment ago. Raises InputError for a host
    that is not an address of this machine."""
    try:
        with _bind(host, 0) as server:
            return int(server.getsockname()[1])
    except OSError as error:
        raise _host_error(host, error) from error


def check_port_free(host: str, port: int) -> None:
    """Raise InputError when somebody has the port, naming the owner where it can be
    had. Nothing is sent to them."""
    try:
        _bind(host, port).close()
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            owner = describe_owner(port) or "its owner cannot be seen"
            raise InputError(
                f"port {port} on {host} is taken ({owner})",
                "end that process, or give another target.port; without one a free"
                " port is chosen",
            ) from error
        if error.errno == errno.EACCES:
            raise InputError(
                f"port {port} needs privileges that this user does not have",
                "choose a target.port of 1024 or more",
            ) from error
        raise _host_error(host, error) from error


def _bind(host: str, port: int) -> socket.socket:
    """A socket bound as servers do it. SO_REUSEADDR, so that connections of an earlier
    engine that still time out do not count as an owner."""
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    server = socket.socket(family, kind, protocol)
    try:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(address)
    except OSError:
        server.close()
        raise
    return server


def _host_error(host: str, error: OSError) -> InputError:
    return InputError(
        f"cannot listen on {host}: {error.strerror or error}",
        "give an address of this machine, for example 127.0.0.1",
    )
