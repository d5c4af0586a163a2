"""Where a client connects, and what it needs for that."""

import socket
import subprocess
import sys

import pytest
from client_fakes import FakeServer, nobody, serving, serving_plainly

from coopsim.client import DEFAULT, VARIABLE, connect
from coopsim.client.endpoints import Endpoint, chosen, chosen_timeout, parse
from coopsim.errors import BadArgument, MessageTooLarge, NoReply


def test_the_endpoint_comes_from_the_environment_when_none_is_given(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(server) as endpoint:
        monkeypatch.setenv(VARIABLE, endpoint)
        with connect() as sim:
            assert sim.endpoint == endpoint
            assert sim.robots() == ("robot1", "robot2")


def test_without_environment_the_default_port_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert str(chosen(None)) == DEFAULT


@pytest.mark.parametrize(
    "text",
    [
        "127.0.0.1",
        "localhost:here",
        "tcp://127.0.0.1",
        "tcp://:5570",
        "udp://127.0.0.1:5570",
        "tcp://a:99999",
        "tcp://a:b",
        "",
        "tcp://a:1/x",
    ],
)
def test_a_wrong_endpoint_is_refused_with_the_right_form(text: str) -> None:
    with pytest.raises(BadArgument, match="tcp://HOST:PORT"):
        parse(text)


def test_both_transports_are_told_by_the_scheme() -> None:
    assert parse("tcp://localhost:1") == parse("localhost:1") == Endpoint("localhost", 1)
    assert parse("tcp+plain://[::1]:2") == Endpoint("[::1]", 2, is_plain=True)
    assert str(parse("tcp://localhost:1", is_plain=True)) == "tcp+plain://localhost:1"


@pytest.mark.parametrize("scheme", ["tcp", "tcp+plain"])
def test_no_server_is_said_within_the_time_out(scheme: str) -> None:
    endpoint = f"{scheme}://{nobody()}"
    with pytest.raises(NoReply, match=r"^no .* at tcp.*nothing answers there: is a simulation running") as caught:
        connect(endpoint, timeout=0.1)
    assert endpoint in str(caught.value)
    assert caught.value.cure == ""  # the text says it: nobody could ask for a status here


def test_the_time_out_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COOPSIM_TIMEOUT", raising=False)
    assert (chosen_timeout(None), chosen_timeout(0.5)) == (2.0, 0.5)
    monkeypatch.setenv("COOPSIM_TIMEOUT", "7.5")
    assert (chosen_timeout(None), chosen_timeout(0.5)) == (7.5, 0.5)


@pytest.mark.parametrize("text", ["soon", "0", "-1", "nan", "inf"])
def test_a_time_out_of_the_environment_that_is_none_is_told_by_its_name(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COOPSIM_TIMEOUT", text)
    with pytest.raises(BadArgument, match=f"COOPSIM_TIMEOUT must be seconds.*{text!r}"):
        connect()


def test_plain_tcp_offers_the_same_as_zeromq(server: FakeServer) -> None:
    """C-21: any socket will do."""
    with serving_plainly(server, piecewise=True) as endpoint, connect(endpoint, timeout=5.0) as sim:
        sim.robot("robot1").motors.set_velocity(0.3, 0.1)
        assert server.commands["robot1"] == [0.3, 0.1]
        with sim.stepper(["robot2"]) as stepper:
            assert stepper.step([[0.2, 0.0]]).motors.v.tolist() == [0.2]


def test_a_plain_client_connects_anew_when_its_connection_is_gone(server: FakeServer) -> None:
    with serving_plainly(server) as endpoint, connect(endpoint, timeout=5.0) as sim:
        motors = sim.robot("robot1").motors
        motors.set_velocity(0.1)
        sim._pool.main._link._socket.shutdown(socket.SHUT_RDWR)
        motors.set_velocity(0.3)
        assert server.commands["robot1"] == [0.3, 0.0]


def test_a_plain_server_that_hangs_up_is_said_at_once(server: FakeServer) -> None:
    with serving_plainly(server) as endpoint, connect(endpoint, timeout=30.0) as sim:
        motors = sim.robot("robot1").motors
        motors.stop()
        server.hangs_up = True
        with pytest.raises(NoReply, match="closed the connection"):
            motors.stop()


def test_what_is_no_coopsim_server_is_said_so(server: FakeServer) -> None:
    server.manners = lambda request, reply: [b"HTTP/1.1 400 Bad Request"]
    with serving_plainly(server, bare=True) as endpoint, pytest.raises(MessageTooLarge, match="is it a coopsim server"):
        connect(endpoint, timeout=5.0)


def test_importing_the_client_imports_no_simulator() -> None:
    """C-11: the control application has clients, and needs nothing of the simulator."""
    code = (
        "import sys, coopsim.client;"
        "heavy = {'numba', 'pymunk', 'coopsim.simulation', 'coopsim.engines', 'coopsim.devices', 'coopsim.server',"
        " 'coopsim.robots', 'coopsim.scene', 'coopsim.state', 'coopsim.transport', 'click', 'xxhash'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
