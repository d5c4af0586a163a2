"""Names of ports: a name server of our own, and a client of one that is there already.

Source: YARP's page "name_server"; commands are lines of text, answers end with `*** end of message` or are one line.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from coopsim.features.gateways.yarp.wire import LONGEST_LINE

DEFAULT_PORT = 10000  # where yarpserver listens
END = "*** end of message"
ACCEPTED = "tcp fast_tcp text text_ack"
OFFERED = f"{ACCEPTED} udp"
"""Carriers that messages come in, and that they leave by."""
_PATIENCE = 3.0
"""How long a name server may take to answer [s]."""
_MOST_NAMES = 20_000  # a program in a loop that registers must not fill memory
_MOST_PROPERTIES = 64  # of one port; YARP's programs set a few


class PortAddress(NamedTuple):
    """Address of a port.

    Attributes:
        name: `/robot1/motors/rpc:i`.
        host: Its address.
        port: Its number.
        carrier: That it prefers.
    """

    name: str
    host: str
    port: int
    carrier: str = "tcp"

    @property
    def line(self) -> str:
        """Line that a name server answers."""
        return f"registration name {self.name} ip {self.host} port {self.port} type {self.carrier}"


class NameTable:
    """All that a name server knows: addresses and properties of ports.

    Args:
        first: Number of the first port that is given to whoever asks for one.

    Attributes:
        addresses: By name.
        announced: Called with the name of a port that has begun.
    """

    def __init__(self, first: int) -> None:
        self.addresses: dict[str, PortAddress] = {}
        self._properties: dict[str, dict[str, list[str]]] = {}
        self._next = first
        self.announced: Callable[[str], None] = lambda _: None

    def answer(self, words: list[str], peer: str) -> list[str]:
        """Return the lines that answer a command.

        Args:
            words: Of the command.
            peer: Address of whoever asks.
        """
        command, arguments = (words[0], words[1:]) if words else ("", [])
        match command, arguments:
            case "register", [name, *rest]:
                return self._register(name, [*rest, "...", "...", "..."], peer)
            case "unregister", [name, *_]:
                self.addresses.pop(name, None)
                self._properties.pop(name, None)
                return [END]
            case "query", [name, *_]:
                return self._query(name)
            case "list", prefixes:
                return [*self._listed(prefixes[0] if prefixes else ""), END]
            case "set", [name, key, *values]:
                return self._set(name, key, values)
            case "get", [name, key, *_]:
                return [self._property(name, key), END]
            case "check", [name, key, value, *_]:
                is_there = "true" if value in self._properties.get(name, {}).get(key, []) else "false"
                return [f"port {name} property {key} value {value} present {is_there}", END]
            case "announce", [name, *_]:
                self.announced(name)
                return ["[ok]"]
            case "version", _:
                return ["version coopsim", END]
            case "help", _:
                commands = "register unregister query list set get check announce version help"
                return ["Here are some ways to use the name server:", *(f"+ {name}" for name in commands.split()), END]
        return [END]

    def _listed(self, prefix: str) -> list[str]:
        stem = prefix.rstrip("/") + "/"
        names = [name for name in sorted(self.addresses) if not prefix or name == prefix or name.startswith(stem)]
        return [self.addresses[name].line for name in names]

    def _query(self, name: str) -> list[str]:
        return [self.addresses[name].line, END] if name in self.addresses else [END]

    def _register(self, name: str, rest: list[str], peer: str) -> list[str]:
        carrier, host, port = rest[:3]
        if name == "...":
            taken = (f"/anonymous/port/{number}" for number in range(1, _MOST_NAMES + 2))
            name = next(free for free in taken if free not in self.addresses)
        if len(self.addresses) >= _MOST_NAMES and name not in self.addresses:
            return [END]
        number = int(port) if port.isdigit() and 0 < int(port) <= 0xFFFF else self._free()
        address = PortAddress(name, peer if host == "..." else host, number, "tcp" if carrier == "..." else carrier)
        self.addresses[name], self._properties[name] = address, {}
        return self._query(name)

    def _free(self) -> int:
        used = {address.port for address in self.addresses.values()}
        while self._next in used:
            self._next += 1
        self._next += 1
        return self._next - 1

    def _set(self, name: str, key: str, values: list[str]) -> list[str]:
        properties = self._properties.get(name)
        if properties is None or (len(properties) >= _MOST_PROPERTIES and key not in properties):
            return [END]
        properties[key] = values
        return [self._property(name, key), END]

    def _property(self, name: str, key: str) -> str:
        return f"port {name} property {key} = {' '.join(self._properties.get(name, {}).get(key, []))}".rstrip()


class NameClient:
    """A client of a name server.

    Args:
        host: Where it answers.
        port: Its number.
    """

    def __init__(self, host: str, port: int) -> None:
        self._host, self._port = host, port

    async def ask(self, command: str) -> list[str]:
        """Return the lines that a server answers, without the one that ends them.

        Raises:
            OSError: None answers there.
        """
        try:
            async with asyncio.timeout(_PATIENCE):
                return await self._asked(command)
        except TimeoutError:
            raise ConnectionError(f"no name server answers at {self._host}:{self._port}") from None

    async def _asked(self, command: str) -> list[str]:
        reader, writer = await asyncio.open_connection(self._host, self._port, limit=LONGEST_LINE)
        try:
            writer.write(f"NAME_SERVER {command}\n".encode())
            lines: list[str] = []
            # a server keeps the connection open: a line that begins so is its last one
            while (line := (await reader.readline()).decode("utf-8", "replace").rstrip("\r\n")) and line[0] not in "*[":
                lines.append(line)
            return lines
        finally:
            writer.close()

    async def query(self, name: str) -> PortAddress | None:
        """Return where a port is, None if nobody knows."""
        return address_in(await self.ask(f"query {name}"))

    async def register(self, address: PortAddress) -> PortAddress | None:
        """Tell where a port is, and what it speaks; return what the server keeps."""
        name = address.name
        kept = address_in(await self.ask(f"register {name} {address.carrier} {address.host} {address.port}"))
        await self.ask(f"set {name} offers {OFFERED}")
        await self.ask(f"set {name} accepts {ACCEPTED}")
        await self.ask(f"announce {name}")
        return kept

    async def unregister(self, name: str) -> None:
        """Give up a name."""
        await self.ask(f"unregister {name}")


class OwnNames:
    """The same for ports of the process that is the name server itself."""

    def __init__(self, table: NameTable) -> None:
        self._table = table

    async def query(self, name: str) -> PortAddress | None:
        """Return where a port is, None if nobody knows."""
        return self._table.addresses.get(name)

    async def register(self, address: PortAddress) -> PortAddress | None:
        """Tell where a port is; return what is kept."""
        words = ["register", address.name, address.carrier, address.host, str(address.port)]
        kept = address_in(self._table.answer(words, address.host))
        self._table.answer(["set", address.name, "offers", *OFFERED.split()], address.host)
        self._table.answer(["set", address.name, "accepts", *ACCEPTED.split()], address.host)
        self._table.answer(["announce", address.name], address.host)
        return kept

    async def unregister(self, name: str) -> None:
        """Give up a name."""
        self._table.answer(["unregister", name], "")


_FIELDS: Final = {"name": 2, "ip": 4, "port": 6, "type": 8}


def address_in(lines: list[str]) -> PortAddress | None:
    """Return the address in an answer, None if it has none."""
    for line in lines:
        words = line.split()
        is_one = len(words) > max(_FIELDS.values()) and words[0] == "registration"
        if is_one and words[_FIELDS["port"]].isdigit():
            fields: Mapping[str, str] = {key: words[place] for key, place in _FIELDS.items()}
            return PortAddress(fields["name"], fields["ip"], int(fields["port"]), fields["type"])
    return None
