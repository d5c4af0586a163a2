"""Several requests, one after the other, whatever carries them: a flow yields what to ask and is sent the replies.

So the client that waits and the one of asyncio share everything but the waiting.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from coopsim.geometry import Floats
from coopsim.message import Message, Param

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Ask:
    """One request.

    Attributes:
        target: Module.
        command: Its number.
        params: Names, counts and text.
        data: Physical values.
        tick: The step it is meant for.
        binary: Whether data travel as bytes.
        timeout: How long to wait for the reply [s]; None = as long as usual.
        is_edit: Whether it changes the simulation, which may take a while: unless `timeout` says otherwise, it has ten
            times as long as usual while the server lives.
    """

    target: str
    command: int
    params: tuple[Param, ...] = ()
    data: Sequence[float] | Floats = ()
    tick: int = 0
    binary: bool = False
    timeout: float | None = None
    is_edit: bool = False


Flow: TypeAlias = Generator[Ask, Message, _T]
"""Yields requests, is sent the reply to each, and returns what came out of them."""
