"""TCP with keys: TLS on real sockets, by our clients and by the standard library alone."""

import asyncio
import runpy
import socket
import ssl
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from server_fakes import ask
from server_running import DEADLINE_MS, Running

from coopsim.client import Keys, aio, connect
from coopsim.client.certificates import make_certificate
from coopsim.client.keyring import Key, KeyRing, read_key
from coopsim.client.roles import Role
from coopsim.errors import KeyRefused, NoKey, NotAllowed
from coopsim.message import Message, decode, encode
from coopsim.server.sockets.listening import ListenOptions

pytestmark = pytest.mark.integration
PATIENCE = DEADLINE_MS / 1000


@pytest.fixture
def lab(tmp_path: Path) -> KeyRing:
    """The keys of the server."""
    ring = KeyRing(tmp_path / "lab")
    ring.new("lab")
    return ring


@pytest.fixture
def anna(tmp_path: Path, lab: KeyRing) -> KeyRing:
    """The keys of a client that knows the server, and may drive robot1 there."""
    ring = KeyRing(tmp_path / "anna")
    public = ring.new("anna")
    ring.trust(read_key(lab.folder / "lab.pub"))
    lab.trust(read_key(public), Role("drive", ("robot1",)))
    return ring


@pytest.fixture
def run(serve: Callable[..., Running], lab: KeyRing) -> Running:
    return serve("lockstep", listen=ListenOptions(keys=lab), plain_tcp=False)


def endpoint(run: Running) -> str:
    return f"tls://127.0.0.1:{run.ports['tcp']}"


