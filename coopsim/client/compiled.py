"""A request and its reply in one call of C, where the library was built.

What the structures hold is said in coopsim/lane/exchange.h.
"""

import ctypes
import functools
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np

from coopsim.geometry import Floats
from coopsim.lane import load
from coopsim.message import MessageTemplate, TemplateParts

_INTERFACE = 1  # EXCHANGE_INTERFACE of exchange.h: counted up with each change of the structures
TCP, ZMTP = 0, 1
"""What is around messages: their length, or ZeroMQ's frames."""
UNSENT, SENT, CUT = -1, -2, -3
"""What became of an exchange that did not succeed: nothing was done, the request has gone, a part of it has."""
# 16: ZMTP's longest head has 9 bytes; 9: msgpack's longest number is a byte and a word
_FRAME, _NUMBER, _VALUE, _SPARE = 16, 9, 9, 64
"""Bytes of the longest frame's head, an integer and a value that are packed; room for a few more than are expected."""
_BEGIN = struct.Struct("=qQQ")
_INT, _UINT, _ADDRESS = ctypes.c_int64, ctypes.c_uint64, ctypes.c_void_p


class _Form(ctypes.Structure):
    """The common part of messages that differ only in id, tick and values."""

    _fields_ = (
        *((name, _ADDRESS) for name in ("begin", "head", "middle", "end")),
        *((name, _INT) for name in ("begin_size", "head_size", "middle_size", "end_size", "is_binary", "count")),
        ("values", _ADDRESS),
    )


class _State(ctypes.Structure):
    """A request and its reply."""

    _fields_ = (
        ("fd", _INT),
        *((name, _UINT) for name in ("number", "tick")),
        ("kind", _INT),
        *((name, _Form) for name in ("request", "reply")),
        *((name, _ADDRESS) for name in ("inbox", "outbox")),
        *((name, _INT) for name in ("in_size", "have", "gone", "out_at", "out_end")),
    )


class ExchangeLibrary:
    """The C library, as a client uses it.

    Args:
        path: Its file.

    Raises:
        OSError: It is no library of this machine.
        AttributeError: It is one of the host alone.
        ValueError: It is of another version of coopsim.

    Attributes:
        run: Makes an exchange, given the address of its state; other threads go on meanwhile.
    """

    def __init__(self, path: Path) -> None:
        library = ctypes.CDLL(str(path))
        size = ctypes.c_int64()
        library.exchange_interface.restype = _INT
        if (library.exchange_interface(ctypes.byref(size)), size.value) != (_INTERFACE, ctypes.sizeof(_State)):
            raise ValueError(f"{path.name} was built for another version of coopsim")
        self.run = library.exchange_run
        self.run.argtypes, self.run.restype = [_ADDRESS], _INT


@functools.cache
def library() -> ExchangeLibrary | None:
    """Return what the library can do for a client, looked for once."""
    return load(ExchangeLibrary)


class CompiledExchange:
    """A request that is made again and again, and the reply that it had before.

    Args:
        run: What makes it, `ExchangeLibrary.run`.
        request: What the requests have in common.
        data: Their values, which are written in place before each one.
        reply: What the replies have in common.
        kind: What is around messages, `TCP` or `ZMTP`.
    """

    def __init__(
        self, run: Callable[[int], int], request: MessageTemplate, data: Floats, reply: MessageTemplate, kind: int
    ) -> None:
        self._run, self._data, self._values = run, data, np.empty(reply.count)
        self._parts = request.parts, reply.parts
        self._inbox, self._outbox = (ctypes.create_string_buffer(_room(size)) for size in (reply, request))
        forms = _form(request, self._parts[0], data), _form(reply, self._parts[1], self._values)
        boxes = map(ctypes.addressof, (self._inbox, self._outbox))
        self._state = _State(0, 0, 0, kind, *forms, *boxes, len(self._inbox))
        self._address = ctypes.addressof(self._state)

    def make(self, descriptor: int, number: int, tick: int) -> int:
        """Send the request and wait for the reply; return its tick, or `UNSENT`, `SENT`, `CUT`.

        Args:
            descriptor: A socket that blocks, and minds the time limit by itself.
            number: The id of the request.
            tick: The step that it is meant for.
        """
        _BEGIN.pack_into(self._state, 0, descriptor, number, tick)
        return self._run(self._address)

    def values(self) -> Floats:
        """Return the values of the reply."""
        numbers = self._values.copy()
        numbers.setflags(write=False)  # as those that are read from bytes
        return numbers

    def came(self) -> bytes:
        """Return, once, what came and is not the reply that was expected."""
        size, self._state.have = self._state.have, 0
        return ctypes.string_at(self._inbox, size)

    def gone(self) -> int:
        """Return how many bytes of the request with its frame have gone, 0 where that is all or nothing."""
        size: int = self._state.gone
        return size


def _form(template: MessageTemplate, parts: TemplateParts, values: Floats) -> _Form:
    places = [ctypes.cast(ctypes.c_char_p(part), _ADDRESS).value for part in parts]
    return _Form(*places, *map(len, parts), template.sample.binary, template.count, values.ctypes.data)


def _room(template: MessageTemplate) -> int:
    """Return how many bytes such a message has at most, with its frame."""
    return _FRAME + sum(map(len, template.parts)) + 2 * _NUMBER + _VALUE * template.count + _SPARE
