"""Requests that are made again and again with other values: what the C library needs to make them."""

from dataclasses import replace
from typing import NamedTuple

from coopsim.client import compiled
from coopsim.client.compiled import CompiledExchange
from coopsim.geometry import Floats
from coopsim.message import Message, MessagePattern, MessageTemplate

_TICKS = 1 << 63
"""The library returns the tick of a reply as a signed word, so that requests are stamped with no larger one."""


class PreparedRequest:
    """A request that is made again and again on one connection after the other, its values written into one array.

    Args:
        like: One of them, without its values.
        data: The values.

    Attributes:
        data: The values, which are written in place before each request.
        reply: The form of its replies, as far as it is known.
    """

    __slots__ = ("_compiled", "_kind", "_like", "_reply", "_run", "data", "reply")

    def __init__(self, like: Message, data: Floats) -> None:
        self._like, self.data, self.reply = like, data, MessagePattern()
        self._compiled: CompiledExchange | None = None
        self._reply: MessageTemplate | None = None
        self._run = self._kind = -1

    def message(self, tick: int, number: int = 0, run: int = 0) -> Message:
        """Return the request with the values of now for a step.

        Args:
            tick: The step that it is meant for.
            number: Its id; 0 = the connection adds it, and the run.
            run: The run that it is meant for; 0 = whichever is there.
        """
        like = self._like
        data = self.data.copy() if like.binary else self.data.tolist()
        return Message(like.target, like.command, like.params, data, tick, id=number, binary=like.binary, run=run)

    def learn(self, reply: Message) -> None:
        """Expect replies such as this one, where the library could compare them."""
        if compiled.library() is not None:
            self.reply.learn(reply)

    def compiled(self, kind: int, run: int) -> CompiledExchange | None:
        """Return what makes it without Python; None where no reply is known yet, or the library is not there.

        Args:
            kind: What is around messages, `compiled.TCP` or `compiled.ZMTP`.
            run: The run that it is meant for.
        """
        reply = self.reply.template
        if reply is not self._reply or run != self._run or kind != self._kind:
            self._reply, self._run, self._kind = reply, run, kind
            library = compiled.library()
            self._compiled = None
            if reply is not None and library is not None:
                request = MessageTemplate(replace(self.message(0), run=run))
                self._compiled = CompiledExchange(library.run, request, self.data, reply, kind)
        return self._compiled


class SentRequest(NamedTuple):
    """A request that was sent, and whose reply is waited for in the general way.

    Attributes:
        number: Its id.
        request: What was asked.
        deadline: Until when to wait for its reply, by the monotonic clock.
    """

    number: int
    request: Message
    deadline: float


def is_stamp(tick: int) -> bool:
    """Return whether the library can stamp requests with a tick."""
    return type(tick) is int and 0 <= tick < _TICKS
