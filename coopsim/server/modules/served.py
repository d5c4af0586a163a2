"""Contract of a module that is served."""

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from coopsim.interfaces import Command, Interface, Parameter
from coopsim.message import Message, Param
from coopsim.server.lockstep.sessions import Session


class ServedModule(Protocol):
    """Module that answers under one name."""

    @property
    def interface(self) -> Interface:
        """What it understands besides the common commands."""

    @property
    def counts(self) -> Mapping[str, int]:
        """Numbers for the counts that the interface gives by name."""

    def answer(self, command: Command, request: Message, session: Session, /) -> Message | None:
        """Return the reply; None when it comes later.

        Raises:
            CoopsimError: The request cannot be carried out.
        """
        ...


@runtime_checkable
class HasParameters(Protocol):
    """A module whose interface declares parameters."""

    def parameter(
        self, parameter: Parameter, value: Param | None, request: Message, session: Session, /
    ) -> Message | None:
        """Answer with the value of a parameter, after changing it if `value` is given; None when that comes later.

        Raises:
            BadArgument: The value is refused.
        """
        ...


@runtime_checkable
class NoticesPings(Protocol):
    """A module that wants to know who pings it."""

    def pinged(self, session: Session, /) -> None:
        """Handle a ping."""
        ...
