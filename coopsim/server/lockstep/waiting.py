"""Requests that are answered later: STEPs after the next tick, others when they can be judged."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from coopsim.errors import BadArgument, CoopsimError, Released, SimulationEnded, StaleLayout
from coopsim.interfaces import STEP
from coopsim.message import Message, Param
from coopsim.server.faults import FaultLog
from coopsim.server.lockstep.groups import RobotGroup
from coopsim.server.lockstep.sessions import STEP_MODULE, Session
from coopsim.state import Layout, Record

PART_PATIENCE = 5.0  # s; the parts of a step are sent one after the other, ten thousand robots are a few megabytes
_PART, _STEP = STEP.command("part").number, STEP.command("step").number


@dataclass(slots=True)  # not frozen: it is made in every step, and that takes a third of the time
class WaitingStep:
    """A STEP that is answered after the next tick."""

    request: Message
    session: Session
    group: RobotGroup
    tick: int
    back: Sequence[str]

    def send(self, layout: Layout, record: Record) -> None:
        """Answer with the readings of its robots."""
        self.session.reply(self._answer(layout, record))

    def _answer(self, layout: Layout, record: Record) -> Message:
        group, request = self.group, self.request
        try:
            if group.generation != layout.generation:  # something came or went meanwhile
                group = RobotGroup(layout, group.names)
        except CoopsimError as problem:
            stale = StaleLayout(f"after the step: {problem}").bring(layout.generation)
            return request.refusal(stale, tick=record.tick)
        params: tuple[Param, ...] = (group.generation, *self.back)
        return request.reply(params, group.read(record.readings), tick=record.tick, text=returned_text(self.back))


@dataclass(slots=True)
class WaitingParts:
    """Parts of a STEP whose end has not come.

    Attributes:
        requests: In the order they came.
        deadline: When they are refused.
        problem: Why one of them was refused; it refuses all.
    """

    requests: list[Message]
    deadline: float
    problem: CoopsimError | None = None


class Pending:
    """STEPs that wait for a tick, and requests that are held until they can be judged.

    Args:
        faults: Exceptions that nobody foresaw.

    Attributes:
        steps: In the order they came.
        must_look_again: Whether a held request may be answered now, without a tick.
    """

    def __init__(self, faults: FaultLog) -> None:
        self._faults = faults
        self.steps: list[WaitingStep] = []
        self._held: list[tuple[Message, Session]] = []
        self._parts: dict[Session, WaitingParts] = {}
        self.must_look_again = False

    def __bool__(self) -> bool:
        return bool(self.steps or self._held)

    @property
    def has_held(self) -> bool:
        """Whether requests are held."""
        return bool(self._held)

    def wait(self, step: WaitingStep) -> None:
        """Answer a STEP after its tick.

        Raises:
            BadArgument: Too many requests of this connection wait already.
        """
        step.session.begin_waiting()
        self.steps.append(step)

    def hold(self, request: Message, session: Session) -> None:
        """Handle `request` again after the tick.

        Raises:
            BadArgument: Too many requests of this connection wait already.
        """
        session.begin_waiting()
        self._held.append((request, session))

    def keep_part(self, request: Message, session: Session, now: float) -> None:
        """Keep a part of a STEP until that comes.

        Raises:
            BadArgument: Too many requests of this connection wait already.
        """
        session.begin_waiting()
        parts = self._parts.setdefault(session, WaitingParts([], 0.0))
        parts.requests.append(request)
        parts.deadline = now + PART_PATIENCE

    def refused(self, request: Message, problem: CoopsimError, session: Session, now: float) -> None:
        """Remember that a request was refused: a part refuses the STEP that ends it, and that refuses its parts."""
        if request.target != STEP_MODULE:
            return
        if request.command == _PART:
            parts = self._parts.setdefault(session, WaitingParts([], 0.0))
            session.waiting += parts.problem is None  # so that nobody else takes the STEP
            parts.problem, parts.deadline = parts.problem or problem, now + PART_PATIENCE
        elif request.command == _STEP:
            self._refuse_parts(session, problem, 0)

    def _refuse_parts(self, session: Session, problem: CoopsimError, tick: int) -> None:
        for request in self.pop_parts(session)[0]:
            session.reply(request.refusal(problem, tick=tick))

    def pop_parts(self, session: Session) -> tuple[list[Message], CoopsimError | None]:
        """Return the parts of the STEP that has come, and why one of them was refused."""
        parts = self._parts.pop(session, None)
        if parts is None:
            return [], None
        session.waiting -= len(parts.requests) + (parts.problem is not None)
        return parts.requests, parts.problem

    def expire_parts(self, now: float, tick: int) -> None:
        """Refuse the parts of STEPs that do not come: every request has a reply."""
        for session in [session for session, parts in self._parts.items() if now >= parts.deadline]:
            problem = BadArgument(f"no STEP followed this part within {PART_PATIENCE:g} s")
            self._refuse_parts(session, problem, tick)

    def retry(self) -> None:
        """Handle the held requests again."""
        self.must_look_again = bool(self._held)

    def pop_held(self) -> list[tuple[Message, Session]]:
        """Return the requests to look at again, in the order they came."""
        held, self._held, self.must_look_again = self._held, [], False
        for _, session in held:
            session.waiting -= 1
        return held

    def answer(self, layout: Layout, record: Record) -> None:
        """Answer the STEPs whose tick is done."""
        if record.header.ended:
            self.refuse_all(record.tick)
            return
        tick, kept = record.tick, []
        for step in self.steps:
            if step.tick >= tick:
                kept.append(step)
            else:
                step.session.waiting -= 1
                self._send(step, layout, record)
        self.steps = kept

    def _send(self, step: WaitingStep, layout: Layout, record: Record) -> None:
        """Answer a STEP; one that cannot be answered gets an error, so that the others are answered."""
        try:
            step.send(layout, record)
        except Exception as problem:
            refusal = self._faults.note("the reply to a STEP", problem)
            step.session.reply(step.request.refusal(refusal, tick=record.tick))

    def go_on(self, steps: Iterable[WaitingStep]) -> None:
        """Wait with other STEPs than before: some were answered, or taken in, elsewhere."""
        for step in self.steps:
            step.session.waiting -= 1
        self.steps = list(steps)
        for step in self.steps:
            step.session.waiting += 1

    def rewind(self, tick: int) -> None:
        """Make the STEPs wait for the tick after `tick`: a recording goes backward."""
        for step in self.steps:
            step.tick = tick

    def release(self, session: Session, freed: Collection[str], tick: int, why: str = "") -> None:
        """Refuse the STEPs of a client, and of all with whom it shares robots, for robots that are no longer its own.

        Args:
            session: One of the client's connections.
            freed: The robots.
            tick: The newest one.
            why: The reason, for people; "" = it gave them back.
        """
        owner, kept = session.claimant, []
        for step in self.steps:
            is_its_own = step.session is session or (owner is not None and step.session.claimant is owner)
            lost = sorted(step.group.members.intersection(freed)) if is_its_own else []
            if not lost:
                kept.append(step)
                continue
            step.session.waiting -= 1
            text = f"{', '.join(lost[:5])} was released before the step{f': {why}' if why else ''}"
            step.session.reply(step.request.refusal(Released(text).bring(*lost), tick=tick))
        self.steps = kept
        self.retry()

    def forget(self, session: Session) -> None:
        """Drop what a connection waits for: it is over."""
        self.steps = [step for step in self.steps if step.session is not session]
        self._held = [held for held in self._held if held[1] is not session]
        self._parts.pop(session, None)

    def refuse_all(self, tick: int) -> None:
        """Answer everything: the simulation has ended."""
        ended = SimulationEnded("the simulation has ended")
        lost = [(step.request, step.session) for step in self.steps] + self._held
        self.steps, self._held = [], []
        for request, session in lost:
            session.waiting -= 1
            session.reply(request.refusal(ended, tick=tick))
        for session in list(self._parts):
            self._refuse_parts(session, ended, tick)


def returned_text(robots: Sequence[str]) -> str:
    """Return in words that robots take part again, "" for none."""
    return f"{', '.join(robots[:5])} had been stopped for want of commands" if robots else ""
