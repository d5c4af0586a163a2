"""Who gets in: keys on real sockets, and what a client that is refused is told."""

import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Self

import pytest
import zmq
from listening_sockets import listening
from server_fakes import ask
from server_running import DEADLINE_MS, Running

from coopsim.client import Client, Keys, connect
from coopsim.client.keyring import Key, KeyRing, read_key
from coopsim.client.roles import Role
from coopsim.errors import KeyRefused, NoReply, NotAllowed
from coopsim.message import decode, encode
from coopsim.server.sockets.listening import ListenOptions
from coopsim.transport.control import AuditLines

pytestmark = pytest.mark.integration

SIGNATURE, GREETING = 10, 64  # [bytes], ZMTP 3.0


@pytest.fixture
def lab(tmp_path: Path) -> KeyRing:
    """The keys of the server."""
    ring = KeyRing(tmp_path / "lab")
    ring.new("lab")
    return ring


@pytest.fixture
def anna(tmp_path: Path, lab: KeyRing) -> KeyRing:
    """The keys of a client that knows the server; the server does not know her yet."""
    ring = KeyRing(tmp_path / "anna")
    ring.new("anna")
    ring.trust(Key("lab", lab.own.public))
    return ring


def guarded(serve: Callable[..., Running], lab: KeyRing, address: str = "127.0.0.2", **options: object) -> Running:
    return serve("lockstep", listen=ListenOptions(address, lab), plain_tcp=False, **options)


def enter(run: Running, ring: KeyRing | None, server: str = "", address: str = "127.0.0.2") -> Client:
    keys = None if ring is None else Keys(ring.folder, server)
    return connect(f"tcp://{address}:{run.ports['zmq']}", keys=keys, timeout=5.0)


def watched(sim: Client, stream: object) -> list[zmq.Socket[bytes]]:
    """Return what tells that a connection of a client is over, for each it has."""
    sockets = [connection._link._socket for connection in sim._pool._connections.values()]
    return [socket.get_monitor_socket(zmq.EVENT_DISCONNECTED) for socket in (*sockets, stream._receiver._socket)]


def disconnected(monitor: zmq.Socket[bytes]) -> bool:
    return bool(monitor.poll(DEADLINE_MS))


def eventually(wanted: type[Exception] | None, act: Callable[[], object]) -> None:
    """Do something again until it is refused with `wanted`, or with None until it is not refused."""
    deadline = time.monotonic() + DEADLINE_MS / 1000
    while time.monotonic() < deadline:
        got: type[Exception] | None = None
        try:
            act()
        except NotAllowed:
            got = NotAllowed
        if got is wanted:
            return
    raise AssertionError(f"not {wanted} within {DEADLINE_MS} ms")


def claimed(run: Running, ring: KeyRing, lab: KeyRing) -> int:
    """Claim a robot under a route of our choice; return the error. The route is free a moment after its last user."""
    for patience in (200, 1000, 5000, DEADLINE_MS):  # a handshake takes its time on a busy machine
        end = run.dealer_of(ring.own, lab.own, b"the same name")
        end.send(encode(ask("/sim/step", 13, "robot1")))
        raw = b""
        while not raw and end.poll(patience):  # an empty message is a probe
            raw = end.recv()
        end.close(0)
        if raw:
            return decode(raw).error
    raise AssertionError("never answered")


class HastyRelay:
    """Hands a client's greeting on in one piece: the server finds fault with it before its own is out, and hangs up."""

    def __init__(self, server: int) -> None:
        self._server = server
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._pool = ThreadPoolExecutor()

    def __enter__(self) -> Self:
        self._pool.submit(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._pool.shutdown()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._server))
                for end in (client, server):
                    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._pool.submit(self._hand_on, client, server, SIGNATURE)
                self._pool.submit(self._hand_on, server, client, 0)

    @staticmethod
    def _hand_on(source: socket.socket, sink: socket.socket, first: int) -> None:
        """Carry bytes until one side hangs up; after the `first` ones collect those of a greeting while they come."""
        with suppress(OSError), source, sink:
            try:
                if first:
                    sink.sendall(source.recv(first, socket.MSG_WAITALL))
                    sink.sendall(HastyRelay._gather(source, GREETING - first))
                while part := source.recv(4096):
                    sink.sendall(part)
            finally:
                for end in (source, sink):
                    with suppress(OSError):  # the one that hung up
                        end.shutdown(socket.SHUT_RDWR)

    @staticmethod
    def _gather(source: socket.socket, wanted: int) -> bytes:
        gathered = b""
        source.settimeout(0.1)
        with suppress(TimeoutError):
            while len(gathered) < wanted and (more := source.recv(wanted - len(gathered))):
                gathered += more
        source.settimeout(None)
        return gathered


