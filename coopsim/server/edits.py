"""Requests that the source carries out between two ticks and answers."""

from collections.abc import Callable
from typing import Any

from coopsim.errors import SimulationEnded
from coopsim.message import Message
from coopsim.server.sessions import Session
from coopsim.transport import Answer, SourceLink


class Edits:
    """Passes edits to the source and its answers back to the client.

    All of it runs under the lock of `Modules`.
    """

    def __init__(self, link: SourceLink) -> None:
        self._link = link
        self._open: dict[int, tuple[Message, Session]] = {}
        self._next = 0

    def ask(
        self,
        name: str,
        arguments: dict[str, Any],
        request: Message,
        session: Session,
        done: Callable[[], None] = lambda: None,
    ) -> None:
        """Ask the source for an edit; the client is answered when it is in force.

        Args:
            name: Name of the edit.
            arguments: What it needs.
            request: What the client sent.
            session: Where the answer goes.
            done: Called as well when the answer is there.

        Raises:
            BadArgument: Too many requests of this connection wait already.
        """
        session.begin_waiting()
        number = self._next
        self._next += 1
        self._open[number] = (request, session)

        def answered(answer: Answer) -> None:
            done()
            if self._open.pop(number, None) is not None:
                session.waiting -= 1
                problem = answer.problem()
                if problem is None:
                    session.reply(request.reply(answer.params, answer.data, tick=answer.tick))
                else:
                    session.reply(request.refusal(problem, tick=answer.tick))

        self._link.edit(name, arguments, answered)

    def refuse_all(self) -> None:
        """Answer everything that waits: the simulation has ended."""
        waiting, self._open = self._open, {}
        for request, session in waiting.values():
            session.waiting -= 1
            session.reply(request.refusal(SimulationEnded("the simulation has ended")))
