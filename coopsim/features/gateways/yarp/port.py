"""A port of YARP: it listens, is asked, is administered, and sends to other ports what is published.

Source: YARP's pages "yarp_protocol" and "port_expert"; the commands of administration are those of its class Port.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from coopsim.features.gateways.codec import GatewayCounts, MessageOutbox
from coopsim.features.gateways.yarp import datagrams, wire
from coopsim.features.gateways.yarp.bottle import Value, Vocab
from coopsim.features.gateways.yarp.datagrams import UDP
from coopsim.features.gateways.yarp.names import NameTable, PortAddress
from coopsim.features.gateways.yarp.structures import Structure
from coopsim.features.gateways.yarp.wire import CARRIERS, PROBLEMS, PortConnection, PortMessage

_PATIENCE = 3.0
"""How long another port may take to be connected [s]."""
_MOST_INPUTS, _MOST_OUTPUTS = 64, 32  # connections of one port; each is a task
_QUEUE = 10
"""Messages that wait for one slow reader."""
_HELP = (
    "[help]                  # give this help",
    "[ver]                   # report protocol version information",
    "[add] $portname         # add an output connection",
    "[add] $portname $car    # add an output with a given protocol",
    "[del] $portname         # remove an input or output connection",
    "[list] [in]             # list input connections",
    "[list] [out]            # list output connections",
    "[prop] [get] $prop      # get a user-defined port property",
    "[prop] [set] $prop $val # set a user-defined port property",
)
_UNKNOWN = b"Port command not understood.\r\nType d to send data to the port's owner.\r\n"
Asked = Callable[[list[Value], PortConnection], Awaitable[Structure | list[Value] | None]]
"""Answers a bottle that came, None = nothing is to be said."""


class Names(Protocol):
    """A name server, as a port needs it."""

    async def query(self, name: str) -> PortAddress | None:
        """Return where a port is, None if nobody knows."""

    async def register(self, address: PortAddress) -> PortAddress | None:
        """Tell where a port is."""

    async def unregister(self, name: str) -> None:
        """Give up a name."""


class SendingConnection(Protocol):
    """A connection to another port, which messages leave by.

    Attributes:
        carrier: How they leave.
        peer: Name of that port.
    """

    carrier: str
    peer: str

    async def send(self, body: bytes, envelope: str = "") -> None:
        """Send a packed bottle."""

    def close(self) -> None:
        """Part."""


@dataclass(slots=True)
class _OutgoingConnection:
    connection: SendingConnection
    outbox: MessageOutbox
    sending: "asyncio.Task[None]"


class YarpPort:
    """A port.

    Args:
        name: `/robot1/motors/rpc:i`.
        asked: Answers bottles that come.
        parted: Called with each connection that ends.
        counts: Where messages are counted.

    Attributes:
        name: Of the port.
        address: Where it listens, once it is open.
    """

    def __init__(
        self,
        name: str,
        counts: GatewayCounts,
        asked: Asked | None = None,
        parted: Callable[[PortConnection], Awaitable[None]] | None = None,
    ) -> None:
        self.name, self._counts, self._asked, self._parted = name, counts, asked, parted
        self.address = PortAddress(name, "", 0)
        self._names: Names | None = None
        self._table: NameTable | None = None
        self._server: asyncio.Server | None = None
        self._inputs: dict[PortConnection, asyncio.Task[None] | None] = {}
        self._outputs: dict[str, _OutgoingConnection] = {}
        self._properties: dict[str, Value] = {}

    async def open(self, names: Names, host: str, number: int = 0, table: NameTable | None = None) -> None:
        """Listen, and tell the name server where.

        Args:
            names: The name server.
            host: Address to listen at.
            number: 0 = a free one.
            table: Answers commands to a name server at the same port, too.

        Raises:
            OSError: The address is taken, or the name server does not answer.
        """
        self._names, self._table = names, table
        self._server = await asyncio.start_server(self._serve, host, number, limit=wire.LONGEST_LINE)
        self.address = PortAddress(self.name, host, self._server.sockets[0].getsockname()[1])
        await names.register(self.address)

    async def close(self) -> None:
        """Listen no more and part from all other ports."""
        for name in list(self._outputs):
            self._remove(name)
        if self._server is not None:
            self._server.close()
        for connection, task in list(self._inputs.items()):
            connection.writer.close()
            if task is not None:
                task.cancel()
        if self._names is not None:
            with contextlib.suppress(OSError):  # the name server may be gone already
                await self._names.unregister(self.name)

    @property
    def has_readers(self) -> bool:
        """Whether it sends to anybody."""
        return bool(self._outputs)

    def publish(self, values: Structure | Sequence[Value], envelope: str) -> None:
        """Send a bottle or a structure to all ports that are connected; none of them is waited for."""
        raw = wire.packed(values)
        for output in self._outputs.values():
            output.outbox.put("data", envelope.encode() + b"\0" + raw, _QUEUE)

    # others ask

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection: PortConnection | None = None
        try:
            head = await asyncio.wait_for(reader.readexactly(8), _PATIENCE)
            if head == b"NAME_SER" and self._table is not None:
                await self._serve_names(self._table, head, reader, writer)
            elif len(self._inputs) < _MOST_INPUTS:
                connection = await wire.accept(reader, writer, head, self.address.port)
            if connection is not None:
                self._inputs[connection] = asyncio.current_task()
                await self._answer_all(connection)
        except PROBLEMS:
            pass  # whoever sends what is none, or leaves, is parted from; others notice nothing
        finally:
            writer.close()
            if connection is not None:
                self._inputs.pop(connection, None)
                if self._parted is not None:
                    await self._parted(connection)

    async def _serve_names(
        self, table: NameTable, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        peer = str(writer.get_extra_info("peername")[0])
        while (line := head + await reader.readline()).endswith(b"\n"):
            head = b""
            words = line.decode("utf-8", "replace").split()
            writer.write(("\r\n".join(table.answer(words[1:], peer)) + "\r\n").encode())
            await writer.drain()

    async def _answer_all(self, connection: PortConnection) -> None:
        while True:
            message = await connection.read()
            self._counts.received += 1
            if message.command == "q":
                return
            await self._answer(connection, message)
            connection.acknowledge()
            await connection.writer.drain()

    async def _answer(self, connection: PortConnection, message: PortMessage) -> None:
        match message.command:
            case wire.DATA | wire.ASKS:
                answer = None if self._asked is None else await self._asked(message.values or [], connection)
                if message.command == wire.ASKS:
                    connection.reply(answer or [])
            case wire.ADMIN:
                connection.reply(await self._administer(message.values or []))
            case "/":
                text = (await self._add(message.text, ""))[1]
                connection.writer.write(f"{text}\r\n".encode() if connection.is_text else b"")
            case "!" | "~":
                self._remove(message.text[1:])
            case "*" if connection.is_text:
                connection.writer.write("".join(f"{line}\r\n" for line in self._described()).encode())
            case _ if connection.is_text:
                connection.writer.write(_UNKNOWN)

    def _described(self) -> list[str]:
        host, number = self.address.host, self.address.port
        outputs = [
            f"There is an output connection from {self.name} to {name} using {output.connection.carrier}"
            for name, output in self._outputs.items()
        ]
        inputs = [
            f"There is an input connection from {connection.peer} to {self.name} using {connection.carrier}"
            for connection in self._inputs
        ]
        head = f"This is {self.name} at tcp://{host}:{number}{self.name}"
        return [head, *(outputs or ["There are no outgoing connections"]), *inputs]

    async def _administer(self, values: list[Value]) -> list[Value]:
        words = [str(value) for value in values]
        match words:
            case ["help", *_]:
                return [Vocab("many"), *_HELP]
            case ["ver", *_]:
                return [Vocab("ver"), 1, 2, 3]
            case ["add", name, *rest]:
                code, text = await self._add(name, rest[0] if rest else "")
                return [code, text]
            case ["del", name, *_]:
                return self._remove(name)
            case ["list", side, *rest]:
                return self._listed(side, rest[0] if rest else "")
            case ["prop", "set", key, *_] if len(self._properties) < _MOST_OUTPUTS:
                self._properties[key] = values[3] if len(values) > 3 else ""
                return [Vocab("ok")]
            case ["prop", "get", key, *_]:
                return [self._properties.get(key, 0)]
        return [Vocab("fail"), "send [help] for list of valid commands"]

    def _listed(self, side: str, name: str) -> list[Value]:
        if side == "in":
            # peers without a slash are tools that ask one thing, no ports
            ports = [connection for connection in self._inputs if connection.peer.startswith("/")]
            carriers = {connection.peer: connection.carrier for connection in ports}
        else:
            carriers = {peer: output.connection.carrier for peer, output in self._outputs.items()}
        if not name:
            return list(carriers)
        if name not in carriers:
            return []
        begin, end = (name, self.name) if side == "in" else (self.name, name)
        return [["from", begin], ["to", end], ["carrier", carriers[name]]]

    # it sends

    async def _add(self, target: str, carrier: str) -> tuple[int, str]:
        """Connect to another port: `/read`, `tcp://read`, `text:/read`, or `tcp://host:port/read`."""
        word, separator, place = target.partition(":/")
        carrier, place = (carrier or word, place) if separator else (carrier, target)
        place = "/" + place.lstrip("/")
        carrier = carrier.partition("+")[0]
        # what we do not speak is left to TCP, as ports of YARP do it
        carrier = carrier if carrier in (*CARRIERS, UDP) else wire.TCP
        if len(self._outputs) >= _MOST_OUTPUTS:
            return -1, f"{self.name} sends to {_MOST_OUTPUTS} ports already"
        try:
            address = await self._located(place)
            if address is None:
                return -1, f"Do not know how to connect to {target}"
            connection = await self._connected(address, carrier)
        except PROBLEMS as problem:
            return -1, f"Cannot connect to {target}: {problem or type(problem).__name__}"
        self._remove(address.name)
        outbox = MessageOutbox(self._counts)
        connection.peer = address.name
        sending = asyncio.create_task(self._send(address.name, connection, outbox))
        self._outputs[address.name] = _OutgoingConnection(connection, outbox, sending)
        return 0, f"Added connection from {self.name} to {target}"

    async def _connected(self, address: PortAddress, carrier: str) -> SendingConnection:
        if carrier == UDP:
            return await datagrams.connect(address.host, address.port, self.name, _PATIENCE)
        return await wire.connect(address.host, address.port, carrier, self.name, _PATIENCE)

    async def _located(self, place: str) -> PortAddress | None:
        host, _, number = place[1:].partition("/")[0].partition(":")
        if number.isdigit():
            return PortAddress("/" + place[1:].partition("/")[2], host, int(number))
        assert self._names is not None  # noqa: S101 - only an open port is asked
        return await self._names.query(place)

    async def _send(self, name: str, connection: SendingConnection, outbox: MessageOutbox) -> None:
        try:
            while True:
                raw = await outbox.get()
                assert isinstance(raw, bytes)  # noqa: S101 - as `publish` puts it there
                envelope, _, body = raw.partition(b"\0")
                await connection.send(body, envelope.decode())
                self._counts.sent += 1
        except PROBLEMS:
            self._outputs.pop(name, None)
        finally:
            connection.close()

    def _remove(self, name: str) -> list[Value]:
        output = self._outputs.pop(name, None)
        if output is not None:
            output.sending.cancel()
            return [0, f"Removed connection from {self.name} to {name}"]
        for connection in self._inputs:
            if connection.peer == name:
                connection.writer.close()
                return [0, f"Removing connection from {name} to {self.name}"]
        return [-1, f"Could not find an outgoing connection to {name}"]
