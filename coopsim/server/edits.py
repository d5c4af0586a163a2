"""Requests that are answered later, most of them when the source has carried them out between two ticks."""

from collections.abc import Callable
from typing import Any

from coopsim.errors import CoopsimError, SimulationEnded
from coopsim.message import Message
from coopsim.server.sessions import Session
from coopsim.transport import Answer, SourceLink


class Later:
    """A request that waits for its answer; it gets one and no more.

    Attributes:
        request: What the client sent.
    """

    def __init__(self, request: Message, session: Session, waiting: dict["Later", None]) -> None:
        self.request, self._session, self._waiting = request, session, waiting
        session.begin_waiting()
        waiting[self] = None

    def reply(self, message: Message) -> None:
        """Answer, unless that has been done."""
        if self in self._waiting:
            self.forget()
            self._session.reply(message)

    def forget(self) -> None:
        """Let go of a request that is answered otherwise."""
        if self in self._waiting:
            del self._waiting[self]
            self._session.waiting -= 1

    def refuse(self, problem: CoopsimError, tick: int = 0) -> None:
        """Answer that it cannot be done."""
        self.reply(self.request.refusal(problem, tick=tick))


class Edits:
    """Passes edits to the source and its answers back to the client.

    All of it runs under the lock of `Modules`.
    """

    def __init__(self, link: SourceLink) -> None:
        self._link = link
        self._waiting: dict[Later, None] = {}

    def later(self, request: Message, session: Session) -> Later:
        """Note a request that is answered later, or at the end of the run at the latest.

        Raises:
            BadArgument: Too many requests of this connection wait already.
        """
        return Later(request, session, self._waiting)

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
        later = self.later(request, session)

        def answered(answer: Answer) -> None:
            done()
            later.reply(request.reply(answer.params, answer.data, tick=answer.tick))

        self.send(name, arguments, later, answered, lambda _: done())

    def send(
        self,
        name: str,
        arguments: dict[str, Any],
        later: Later,
        done: Callable[[Answer], None],
        failed: Callable[[Answer], None] = lambda _: None,
    ) -> None:
        """Ask the source for an edit on behalf of a request that waits; a refusal is passed on to the client.

        Args:
            name: Name of the edit.
            arguments: What it needs.
            later: The request.
            done: Called with the answer when it is in force.
            failed: Called with the answer when it was refused.

        Raises:
            BadArgument: An argument that no message can carry.
        """

        def answered(answer: Answer) -> None:
            problem = answer.problem()
            if problem is None:
                done(answer)
            else:
                failed(answer)
                later.refuse(problem, answer.tick)

        try:
            self._link.edit(name, arguments, answered)
        except CoopsimError:
            later.forget()
            raise

    def refuse_all(self) -> None:
        """Answer everything that waits: the simulation has ended."""
        for later in list(self._waiting):
            later.refuse(SimulationEnded("the simulation has ended"))
