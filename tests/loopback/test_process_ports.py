"""Ports of this machine, with real sockets."""

import os
import socket

import pytest

from specbench.errors import InputError
from specbench.launch.ports import check_port_free, find_free_port

HOST = "127.0.0.1"
ELSEWHERE = "203.0.113.7"  # for documentation only (RFC 5737): nobody's address


def test_port_that_was_found_is_free() -> None:
    check_port_free(HOST, find_free_port(HOST))


def test_listener_on_all_addresses_takes_the_port_of_each() -> None:
    with socket.create_server(("0.0.0.0", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(InputError, match=f"process {os.getpid()}"):
            check_port_free(HOST, port)


def test_listener_that_would_share_its_port_still_counts() -> None:
    # vLLM 0.32.0 sets SO_REUSEPORT, so that a second server could start beside it.
    with socket.create_server((HOST, 0), reuse_port=True) as server:
        port = server.getsockname()[1]
        with pytest.raises(InputError, match=f"port {port} on {HOST} is taken"):
            check_port_free(HOST, port)


def test_connection_that_times_out_after_a_server_does_not_count() -> None:
    with socket.create_server((HOST, 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection((HOST, port)) as client:
            accepted, _ = server.accept()
            accepted.close()  # the side that closes first keeps the port in TIME_WAIT
            assert client.recv(1) == b""
    check_port_free(HOST, port)


def test_address_of_another_machine_is_bad_input() -> None:
    with pytest.raises(InputError, match=f"cannot listen on {ELSEWHERE}"):
        find_free_port(ELSEWHERE)
    with pytest.raises(InputError, match=f"cannot listen on {ELSEWHERE}"):
        check_port_free(ELSEWHERE, 8000)