def test_whoever_is_trusted_gets_in_and_everything_works(serve: Callable, lab: KeyRing, anna: KeyRing) -> None:
    lab.trust(read_key(anna.folder / "anna.pub"))
    run = guarded(serve, lab)
    with enter(run, anna) as sim, sim.stepper(["robot1"]) as stepper, sim.stream("/robot1") as stream:
        assert stepper.step([(0.3, 0.1)]).tick == 1
        assert next(stream).names == ("robot1",)
        robot = sim.robot("robot1", own_endpoint=True)
        assert robot.motors.state().v == 0.3


def test_whoever_is_not_trusted_is_told_so_at_once_by_name(serve: Callable, lab: KeyRing, anna: KeyRing) -> None:
    run = guarded(serve, lab)
    with pytest.raises(KeyRefused, match="does not trust the key 'anna'") as refused:
        enter(run, anna)
    assert anna.own.public in str(refused.value)


def test_a_key_is_trusted_and_taken_away_while_the_run_goes_on(serve: Callable, lab: KeyRing, anna: KeyRing) -> None:
    run = guarded(serve, lab)
    with pytest.raises(KeyRefused):
        enter(run, anna)
    path = lab.trust(read_key(anna.folder / "anna.pub"))
    with enter(run, anna):
        path.unlink()
        with pytest.raises(KeyRefused):
            enter(run, anna)


def test_who_is_trusted_no_longer_is_put_out_with_all_connections_and_claims(
    serve: Callable, lab: KeyRing, anna: KeyRing
) -> None:
    lab.trust(read_key(anna.folder / "anna.pub"))
    run = guarded(serve, lab)
    with enter(run, anna) as inside, inside.stream("/robot1") as stream, enter(run, lab, "lab") as admin:
        own = inside.robot("robot1", own_endpoint=True)
        assert own.motors.state().v == 0.0
        assert next(stream).names == ("robot1",)
        inside.module("/sim/step").claim("robot1")
        ends = watched(inside, stream)
        lab.revoke("anna")
        for end in ends:
            assert disconnected(end)
        with pytest.raises(KeyRefused, match="does not trust the key 'anna'"):
            inside.clock.status(timeout=0.5)
        admin.module("/sim/step").claim("robot1")


def test_another_role_is_in_force_for_who_is_inside(serve: Callable, lab: KeyRing, anna: KeyRing) -> None:
    lab.trust(read_key(anna.folder / "anna.pub"), Role("drive", ("robot1",)))
    run = guarded(serve, lab)
    with enter(run, anna) as sim:
        sim.module("/sim/step").claim("robot1")
        with pytest.raises(NotAllowed, match="has `drive robot1`"):
            sim.clock.pause()
        lab.set_role("anna", Role("watch"))
        eventually(NotAllowed, lambda: sim.module("/sim/step").claim("robot1"))
        lab.set_role("anna", Role("all"))
        eventually(None, sim.clock.pause)


def test_a_route_that_somebody_else_used_before_brings_none_of_his_rights(
    serve: Callable, lab: KeyRing, anna: KeyRing, tmp_path: Path
) -> None:
    eve = KeyRing(tmp_path / "eve")
    eve.new("eve")
    lab.trust(read_key(anna.folder / "anna.pub"))
    lab.trust(read_key(eve.folder / "eve.pub"), Role("watch"))
    run = guarded(serve, lab)
    assert [claimed(run, ring, lab) for ring in (anna, eve)] == [0, NotAllowed.code]


