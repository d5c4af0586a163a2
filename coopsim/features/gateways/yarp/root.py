"""The port of a name server: commands as bottles, and connections between ports that are kept while ports come and go.

`YARP_CLOCK` makes programs subscribe to the clock here: the source is asked to send, again whenever one of the two is
announced anew.

Source: YARP's page "persistent_connections".
"""

import asyncio
import contextlib

from coopsim.features.gateways.codec import GatewayCounts
from coopsim.features.gateways.yarp import bottle, wire
from coopsim.features.gateways.yarp.bottle import Value, Vocab
from coopsim.features.gateways.yarp.names import END, NameTable
from coopsim.features.gateways.yarp.port import YarpPort
from coopsim.features.gateways.yarp.wire import PROBLEMS, PortConnection

ROOT = "/root"
_PATIENCE = 3.0
"""How long a port may take to be asked for a connection [s]."""
_MOST = 1000
"""Connections that are kept."""


class RootPort(YarpPort):
    """The port `/root`.

    Args:
        counts: Where messages are counted.
        table: The names; what is announced there has its connections made again.
    """

    def __init__(self, counts: GatewayCounts, table: NameTable) -> None:
        super().__init__(ROOT, counts, self._obey)
        self._known = table
        self._kept: set[tuple[str, str]] = set()
        self._asking: set[asyncio.Task[None]] = set()
        table.announced = self._restore

    async def close(self) -> None:
        """Listen no more; connections between other ports stay."""
        for task in list(self._asking):
            task.cancel()
        await super().close()

    async def _obey(self, items: list[Value], connection: PortConnection) -> list[Value] | None:
        words = [str(item) for item in items]
        words = words[1:] if words[:1] == ["NAME_SERVER"] else words
        match words:
            case ["subscribe", source, target, *_] if len(self._kept) < _MOST:
                pair = _port(source), _port(target)
                self._kept.add(pair)
                self._ask(*pair, "add")
                return [Vocab("ok")]
            case ["unsubscribe", source, target, *_]:
                pair = _port(source), _port(target)
                self._kept.discard(pair)
                self._ask(*pair, "del")
                return [Vocab("ok")]
            case ["subscribe", *_]:
                kept: list[Value] = [["subscription", ["src", a], ["dest", b]] for a, b in sorted(self._kept)]
                return ["subscriptions", *kept]
            case ["topic", *_]:
                return ["topics"]
        peer = str(connection.writer.get_extra_info("peername")[0])
        return bottle.parsed(" ".join(line for line in self._known.answer(words, peer) if line != END))

    def _restore(self, name: str) -> None:
        """Make the connections of a port again that has begun anew."""
        for source, target in sorted(self._kept):
            if name in (source, target):
                self._ask(source, target, "add")

    def _ask(self, source: str, target: str, command: str) -> None:
        task = asyncio.create_task(self._asked_to(source, target, command))
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)

    async def _asked_to(self, source: str, target: str, command: str) -> None:
        """Ask a port to send to another one, or to send there no more, as `yarp connect` does."""
        addresses = self._known.addresses
        if source not in addresses or target not in addresses:
            return  # it is asked when both have been announced
        host, number = addresses[source].host, addresses[source].port
        with contextlib.suppress(*PROBLEMS):  # a port that is gone is asked when it comes back
            connection = await wire.connect(host, number, wire.TEXT_ACK, "admin", _PATIENCE)
            async with asyncio.timeout(_PATIENCE):
                await connection.administer([Vocab(command), target])


def _port(word: str) -> str:
    """Return the name of a port out of `tcp://clock` or `/clock`."""
    return "/" + word.rpartition("://")[2].lstrip("/")
