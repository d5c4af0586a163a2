"""A STEP between its request and its reply."""

from collections.abc import Sequence
from dataclasses import dataclass

from coopsim.errors import CoopsimError, StaleLayout
from coopsim.message import Message, Param
from coopsim.server.lockstep.groups import Group
from coopsim.server.lockstep.sessions import Session
from coopsim.state import Layout, Record


@dataclass(slots=True)  # not frozen: it is made in every step, and that takes a third of the time
class WaitingStep:
    """A STEP that is answered after the next tick."""

    request: Message
    session: Session
    group: Group
    tick: int
    back: Sequence[str]

    def answer(self, layout: Layout, record: Record) -> Message:
        """Return the readings of its robots."""
        group, request = self.group, self.request
        try:
            if group.generation != layout.generation:  # something came or went meanwhile
                group = Group(layout, group.names)
        except CoopsimError as problem:
            stale = StaleLayout(f"after the step: {problem}").bring(layout.generation)
            return request.refusal(stale, tick=record.tick)
        params: tuple[Param, ...] = (group.generation, *self.back)
        return request.reply(params, group.read(record.readings), tick=record.tick, text=told_back(self.back))


def told_back(robots: Sequence[str]) -> str:
    """Return in words that robots take part again, "" for none."""
    return f"{', '.join(robots[:5])} had been stopped for want of commands" if robots else ""
