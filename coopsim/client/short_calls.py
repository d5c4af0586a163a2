"""Commands that take and give numbers alone: what was answered before is asked again without a message in between."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from coopsim.client.connection import Connection
from coopsim.client.describing import BoundCommand
from coopsim.client.pool import ConnectionPool
from coopsim.client.reading import Reading, places
from coopsim.client.repeated import RequestForm, SentRequest, is_stamp
from coopsim.errors import NoReply
from coopsim.geometry import Floats
from coopsim.message import MessageTemplate

_NUMBERS = frozenset({float, int, np.float64})
_MOST = 1e300
"""Whatever lies below it is finite as a float, whole numbers included."""


class ShortCall:
    """A command of a module that is called again and again; its caller holds the lock of the pool.

    Args:
        pool: The connections.
        target: The module.
        bound: A plain one.
    """

    def __init__(self, pool: ConnectionPool, target: str, bound: BoundCommand) -> None:
        self._pool, self._bound = pool, bound
        self._form = RequestForm(target, bound.command.number, bound.is_binary, len(bound.command.takes))
        self._reply: MessageTemplate | None = None
        self._places: list[slice | int] | None = None
        self._has_runs = any(field.count != 1 for field in bound.command.gives)

    def make(self, values: Sequence[Any], tick: int) -> tuple[int, Floats] | SentRequest | None:
        """Return tick and data of the reply, or what was sent if it looks unlike the last; None if nothing was done.

        Raises:
            NoReply: The connection broke, and there is no other one in time.
        """
        form, pool = self._form, self._pool
        if len(values) != form.width or not is_stamp(tick):
            return None
        for value in values:
            if type(value) not in _NUMBERS or not -_MOST < value < _MOST:
                return None
        connection = pool.connection_to(form.target)
        if not isinstance(connection, Connection) or pool.must_look_up(form.target, connection):
            return None
        prepared = connection.known(form)
        if prepared is None or not self._can_read(prepared.pattern.template):
            return None
        try:
            return connection.repeat(prepared, values, tick, pool.timeout)
        except NoReply as problem:
            raise pool.run(pool.explaining_timeout(problem, connection)) from None

    def read(self, tick: int, data: Floats) -> Reading | None:
        """Return what a reply says, None where the command gives nothing."""
        places = self._places
        if not places:
            return None
        if not self._has_runs:
            return self._bound.reading(data.tolist(), tick)
        return self._bound.reading(
            [float(data[place]) if isinstance(place, int) else data[place] for place in places], tick
        )

    def _can_read(self, reply: MessageTemplate | None) -> bool:
        """Return whether replies such as this one hold what the command gives and nothing else."""
        if reply is not self._reply:
            self._reply, self._places = reply, None if reply is None else self._places_in(reply)
        return self._places is not None

    def _places_in(self, reply: MessageTemplate) -> list[slice | int] | None:
        """Return where in the data each value is, None where there are more or fewer, or in another form."""
        gives = self._bound.command.gives
        if not gives:
            return []
        found = places(gives, reply.count)
        if found is None or reply.sample.params or (self._has_runs and not reply.sample.binary):
            return None
        return [it.start if field.count == 1 else it for it, field in zip(found, gives, strict=True)]
