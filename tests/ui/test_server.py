"""What the server does so that a page is soon there: packets that do not wait."""

import socket

import pytest

from rfviz.ui.startup import send_at_once


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_what_listens_hands_on_that_packets_do_not_wait(family):
    if family == socket.AF_INET6 and not socket.has_ipv6:
        family = socket.AF_INET
    with socket.socket(family) as server, socket.socket(family) as client:
        try:
            server.bind(("::1" if family == socket.AF_INET6 else "127.0.0.1", 0))
        except OSError:  # no such network here
            return
        server.listen()
        send_at_once()
        client.connect(server.getsockname())
        accepted, _ = server.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            assert not client.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY), "only servers are changed"
