"""The gateway to YARP as its programs use it: names, rpc, streams in all carriers, the clock, and who sends rubbish."""

import asyncio
import re
import socket
import struct
import zlib
from collections.abc import Coroutine, Iterator
from typing import Any, TypeVar

import pytest
from bridged import LIMIT, GatewayProcess

from coopsim.client import connect
from coopsim.features.gateways.codec import GatewayCounts
from coopsim.features.gateways.yarp import bottle, wire
from coopsim.features.gateways.yarp.bottle import Value, Vocab
from coopsim.features.gateways.yarp.names import NameClient
from coopsim.features.gateways.yarp.port import YarpPort
from coopsim.testkit import Run

_T = TypeVar("_T")


@pytest.fixture(scope="module")
def simulation() -> Iterator[Run]:
    with Run("vee", "--no-controllers", "--duration", "3600") as live:
        yield live


@pytest.fixture(scope="module")
def names(simulation: Run) -> Iterator[NameClient]:
    with GatewayProcess("--endpoint", simulation.endpoint, kind="yarp") as process:
        yield names_of(process)


def names_of(process: GatewayProcess) -> NameClient:
    server = re.search(r"name server at (.*):(\d+)", process.wait_for("name server"))
    assert server is not None
    process.wait_for("serving")
    return NameClient(server[1], int(server[2]))


def do(work: Coroutine[Any, Any, _T]) -> _T:
    return asyncio.run(asyncio.wait_for(work, LIMIT))


async def opened(names: NameClient, port: str, carrier: str = wire.TCP) -> wire.PortConnection:
    """Return a connection to a port, as soon as it is there."""
    while (address := await names.query(port)) is None:
        pass
    return await wire.connect(address.host, address.port, carrier, "/tester", LIMIT)


async def asked(connection: wire.PortConnection, line: str, command: str = wire.ASKS) -> list[Value]:
    """Return the answer to a bottle, typed as text."""
    reader = connection._reader
    if connection.is_text:
        connection.writer.write(f"{command}\r\n{line}\r\n".encode())
        answer = bottle.parsed((await reader.readline()).decode())
        if connection.carrier == wire.TEXT_ACK:
            assert await reader.readline() == b"<ACK>\r\n"
        return answer
    connection.writer.write(wire.framed(bottle.packed(bottle.parsed(line)), command))
    raw = b""
    while True:  # a bare bottle tells no length: it is whole when it can be read
        raw += await reader.read(1 << 16)
        is_acknowledged = raw.endswith(wire.number(0))
        if connection.carrier == wire.TCP and not is_acknowledged:
            continue
        try:
            return bottle.unpacked(raw.removesuffix(wire.number(0)) if is_acknowledged else raw)
        except wire.BadArgument:
            continue


async def ask(names: NameClient, port: str, line: str, carrier: str = wire.TCP) -> list[Value]:
    connection = await opened(names, port, carrier)
    try:
        return await asked(connection, line)
    finally:
        connection.writer.close()


def test_every_module_has_its_ports_and_the_name_server_knows_them(names: NameClient) -> None:
    async def listed() -> set[str]:
        ports: set[str] = set()
        while "/robot3/target/data:o" not in ports:
            ports = {line.split()[2] for line in await names.ask("list")}
        return ports

    listed_ports = do(listed())
    assert {"/root", "/clock", "/clock/rpc", "/robot1/motors/rpc:i", "/robot1/sonars/data:o"} <= listed_ports


@pytest.mark.parametrize("carrier", wire.CARRIERS)
def test_a_module_is_asked_in_the_generic_form_and_in_words(names: NameClient, carrier: str) -> None:
    answer = do(ask(names, "/robot1/sonars/rpc:i", '0 "" 10 0 0', carrier))
    assert answer[:5] == [0, "", 10, 0, 11]
    assert len(answer) == 16
    assert do(ask(names, "/robot1/sonars/rpc:i", "ranges", carrier))[0] == Vocab("ok")
    assert do(ask(names, "/robot1/motors/rpc:i", "help", carrier))[0] == Vocab("many")
    assert do(ask(names, "/robot1/motors/rpc:i", "quit", carrier)) == [Vocab("bye")]


def test_refusals_come_with_their_number_or_in_words(names: NameClient) -> None:
    assert do(ask(names, "/robot1/motors/rpc:i", '0 "" 99 0 0'))[0] == 202
    assert do(ask(names, "/robot1/motors/rpc:i", '0 "" 10 0 3 0.2 0 0'))[0] == 203
    refused = do(ask(names, "/robot1/motors/rpc:i", "fly 1"))
    assert refused[0] == Vocab("fail")
    assert "fly" in str(refused[1])
    assert do(ask(names, "/robot1/motors/rpc:i", "1.5"))[0] == Vocab("fail")


