"""Commands that take numbers alone, by the C library: values go into an array, and come out of another."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from coopsim.client.connection import Connection
from coopsim.client.images import Image
from coopsim.client.module_description import BoundCommand
from coopsim.client.pool import ConnectionPool
from coopsim.client.prepared import PreparedRequest, SentRequest, is_stamp
from coopsim.client.reading import Reading, field_slices
from coopsim.errors import MalformedMessage, NoReply
from coopsim.geometry import Floats
from coopsim.message import Message, MessageTemplate

_NUMBERS = frozenset({float, int, np.float64})
# the largest float is 1.8e308: everything below this bound can still be added up
_MOST = 1e300
"""Whatever lies below it is finite as a float, whole numbers included."""


class CompiledCall:
    """A command of a module that is called again and again; its caller holds the lock of the pool.

    Args:
        pool: The connections.
        target: The module.
        bound: A plain one.
    """

    def __init__(self, pool: ConnectionPool, target: str, bound: BoundCommand) -> None:
        self._pool, self._target, self._bound = pool, target, bound
        self._names = [field.name for field in bound.command.takes]
        self._prepared: PreparedRequest | None = None
        self._reply: MessageTemplate | None = None
        self._is_readable = False
        self._places: list[slice | int] | None = None
        self._has_runs = any(field.count != 1 for field in bound.command.gives)

    def make(
        self, values: Sequence[Any], named: Mapping[str, Any], tick: int, timeout: float | None
    ) -> tuple[int, Floats] | SentRequest | None:
        """Return tick and data of the reply, or what was sent if it looks unlike the last; None if nothing was done.

        Raises:
            NoReply: The connection broke, and there is no other one in time.
        """
        pool, prepared = self._pool, self._prepared
        if prepared is None or len(values) + len(named) != len(self._names) or not is_stamp(tick):
            return None
        if named:
            values = (*values, *(named.get(name) for name in self._names[len(values) :]))
        for value in values:
            if type(value) not in _NUMBERS or not -_MOST < value < _MOST:
                return None
        connection = pool.connection_to(self._target)
        if not isinstance(connection, Connection) or pool.must_look_up(self._target, connection):
            return None
        if not self._can_read(prepared.reply.template):
            return None
        prepared.data[:] = values
        wait = pool.timeout if timeout is None else timeout
        try:
            return connection.exchange(prepared, tick, wait, wait)
        except NoReply as problem:
            raise pool.run(pool.explaining_timeout(problem, connection)) from None

    def read(self, tick: int, data: Floats) -> Reading | Image | bytes | None:
        """Return what a reply says, None where the command gives nothing."""
        bound, places = self._bound, self._places
        if places is None:
            return None if self._reply is None else bound.read(_with_values(self._reply.sample, tick, data))
        if not places:
            return None
        if not self._has_runs:
            return bound.reading(data.tolist(), tick)
        return bound.reading([float(data[place]) if isinstance(place, int) else data[place] for place in places], tick)

    def learn(self, reply: Message) -> None:
        """Expect replies such as this one from now on, where the module is reached by a socket and there is C."""
        if self._prepared is None:
            connection = self._pool.connection_to(self._target)
            if not isinstance(connection, Connection) or not connection.has_library:
                return
            like = Message(self._target, self._bound.command.number, binary=self._bound.is_binary)
            self._prepared = PreparedRequest(like, np.zeros(len(self._names)))
        self._prepared.learn(reply)

    def _can_read(self, reply: MessageTemplate | None) -> bool:
        """Return whether replies such as this one hold what the command gives and nothing else."""
        if reply is not self._reply:
            self._reply, self._places = reply, None
            self._is_readable = reply is not None and self._find_places(reply)
        return self._is_readable

    def _find_places(self, reply: MessageTemplate) -> bool:
        """Find where in the data each value is, if there are data alone; return whether the replies can be read."""
        gives, like = self._bound.command.gives, reply.sample
        if not gives:
            self._places = []
            return True
        try:
            self._bound.read(_with_values(like, 0, np.zeros(reply.count)))
        except MalformedMessage:
            return False
        spans = field_slices(gives, reply.count) if all(field.place == "data" for field in gives) else None
        if spans is not None and not like.params and (like.binary or not self._has_runs):
            self._places = [span.start if field.count == 1 else span for span, field in zip(spans, gives, strict=True)]
        return True


def _with_values(like: Message, tick: int, values: Floats) -> Message:
    """Return a reply with other values, as `decode` would give it."""
    data = values if like.binary else values.tolist()
    return Message(like.target, like.command, like.params, data, tick, text=like.text, binary=like.binary)
