"""Base of the modules under `/sim`."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from coopsim.interfaces import Command, Interface
from coopsim.message import Message
from coopsim.server.lockstep.sessions import Session

Handler: TypeAlias = Callable[[Command, Message, Session], Message | None]


class SimModule:
    """A module of the simulation: one method per command, named by `handlers`."""

    interface: Interface
    counts: Mapping[str, int] = {}

    def __init__(self) -> None:
        self._handlers = self.handlers()

    def handlers(self) -> dict[str, Handler]:
        """Return the method for each command, by the command's name."""
        raise NotImplementedError

    def answer(self, command: Command, request: Message, session: Session) -> Message | None:
        """Return the reply; None when it comes later."""
        return self._handlers[command.name](command, request, session)