def test_a_robot_is_driven_and_given_back_when_its_program_parts(names: NameClient, simulation: Run) -> None:
    async def drive(sim: Any) -> None:
        connection = await opened(names, "/robot2/motors/rpc:i")
        assert await asked(connection, '0 "" 10 0 2 0.2 0.0') == [0, "", 10, 0, 0]
        while (await ask(names, "/robot2/motors/rpc:i", "state"))[1] < 0.1:  # type: ignore[operator]
            pass
        assert "robot2" in sim.step.owners("robot2").owners
        connection.writer.close()

    with connect(simulation.endpoint) as sim:
        do(drive(sim))
        while "robot2" in sim.step.owners("robot2").owners:
            pass


@pytest.mark.parametrize("carrier", wire.CARRIERS)
def test_readings_are_streamed_with_a_count_and_the_time(names: NameClient, carrier: str) -> None:
    async def listen() -> list[tuple[list[Value], str]]:
        queue: asyncio.Queue[tuple[list[Value], str]] = asyncio.Queue()
        reader_name = f"/reader/{carrier}"

        class Listening(YarpPort):
            async def _answer(self, connection: wire.PortConnection, message: wire.PortMessage) -> None:
                assert connection.carrier == carrier
                queue.put_nowait((message.values or [], message.text))

        port = Listening(reader_name, GatewayCounts())
        await port.open(names, "127.0.0.1")
        source = await opened(names, "/robot1/sonars/data:o")
        answer = await asked(source, f"[add] {carrier}:/{reader_name}", wire.ADMIN)
        assert answer[0] == 0, answer
        assert reader_name in await asked(source, "[list] [out]", wire.ADMIN)
        assert ["carrier", carrier] in await asked(source, f"[list] [out] {reader_name}", wire.ADMIN)
        messages = [await queue.get() for _ in range(5)]
        assert (await asked(source, f"[del] {reader_name}", wire.ADMIN))[0] == 0
        source.writer.close()
        await port.close()
        return messages

    messages = do(listen())
    assert all(len(values) == 11 for values, _ in messages)
    times = [float(envelope.split()[1]) for _, envelope in messages]
    assert times == sorted(times)
    counts = [int(envelope.split()[0]) for _, envelope in messages]
    assert len(set(counts)) == 5


@pytest.mark.parametrize("is_at_the_port_of_its_writer", [False, True])
def test_a_reader_of_datagrams_is_served_until_it_is_left(
    names: NameClient, is_at_the_port_of_its_writer: bool
) -> None:
    async def listen() -> list[bytes]:
        came: asyncio.Queue[bytes] = asyncio.Queue()

        class Datagrams(asyncio.DatagramProtocol):
            def datagram_received(self, data: bytes, addr: tuple[Any, ...]) -> None:
                came.put_nowait(data)

        listening: list[asyncio.DatagramTransport] = []

        async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            assert await reader.readexactly(8) == bytes.fromhex("5941611e00005250")
            (length,) = struct.unpack("<i", await reader.readexactly(4))
            assert await reader.readexactly(length) == b"/robot1/sonars/data:o\0"
            # YARP without ACE listens, on all addresses, at the port that the connection came from
            at = ("0.0.0.0", writer.get_extra_info("peername")[1]) if is_at_the_port_of_its_writer else ("127.0.0.1", 0)
            transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(Datagrams, at)
            listening.append(transport)
            writer.write(wire.number(transport.get_extra_info("sockname")[1]))
            await reader.read()
            writer.close()

        server = await asyncio.start_server(greet, "127.0.0.1", 0)
        await names.ask(f"register /datagrams udp 127.0.0.1 {server.sockets[0].getsockname()[1]}")
        source = await opened(names, "/robot1/sonars/data:o")
        assert (await asked(source, "[add] /datagrams udp", wire.ADMIN))[0] == 0
        messages = [await came.get() for _ in range(3)]
        assert (await asked(source, "[del] /datagrams", wire.ADMIN))[0] == 0
        while messages[-1][8:] != wire.FAREWELL:
            messages.append(await came.get())
        source.writer.close()
        server.close()
        listening[0].close()
        return messages

    for message in do(listen())[:-1]:
        checksum, place = struct.unpack("<Ii", message[:8])
        assert checksum == zlib.crc32(message[8:])
        assert place == 0
        assert message[8:].startswith(bytes.fromhex("59410a0000005250 0201"))


# devices


