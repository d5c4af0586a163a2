"""Requests that are answered later, most of them when the source has carried them out between two ticks."""

from collections.abc import Callable

from coopsim.errors import CoopsimError, SimulationEnded
from coopsim.message import Message
from coopsim.server.fair_queue import FairQueue
from coopsim.server.faults import FaultLog
from coopsim.server.lockstep.sessions import Session
from coopsim.state.edits import AnyEdit
from coopsim.transport import Answer, Source


class DeferredReply:
    """A request that waits for its answer; it gets one and no more.

    Attributes:
        request: What the client sent.
        session: Who sent it.
    """

    def __init__(
        self,
        request: Message,
        session: Session,
        waiting: dict["DeferredReply", None],
        tick: Callable[[], int] = lambda: 0,
    ) -> None:
        self.request, self.session, self._waiting, self._tick = request, session, waiting, tick
        session.begin_waiting()
        waiting[self] = None

    def reply(self, message: Message) -> None:
        """Answer, unless that has been done."""
        if self in self._waiting:
            del self._waiting[self]
            self.session.waiting -= 1
            self.session.reply(message)

    def succeed(self, *params: str) -> None:
        """Answer that it is done, at the newest tick."""
        self.reply(self.request.reply(params, tick=self._tick()))

    def refuse(self, problem: CoopsimError, tick: int | None = None) -> None:
        """Answer that it cannot be done, at the tick that is the newest one unless it is known."""
        self.reply(self.request.refusal(problem, tick=self._tick() if tick is None else tick))


class EditForwarder:
    """Passes edits to the source, by turns, and its answers back to the client.

    All of it runs under the lock of `Modules`.

    Args:
        link: The source.
        queue: Whose edit is next.
        on_started: Called when the last edit of a connection that had to wait is on its way.
        faults: Exceptions that nobody foresaw; None = its own.
    """

    def __init__(
        self,
        link: Source,
        queue: FairQueue | None = None,
        on_started: Callable[[], None] = lambda: None,
        faults: FaultLog | None = None,
    ) -> None:
        self._link, self._queue, self._on_started = link, queue or FairQueue(), on_started
        self._faults = faults or FaultLog()
        self._waiting: dict[DeferredReply, None] = {}

    def later(self, request: Message, session: Session) -> DeferredReply:
        """Note a request that is answered later, or at the end of the run at the latest.

        Raises:
            BadArgument: Too many requests of this connection wait already.
        """
        return DeferredReply(request, session, self._waiting, self._tick)

    def _tick(self) -> int:
        try:
            return self._link.record.tick
        except SimulationEnded:
            return 0

    def ask(
        self,
        edit: AnyEdit,
        request: Message,
        session: Session,
        done: Callable[[], None] = lambda: None,
    ) -> None:
        """Ask the source for an edit; the client is answered when it is in force.

        Args:
            edit: What to do.
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

        self.send(edit, later, answered, lambda _: done())

    def forget(self, session: Session) -> None:
        """Drop what a connection that is over had asked for and is not on its way yet."""
        self._queue.forget(session)

    def withdraw(self, request: Message) -> None:
        """Forget a request that was noted and is answered now, since what should have been done for it failed."""
        for later in [later for later in self._waiting if later.request is request]:
            del self._waiting[later]
            later.session.waiting -= 1

    def send(
        self,
        edit: AnyEdit,
        later: DeferredReply,
        done: Callable[[Answer], None],
        failed: Callable[[Answer], None] = lambda _: None,
    ) -> None:
        """Ask the source for an edit on behalf of a request that waits; a refusal is passed on to the client.

        Args:
            edit: What to do.
            later: The request.
            done: Called with the answer when it is in force.
            failed: Called with the answer when it was refused.
        """

        def answered(answer: Answer) -> None:
            problem = answer.problem()
            try:
                if problem is None:
                    done(answer)
                else:
                    failed(answer)
                    later.refuse(problem, answer.tick)
            except Exception as bug:  # whoever waits gets a reply, and the answers after this one are read
                later.refuse(self._faults.note(f"the answer to the edit {edit.kind}", bug), answer.tick)
            if not edit.is_long:
                self._queue.leave(later.session)

        def start() -> None:
            self._start(edit, answered)
            if not self._queue.is_waiting(later.session):
                self._on_started()

        self._queue.enter(later.session, start, occupies=not edit.is_long)

    def _start(self, edit: AnyEdit, answered: Callable[[Answer], None]) -> None:
        """Send an edit; if that fails, refuse the request at once."""
        try:
            self._link.edit(edit, answered)
        except CoopsimError as problem:
            answered(Answer(problem.code, str(problem)))
        except Exception as problem:
            refusal = self._faults.note(f"sending the edit {edit.kind}", problem)
            answered(Answer(refusal.code, str(refusal)))

    def refuse_all(self) -> None:
        """Answer everything that waits: the simulation has ended."""
        for later in list(self._waiting):
            later.refuse(SimulationEnded("the simulation has ended"))
