"""The message as a value; `_bytes.py` turns it into bytes and back."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

from coopsim.errors import CoopsimError
from coopsim.geometry import Floats

VERSION = 1  # changes only where an old client would misread
MAX_BYTES = 1 << 20  # what a reader can hold of each of a thousand connections
MAX_PARAMS = 4096  # names of all robots of a large crowd
MAX_DATA = 65_536  # half a megabyte of doubles, within MAX_BYTES
MAX_TEXT_BYTES = 1024  # a sentence for people with its place
MAX_TARGET_BYTES = 256  # as long as a file's name may be
MAX_PARAM_BYTES = 256 * 1024  # a scene's text, or a picture's part

Param: TypeAlias = int | float | str

_new: Any = object.__new__


class _MessageFields:
    """The fields of a message while it is made: to set those of a frozen dataclass takes several times as long."""

    __slots__ = ("binary", "command", "data", "error", "id", "params", "run", "target", "text", "tick")

    target: str
    command: int
    params: tuple[Param, ...]
    data: Sequence[float] | Floats
    tick: int
    error: int
    text: str
    id: int
    binary: bool
    run: int


@dataclass(frozen=True, slots=True, init=False)
class Message(_MessageFields):
    """A request or one reply between a client and a module.

    Source: CoopDynSim, section III and Fig. 2.

    Attributes:
        target: Name of the module, `/robot1/motors`.
        command: Number of the command within the module's interface.
        params: The M parameters, in the order the interface lists them.
        data: The N data values, SI units, angles in radians; any sequence or array of floats.
        tick: The step a request is meant for (0 = next); the tick a reply speaks of.
        error: 0 for success, otherwise a number from `coopsim.errors`.
        text: Explanation for people. Programs must not parse it.
        id: Chosen by the client, echoed in the reply.
        binary: Whether `data` travels as little-endian bytes; a reply uses the request's form.
        run: The run that a request is meant for; 0 = whichever is there.
    """

    target: str
    command: int = 0
    params: tuple[Param, ...] = ()
    data: Sequence[float] | Floats = ()
    tick: int = 0
    error: int = 0
    text: str = ""
    id: int = 0
    binary: bool = False
    run: int = 0

    def __new__(
        cls,
        target: str,
        command: int = 0,
        params: tuple[Param, ...] = (),
        data: Sequence[float] | Floats = (),
        tick: int = 0,
        error: int = 0,
        text: str = "",
        id: int = 0,  # noqa: A002 - the name of the field
        binary: bool = False,
        run: int = 0,
    ) -> Self:
        """Return a message of these fields."""
        fields = _new(_MessageFields)
        fields.target, fields.command, fields.params, fields.data, fields.tick = target, command, params, data, tick
        fields.error, fields.text, fields.id, fields.binary, fields.run = error, text, id, binary, run
        fields.__class__ = cls
        message: Self = fields
        return message

    def __getnewargs__(self) -> tuple[str]:
        """Return what copies begin with."""
        return (self.target,)

    def reply(
        self, params: tuple[Param, ...] = (), data: Sequence[float] | Floats = (), *, tick: int = 0, text: str = ""
    ) -> "Message":
        """Return the successful reply to this request."""
        return Message(self.target, self.command, params, data, tick, 0, text, self.id, self.binary)

    def refusal(self, problem: CoopsimError, *, tick: int = 0) -> "Message":
        """Return the reply that says why this request failed; its params are those of the problem."""
        text, params = str(problem), tuple(problem.params)
        return Message(self.target, self.command, params, (), tick, problem.code, text, self.id, self.binary)


def failure(problem: CoopsimError) -> Message:
    """Return the reply to a request that `decode` refused: id and target are echoed where they could be read."""
    request: Message = problem.request or Message("")
    return request.refusal(problem)