def foreign(run: Running, own: Path, server: Path, version: ssl.TLSVersion = ssl.TLSVersion.TLSv1_3) -> ssl.SSLSocket:
    """Return a TLS connection as any language makes it, from two files."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = context.maximum_version = version
    context.load_cert_chain(own)
    context.load_verify_locations(server)
    end = socket.create_connection(("127.0.0.1", run.ports["tcp"]), PATIENCE)
    return context.wrap_socket(end, server_hostname="coopsim")


def exchange(end: socket.socket, request: Message) -> Message:
    raw = encode(request)
    end.sendall(struct.pack(">I", len(raw)) + raw)
    (length,) = struct.unpack(">I", receive(end, 4))
    return decode(receive(end, length))


def receive(end: socket.socket, count: int) -> bytes:
    raw = b""
    while len(raw) < count:
        part = end.recv(count - len(raw))
        assert part, "closed"
        raw += part
    return raw


def test_our_client_drives_by_tls_within_its_role(run: Running, anna: KeyRing) -> None:
    with connect(endpoint(run), keys=Keys(anna.folder), timeout=PATIENCE) as sim, sim.stepper(["robot1"]) as stepper:
        assert stepper.step([(0.3, 0.1)]).tick == 1
        own = sim.robot("robot1", own_endpoint=True)
        assert own.motors.state().v == 0.3
        assert sim.module("/sim/names").lookup("/robot1").tcp == endpoint(run)
        with sim.stream("/robot1") as stream:
            assert next(stream).names == ("robot1",)
        with pytest.raises(NotAllowed, match="the key 'anna' has `drive robot1`"):
            sim.clock.pause()


def test_the_client_without_packages_does_it_too(run: Running, lab: KeyRing, anna: KeyRing) -> None:
    folder = Path(__file__).parents[3] / "clients" / "python_stdlib"
    module, tls = (runpy.run_path(str(folder / name)) for name in ("coopsim_tcp.py", "coopsim_tls.py"))
    files = str(anna.folder / "anna.key"), str(lab.folder / "lab.pub")
    sim = module["Coopsim"](end=tls["connected"](f"127.0.0.1:{run.ports['tcp']}", *files, PATIENCE))
    assert len(sim.ask("/robot1/sonars", 10)[1]) == 3
    with pytest.raises(module["Refused"]) as refused:
        sim.ask("/sim/clock", 14)
    assert refused.value.args[0] == NotAllowed.code
    sim.socket.close()


def test_our_client_for_asyncio_does_the_same(run: Running, anna: KeyRing) -> None:
    async def drive() -> None:
        async with (
            aio.connect(endpoint(run), keys=Keys(anna.folder), timeout=PATIENCE) as sim,
            sim.stepper(["robot1"]) as stepper,
        ):
            assert (await stepper.step([(0.3, 0.1)])).tick == 1
            with pytest.raises(NotAllowed):
                await sim.clock.pause()

    asyncio.run(drive())


def test_whoever_is_not_trusted_is_told_so(run: Running, lab: KeyRing, anna: KeyRing) -> None:
    lab.revoke("anna")
    with pytest.raises(KeyRefused, match="does not trust the key 'anna'"):
        connect(endpoint(run), keys=Keys(anna.folder), timeout=PATIENCE)

    async def try_aio() -> None:
        async with aio.connect(endpoint(run), keys=Keys(anna.folder), timeout=PATIENCE):
            pass

    with pytest.raises(KeyRefused, match="does not trust the key 'anna'"):
        asyncio.run(try_aio())


def test_another_server_than_the_one_meant_hears_nothing(run: Running, lab: KeyRing, tmp_path: Path) -> None:
    evil = KeyRing(tmp_path / "evil")
    evil.new("evil")
    ben = KeyRing(tmp_path / "ben")
    lab.trust(read_key(ben.new("ben")))
    ben.trust(read_key(evil.folder / "evil.pub"))
    with pytest.raises(KeyRefused, match="has not the certificate of the key 'evil'"):
        connect(endpoint(run), keys=Keys(ben.folder), timeout=PATIENCE)


def test_clients_without_keys_are_told_that_they_need_some(run: Running) -> None:
    with pytest.raises(NoKey, match="COOPSIM_KEYS"):
        connect(endpoint(run))
    with pytest.raises(KeyRefused, match="serves only clients with keys"):
        connect(endpoint(run).replace("tls", "tcp+plain"), timeout=PATIENCE)


def test_tls_is_not_spoken_to_a_server_in_the_clear(serve: Callable[..., Running], anna: KeyRing) -> None:
    run = serve("real-time")
    with pytest.raises(KeyRefused, match="speaks no TLS"):
        connect(endpoint(run), keys=Keys(anna.folder), timeout=PATIENCE)


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_the_key_files_serve_any_tls_library_as_they_are(
    run: Running, lab: KeyRing, anna: KeyRing, version: ssl.TLSVersion
) -> None:
    with foreign(run, anna.folder / "anna.key", lab.folder / "lab.pub", version) as end:
        assert exchange(end, ask("/robot1/sonars", 10)).error == 0
        assert exchange(end, ask("/sim/step", 13, "robot1")).error == 0
        assert exchange(end, ask("/sim/step", 13, "robot2")).error == NotAllowed.code


def test_a_certificate_that_another_program_made_is_trusted_as_it_is(
    run: Running, lab: KeyRing, tmp_path: Path
) -> None:
    secret, certificate = make_certificate("octave")
    own, public = tmp_path / "octave.pem", tmp_path / "octave.crt"
    own.write_text(certificate + secret)
    public.write_text(certificate)
    lab.trust(read_key(public), Role("watch"))
    with foreign(run, own, lab.folder / "lab.pub") as end:
        assert exchange(end, ask("/robot1/sonars", 10)).error == 0
        assert exchange(end, ask("/sim/clock", 14)).error == NotAllowed.code


def test_large_and_many_messages_pass(run: Running, lab: KeyRing, anna: KeyRing) -> None:
    with foreign(run, anna.folder / "anna.key", lab.folder / "lab.pub") as end:
        large = encode(ask("/robot1/motors", 10, data=[0.5] * 60_000))
        small = encode(ask("/robot1/sonars", 10))
        end.sendall(b"".join(struct.pack(">I", len(raw)) + raw for raw in (large, *[small] * 200)))
        errors = []
        for _ in range(201):
            (length,) = struct.unpack(">I", receive(end, 4))
            errors.append(decode(receive(end, length)).error)
    assert errors == [203, *[0] * 200]


def test_who_is_trusted_no_longer_is_put_out(run: Running, lab: KeyRing, anna: KeyRing) -> None:
    with foreign(run, anna.folder / "anna.key", lab.folder / "lab.pub") as end:
        assert exchange(end, ask("/sim/step", 13, "robot1")).error == 0
        lab.revoke("anna")
        assert end.recv(1) == b""
    with connect(endpoint(run), keys=Keys(lab.folder, "lab"), timeout=PATIENCE) as admin:
        admin.module("/sim/step").claim("robot1")


def test_strangers_who_begin_a_handshake_hold_up_nobody(run: Running, lab: KeyRing, anna: KeyRing) -> None:
    strangers = [socket.create_connection(("127.0.0.1", run.ports["tcp"]), PATIENCE) for _ in range(30)]
    for number, stranger in enumerate(strangers):
        stranger.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[: number % 12])
    with foreign(run, anna.folder / "anna.key", lab.folder / "lab.pub") as end:
        assert exchange(end, ask("/robot1/sonars", 10)).error == 0
    garbage = strangers[0]
    garbage.sendall(b"GET / HTTP/1.1\r\n\r\n")
    said = b""
    while part := garbage.recv(100):
        said += part
    assert said.startswith(b"\x15\x03")  # an alert, and the end
    for stranger in strangers:
        stranger.close()


def test_a_run_goes_on_when_its_own_key_file_is_moved_away(lab: KeyRing, anna: KeyRing, run: Running) -> None:
    own = lab.own_file
    own.rename(own.with_suffix(".moved"))
    lab.trusted_folder.joinpath("new.pub").write_text("no key at all")
    with foreign(run, anna.folder / "anna.key", lab.folder / "lab.pub") as end:
        assert exchange(end, ask("/robot1/sonars", 10)).error == 0


def test_a_key_without_certificate_serves_no_tls(serve: Callable[..., Running], lab: KeyRing) -> None:
    for name in ("lab.key", "lab.pub"):
        path = lab.folder / name
        path.write_text(path.read_text().partition("-----BEGIN")[0])
    assert lab.own == Key("lab", lab.own.public, lab.own.secret)
    assert serve("lockstep", listen=ListenOptions(keys=lab), plain_tcp=False).ports["tcp"] == 0
    lab.certify()
    assert serve("lockstep", listen=ListenOptions(keys=lab), plain_tcp=False).ports["tcp"] > 0
