from __future__ import annotations

import socket

import pytest

from skillquiver.errors import UsageError
from skillquiver.serve.listening import listening


def test_a_listener_says_tcp_so_that_answers_do_not_wait() -> None:
    with listening("127.0.0.1", 0) as listener:
        assert listener.proto == socket.IPPROTO_TCP
        with socket.create_connection(listener.getsockname()) as client:
            accepted, address = listener.accept()
            accepted.close()
            assert address == client.getsockname()


def test_an_address_in_use_is_named() -> None:
    with listening("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(UsageError, match=f"cannot listen on 127.0.0.1:{port}: "):
            listening("127.0.0.1", port)