def test_who_came_left_and_did_what_is_told_by_name(serve: Callable, lab: KeyRing, anna: KeyRing) -> None:
    lab.trust(read_key(anna.folder / "anna.pub"))
    run = guarded(serve, lab)
    with enter(run, anna) as sim:
        sim.module("/sim/step").claim("robot1")
        sim.clock.pause()
    lines: list[str] = []
    while "anna: left" not in lines:
        lines += [text for _, text in run.hear(AuditLines).lines]
    assert lines[0] == "anna: connected from 127.0.0.1"
    assert lines[1:-1] == ["anna: /sim/step claim robot1", "anna: /sim/clock pause"]


def test_a_demoted_key_holds_up_nobody_and_everybody_hears_why(serve: Callable, lab: KeyRing, anna: KeyRing) -> None:
    lab.trust(read_key(anna.folder / "anna.pub"))
    run = guarded(serve, lab)
    with enter(run, anna) as sim, enter(run, lab, "lab") as boss:
        sim.module("/sim/step").claim("robot1")
        with boss.stepper(["robot2"]) as stepper:
            lab.set_role("anna", Role("watch"))
            assert stepper.step([(0.1, 0.0)]).tick == 1  # it waits for anna until she is demoted
            boss.module("/sim/step").claim("robot1")
    notes = [(edit["what"], edit["robot"]) for edit in run.source.edits if edit["edit"] == "note"]
    assert notes == [("released: the role of the key 'anna' is `watch` now", "robot1")]


def test_keys_that_are_not_trusted_are_told_with_where_they_came_from(
    serve: Callable, lab: KeyRing, anna: KeyRing
) -> None:
    run = guarded(serve, lab)
    with pytest.raises(KeyRefused):
        enter(run, anna)
    line = run.hear(AuditLines).lines[0][1]
    assert line == f"stranger: refused at 127.0.0.1: its key {anna.own.public} is not trusted"


def test_a_client_without_keys_is_told_that_it_needs_some(serve: Callable, lab: KeyRing) -> None:
    run = guarded(serve, lab)
    with pytest.raises(KeyRefused, match="serves only clients with keys"):
        enter(run, None)


def test_a_client_with_keys_does_not_speak_to_a_server_without(serve: Callable, anna: KeyRing) -> None:
    run = serve("real-time")
    with pytest.raises(KeyRefused, match="uses no keys"):
        enter(run, anna, address="127.0.0.1")


@pytest.mark.parametrize("is_guarded", [False, True])
def test_a_server_that_hangs_up_before_its_greeting_is_out_is_told_from_one_with_another_key(
    serve: Callable, lab: KeyRing, anna: KeyRing, is_guarded: bool
) -> None:
    run = guarded(serve, lab, "127.0.0.1") if is_guarded else serve("real-time")
    keys = None if is_guarded else Keys(anna.folder)
    reason = "serves only clients with keys" if is_guarded else "uses no keys"
    with (
        HastyRelay(run.ports["zmq"]) as relay,
        pytest.raises(KeyRefused, match=reason),
        connect(f"tcp://127.0.0.1:{relay.port}", keys=keys, timeout=5.0),
    ):
        pass


def test_a_client_does_not_speak_to_another_server_than_it_meant(
    serve: Callable, lab: KeyRing, anna: KeyRing, tmp_path: Path
) -> None:
    lab.trust(read_key(anna.folder / "anna.pub"))
    evil = KeyRing(tmp_path / "evil")
    evil.new("evil")
    run = guarded(serve, evil)
    with pytest.raises(KeyRefused, match=r"has not the key 'lab'"):
        enter(run, anna)


def test_our_own_key_opens_our_own_server(serve: Callable, lab: KeyRing) -> None:
    run = guarded(serve, lab)
    with enter(run, lab) as sim:
        assert sim.info()["robots"] == 3


