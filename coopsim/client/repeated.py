"""Requests that are made again and again, packed by what they have in common."""

from collections.abc import MutableMapping
from typing import NamedTuple, TypeAlias

import numpy as np

from coopsim.client import compiled
from coopsim.client.compiled import CompiledExchange
from coopsim.geometry import Floats
from coopsim.message import Message, MessagePattern, MessageTemplate

MOST_PATTERNS = 8192
"""How many kinds of requests have their replies remembered; beyond it all are learned anew."""
_PLAIN = (list, tuple)
_TICKS = 1 << 63


class RepeatedRequest(NamedTuple):
    """A request that was made before with another id, tick and values.

    Attributes:
        template: What all of them have in common.
        tick: The step that it is meant for.
        data: Its values.
        pattern: What its reply looks like.
    """

    template: MessageTemplate
    tick: int
    data: Floats
    pattern: MessagePattern

    @property
    def target(self) -> str:
        """Name of the module."""
        return self.template.sample.target

    def message(self, number: int, run: int) -> Message:
        """Return it as a message, as `decode` would of its bytes."""
        like = self.template.sample
        return Message(
            like.target, like.command, like.params, self.data, self.tick, id=number, binary=like.binary, run=run
        )


class PreparedRequest:
    """A request that is made again and again on one connection after the other, its values written into one array.

    Args:
        template: What all of them have in common.
        data: Its values.
        pattern: What its reply looks like.
    """

    __slots__ = ("_compiled", "_kind", "_reply", "_run", "data", "pattern", "template")

    def __init__(self, template: MessageTemplate, data: Floats, pattern: MessagePattern) -> None:
        self.template, self.data, self.pattern = template, data, pattern
        self._compiled: CompiledExchange | None = None
        self._reply: MessageTemplate | None = None
        self._run = self._kind = -1

    def stamped(self, tick: int) -> RepeatedRequest:
        """Return the request with these values for a step."""
        return RepeatedRequest(self.template, tick, self.data, self.pattern)

    def compiled(self, kind: int, run: int) -> CompiledExchange | None:
        """Return what makes it without Python; None where no reply is known yet, or the library is not there.

        Args:
            kind: What is around messages, `compiled.TCP` or `compiled.ZMTP`.
            run: The run that it is meant for.
        """
        reply = self.pattern.template
        if reply is not self._reply or run != self._run or kind != self._kind:
            self._reply, self._run, self._kind = reply, run, kind
            library = compiled.library()
            self._compiled = None
            if reply is not None and library is not None:
                self._compiled = CompiledExchange(library.run, self.template.for_run(run), self.data, reply, kind)
        return self._compiled


class RequestForm(NamedTuple):
    """What requests without params have in common.

    Attributes:
        target: Name of the module.
        command: Number of the command.
        is_binary: Whether data travel as bytes.
        width: How many values there are.
    """

    target: str
    command: int
    is_binary: bool
    width: int


class PreparedRequests:
    """The requests without params that were made before on one connection, by their form.

    Args:
        patterns: What replies look like, by target and command.
    """

    def __init__(self, patterns: MutableMapping[tuple[str, int], MessagePattern]) -> None:
        self._patterns = patterns
        self._forms: dict[RequestForm, PreparedRequest] = {}

    def known(self, form: RequestForm) -> PreparedRequest | None:
        """Return what requests of a form have in common, None where no such one was made before."""
        return self._forms.get(form)

    def of(self, request: Message) -> PreparedRequest | None:
        """Return what requests such as this one have in common, None where that is not known, or is too little."""
        data = request.data
        if (
            request.params
            or request.text
            or request.error
            or request.run
            or request.id
            or type(data) not in _PLAIN
            or not is_stamp(request.tick)
        ):
            return None
        form = RequestForm(request.target, request.command, request.binary, len(data))
        prepared = self._forms.get(form)
        if prepared is None and (pattern := self._patterns.get(form[:2])) is not None:
            if len(self._forms) >= MOST_PATTERNS:
                self._forms.clear()
            prepared = self._forms[form] = PreparedRequest(MessageTemplate(request), np.zeros(len(data)), pattern)
        return prepared


def replace_values(like: Message, number: int, tick: int, values: Floats) -> Message:
    """Return a message with other values, as `decode` would give it."""
    data = values if like.binary else values.tolist()
    return Message(
        like.target, like.command, like.params, data, tick, like.error, like.text, number, like.binary, like.run
    )


def is_stamp(tick: int) -> bool:
    """Return whether a library can stamp requests with a tick."""
    return type(tick) is int and 0 <= tick < _TICKS


class SentRequest(NamedTuple):
    """A request that was sent, and whose reply was not what was expected.

    Attributes:
        number: Its id.
        request: What was asked.
        raw: What came first, read or not; None = nothing in time.
        deadline: Until when to wait for its reply, by the monotonic clock.
    """

    number: int
    request: RepeatedRequest
    raw: bytes | Message | None
    deadline: float


Request: TypeAlias = Message | RepeatedRequest
