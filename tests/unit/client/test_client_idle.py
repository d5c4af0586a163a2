"""Servers end connections that were silent for long; a client must not notice."""

import socket

import pytest
from client_fakes import FakeServer, serving_plainly

from coopsim.client import connect, socket_links
from coopsim.client.endpoints import parse
from coopsim.client.socket_links import PlainLink
from coopsim.errors import NoReply

pytestmark = pytest.mark.usefixtures("each_way")


def test_a_plain_connection_that_the_server_ended_meanwhile_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket_links, "_REST", 0.0)
    server = FakeServer()
    with serving_plainly(server) as endpoint, connect(endpoint, timeout=5.0) as sim:
        motors = sim.robot("robot1").motors
        motors.set_velocity(0.1, 0.0)
        server.hangs_up = True  # from the next request on, it closes instead of answering
        with pytest.raises(NoReply):
            motors.set_velocity(0.2, 0.0)
        server.hangs_up = False
        motors.set_velocity(0.3, 0.0)
        assert server.commands["robot1"] == [0.3, 0.0]


def test_a_client_notices_before_it_asks_that_the_server_ended_an_idle_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(socket_links, "_REST", 0.0)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(10.0)
        link = PlainLink(parse(f"tcp+plain://127.0.0.1:{listener.getsockname()[1]}"))
        assert link.send(b"first", 5.0)
        first, _ = listener.accept()
        first.settimeout(10.0)
        assert first.recv(9, socket.MSG_WAITALL) == b"\0\0\0\5first"
        first.close()
        assert link.send(b"second", 5.0)
        second, _ = listener.accept()
        second.settimeout(10.0)
        assert second.recv(10, socket.MSG_WAITALL) == b"\0\0\0\6second"
        second.close()
        link.close()