def test_strangers_on_robots_endpoints_and_the_stream_hear_nothing(
    serve: Callable, lab: KeyRing, anna: KeyRing
) -> None:
    lab.trust(read_key(anna.folder / "anna.pub"))
    run = guarded(serve, lab)
    with enter(run, anna) as sim:
        address = sim.module("/sim/names").lookup("/robot1/motors").zmq
    assert address.startswith("tcp://127.0.0.2:")
    stranger, ear = run.context.socket(zmq.DEALER), run.context.socket(zmq.SUB)
    for end in (stranger, ear):
        end.linger = 0
    stranger.connect(address)
    stranger.send(encode(ask("/robot1/motors", 0)))
    ear.subscribe(b"")
    ear.connect(f"tcp://127.0.0.2:{run.ports['stream']}")
    assert not stranger.poll(300)
    assert not ear.poll(100)
    for end in (stranger, ear):
        end.close(0)


def test_tcp_in_the_clear_is_closed_where_keys_are_asked_for(serve: Callable, lab: KeyRing, anna: KeyRing) -> None:
    lab.trust(read_key(anna.folder / "anna.pub"))
    run = guarded(serve, lab)
    raw = encode(ask("/robot1/sonars", 10))
    with socket.create_connection(("127.0.0.2", run.ports["tcp"]), 10.0) as end:
        end.sendall(len(raw).to_bytes(4, "big") + raw)
        assert end.recv(2) == b"\x15\x03"  # TLS complains; nobody is answered
    with enter(run, anna) as sim:
        assert sim.info()["tls"] == 1
        assert sim.module("/sim/names").lookup("/robot1").tcp == f"tls://127.0.0.2:{run.ports['tcp']}"


def test_another_address_is_served_and_loopback_is_not(serve: Callable) -> None:
    run = serve("real-time", listen=ListenOptions("127.0.0.2"))
    with connect(f"tcp://127.0.0.2:{run.ports['zmq']}") as sim, connect(f"tcp+plain://127.0.0.2:{run.ports['tcp']}"):
        assert sim.robot("robot1", own_endpoint=True).motors.state().v == 0.0
    ports = set(run.ports.values())
    assert listening(ports) == {("127.0.0.2", port) for port in ports}


def test_a_server_on_all_interfaces_is_reached_by_the_address_that_the_client_knows(serve: Callable) -> None:
    run = serve("real-time", listen=ListenOptions("0.0.0.0"))
    with connect(f"tcp://127.0.0.3:{run.ports['zmq']}") as sim, sim.stream("/robot1") as stream:
        assert sim.robot("robot1", own_endpoint=True).motors.state().v == 0.0
        assert next(stream).names == ("robot1",)


def test_refused_strangers_cost_those_inside_nothing(serve: Callable, lab: KeyRing, anna: KeyRing) -> None:
    run = guarded(serve, lab, wait_for=("robot1",))
    with enter(run, lab) as sim, sim.stepper(["robot1"]) as stepper:
        for _ in range(5):
            with pytest.raises(KeyRefused):
                enter(run, anna)
            assert stepper.step([(0.1, 0.0)]).tick > 0


def test_a_client_that_is_let_in_waits_for_replies_as_ever(serve: Callable, lab: KeyRing) -> None:
    run = guarded(serve, lab)
    with enter(run, lab) as sim, sim.stepper(["robot1", "robot2"]) as stepper:
        stepper.step([(0.1, 0.0)] * 2)
        run.source.stop()
        with pytest.raises(NoReply):
            sim.clock.pause(timeout=0.2)


def test_a_server_on_an_address_of_version_6_serves_all_carriers(serve: Callable) -> None:
    if not socket.has_ipv6 or not Path("/proc/net/if_inet6").exists():
        with pytest.raises(AssertionError):  # it says that the address cannot be used
            serve("real-time", listen=ListenOptions("::1"))
        return
    run = serve("real-time", listen=ListenOptions("::1"))
    with connect(f"tcp://[::1]:{run.ports['zmq']}") as sim, connect(f"tcp+plain://[::1]:{run.ports['tcp']}") as plain:
        assert sim.robot("robot1", own_endpoint=True).motors.state().v == 0.0
        assert plain.robot("robot1").motors.state().v == 0.0
        with sim.stream("/robot1") as stream:
            assert next(stream).names == ("robot1",)