@pytest.mark.parametrize("carrier", [wire.TCP, wire.TEXT_ACK])
def test_clients_of_range_finders_are_told_of_the_scan(names: NameClient, carrier: str) -> None:
    port = "/robot1/sonars/rangefinder2D:o/rpc:i"
    first, last = do(ask(names, port, "getScanLimits RPC", carrier))[1:]
    assert isinstance(first, float)
    assert isinstance(last, float)
    word, step = do(ask(names, port, "getHorizontalResolution [RPC]", carrier))
    assert word == [Vocab("ok")]
    assert step == pytest.approx((last - first) / 11)
    assert do(ask(names, port, "getDistanceRange RPC", carrier))[1] == 0.0
    assert do(ask(names, port, "getDeviceStatus RPC", carrier))[1] == Vocab(chr(1))
    assert do(ask(names, port, "getScanRate RPC", carrier))[1] == pytest.approx(100.0)
    assert "/robot1/sonars" in str(do(ask(names, port, "getDeviceInfo RPC", carrier))[1])
    assert do(ask(names, port, "setScanLimits RPC 0.0 1.0", carrier)) == [Vocab("err2")]
    assert do(ask(names, port, "help", carrier))[0] == Vocab("many")
    assert do(ask(names, port, "dance RPC", carrier))[0] == Vocab("fail")
    assert do(ask(names, port, "1.5", carrier))[0] == Vocab("fail")


def test_a_velocity_lasts_as_long_as_its_call_says(names: NameClient) -> None:
    async def drive() -> None:
        port, stem = "/robot3/motors/rpc:i", "/robot3/motors/velocity"
        base = await opened(names, f"{stem}/rpc:i")
        assert await asked(base, "applyVelocityCommandRPC 0.2 0.0 10.0 0.5") == [Vocab("ok")]
        assert await asked(base, "getLastVelocityCommandRPC") == [[Vocab("ok")], 0.2, 0.0, 10.0]
        while (await ask(names, port, "state"))[1] < 0.1:  # type: ignore[operator]
            pass
        while await asked(base, "getLastVelocityCommandRPC") != [[Vocab("ok")], 0.0, 0.0, 0.0]:
            pass
        while abs((await ask(names, port, "state"))[1]) > 0.01:  # type: ignore[arg-type]
            pass
        assert await asked(base, "applyVelocityCommandRPC 0.2 0.0 nan 0.5") == [Vocab("err7")]
        assert await asked(base, "applyVelocityCommandRPC 0.2") == [Vocab("err7")]
        stream = await opened(names, f"{stem}/data:i", wire.FAST_TCP)
        stream.writer.write(wire.framed(bottle.packed(["fast"]), wire.DATA))
        while (await asked(base, "getLastVelocityCommandRPC"))[1] != 0.3:
            await stream.send(bottle.packed([0.3, 0.0, 0.0]))
        stream.writer.close()
        base.writer.close()

    do(drive())


def test_odometry_is_streamed_as_a_structure_and_reset(names: NameClient) -> None:
    async def listen() -> list[Value]:
        queue: asyncio.Queue[list[Value]] = asyncio.Queue()

        async def put(items: list[Value], _: wire.PortConnection) -> None:
            queue.put_nowait(items)

        port = YarpPort("/client/odometry:i", GatewayCounts(), put)
        await port.open(names, "127.0.0.1")
        stem = "/robot1/odometry/odometry2D"
        source = await opened(names, f"{stem}/odometry:o")
        assert (await asked(source, "[add] /client/odometry:i", wire.ADMIN))[0] == 0
        values = await queue.get()
        assert await ask(names, f"{stem}/rpc", "reset odometry RPC") == [Vocab("ok")]
        while values[:2] != [0.0, 0.0]:
            values = await queue.get()
        source.writer.close()
        await port.close()
        return values

    assert len(do(listen())) == 9


def test_clients_that_compare_protocols_find_their_own(names: NameClient) -> None:
    async def version() -> bytes:
        connection = await opened(names, "/robot1/odometry/odometry2D/rpc", wire.FAST_TCP)
        connection.writer.write(wire.framed(bottle.packed(["getRemoteProtocolVersion"]), wire.ASKS))
        raw = await connection._reader.readexactly(16)
        connection.writer.close()
        return raw

    assert do(version()) == bytes.fromhex("00010000 01000000") + bytes(8)


def test_the_clock_is_steered_by_the_names_of_gazebo(names: NameClient) -> None:
    assert do(ask(names, "/clock/rpc", "pauseSimulation")) == [Vocab("ok")]
    assert do(ask(names, "/clock/rpc", "stepSimulationAndWait 5")) == [Vocab("ok")]
    assert do(ask(names, "/clock/rpc", "getStepSize")) == [0.01]
    assert do(ask(names, "/clock/rpc", "getSimulationTime"))[0] > 0.0  # type: ignore[operator]
    assert do(ask(names, "/clock/rpc", "stepSimulation 0"))[0] == Vocab("fail")
    assert do(ask(names, "/clock/rpc", "help"))[0] == Vocab("many")
    assert do(ask(names, "/clock/rpc", "dance"))[0] == Vocab("fail")
    assert do(ask(names, "/clock/rpc", "continueSimulation")) == [Vocab("ok")]


def test_a_program_subscribes_to_the_clock_and_is_served_again_when_it_comes_back(names: NameClient) -> None:
    class Clock(YarpPort):
        def __init__(self) -> None:
            super().__init__("/module/clock:i", GatewayCounts())
            self.came: asyncio.Queue[list[Value]] = asyncio.Queue()

        async def _answer(self, connection: wire.PortConnection, message: wire.PortMessage) -> None:
            self.came.put_nowait(message.values or [])

    async def follow() -> list[Value]:
        clock = Clock()
        await clock.open(names, "127.0.0.1")
        assert await ask(names, "/root", "subscribe tcp://clock tcp://module/clock:i") == [Vocab("ok")]
        first = await clock.came.get()
        await clock.close()
        again = Clock()
        await again.open(names, "127.0.0.1")
        later = await again.came.get()
        assert len(first) == len(later) == 2
        assert float(f"{later[0]}.{later[1]:09d}") > float(f"{first[0]}.{first[1]:09d}")
        listed = await ask(names, "/root", "subscribe")
        assert await ask(names, "/root", "unsubscribe /clock /module/clock:i") == [Vocab("ok")]
        assert await ask(names, "/root", "NAME_SERVER query /clock") != []
        await again.close()
        return listed

    assert do(follow()) == ["subscriptions", ["subscription", ["src", "/clock"], ["dest", "/module/clock:i"]]]


def test_tools_are_answered_as_by_every_port(names: NameClient) -> None:
    async def tools() -> None:
        port = await opened(names, "/robot1/motors/rpc:i", wire.TEXT_ACK)
        assert await asked(port, "[ver]", wire.ADMIN) == [Vocab("ver"), 1, 2, 3]
        assert (await asked(port, "[help]", wire.ADMIN))[0] == Vocab("many")
        assert await asked(port, "[prop] [set] a 3", wire.ADMIN) == [Vocab("ok")]
        assert await asked(port, "[prop] [get] a", wire.ADMIN) == [3]
        assert (await asked(port, "[add] /nobody", wire.ADMIN))[0] == -1
        assert (await asked(port, "[del] /nobody", wire.ADMIN))[0] == -1
        assert (await asked(port, "[dance]", wire.ADMIN))[0] == Vocab("fail")
        port.writer.write(b"*\r\n")
        assert b"This is /robot1/motors/rpc:i at tcp://127.0.0.1:" in await port._reader.readline()
        port.writer.close()

    do(tools())


@pytest.mark.parametrize(
    "rubbish",
    [b"GET / HTTP/1.1\r\n\r\n", bytes(100), b"CONNECT x\r\nd\r\n" + b"(" * 9000 + b"\r\n",
     b"YA\xe4\x1e\0\0RP\xff\xff\xff\xff",
     wire.number(7908) + b"\x02\0\0\0a\0" + wire.number(10) + b"\xff" * 10 + b"\x7f" * 3000],
)  # fmt: skip
def test_rubbish_ends_its_own_connection_alone(names: NameClient, rubbish: bytes) -> None:
    address = do(names.query("/robot1/motors/rpc:i"))
    assert address is not None
    with socket.create_connection((address.host, address.port), timeout=LIMIT) as rude:
        rude.sendall(rubbish)
        rude.shutdown(socket.SHUT_WR)
        while rude.recv(4096):
            pass
    assert do(ask(names, "/robot1/sonars/rpc:i", "ranges"))[0] == Vocab("ok")


def test_a_gateway_that_was_killed_is_started_again_while_the_robot_drives(simulation: Run) -> None:
    async def drive(process: GatewayProcess, speed: float) -> None:
        names = names_of(process)
        connection = await opened(names, "/robot3/motors/rpc:i")
        # refused until the run has noticed that the gateway before is gone
        while await asked(connection, f'0 "" 10 0 2 {speed} 0.0') != [0, "", 10, 0, 0]:
            pass
        while (await ask(names, "/robot3/motors/rpc:i", "state"))[1] / speed < 0.5:  # type: ignore[operator]
            pass
        process.process.kill()
        connection.writer.close()

    for speed in (0.1, -0.1):
        with GatewayProcess("--endpoint", simulation.endpoint, "--robots", "robot3", kind="yarp") as process:
            do(drive(process, speed))
    assert simulation.is_alive


def test_a_name_server_that_is_there_is_used(simulation: Run, names: NameClient) -> None:
    arguments = ("--endpoint", simulation.endpoint, "--robots", "robot1", "--port", str(names._port))
    with GatewayProcess(*arguments, kind="yarp") as second:
        assert "with the name server at" in second.wait_for("name server")
        second.wait_for("serving")
        assert do(ask(names, "/robot1/sonars/rpc:i", "ranges"))[0] == Vocab("ok")
