"""`/sim/step`: many robots in one message, and who owns them.

Specification: docs/protocol.md, "Stepping" and "Ownership".
"""

from collections.abc import Sequence
from itertools import chain

from coopsim.errors import BadArgument, CoopsimError, NoSuchName, StaleLayout
from coopsim.interfaces import STEP, Command
from coopsim.message import Message, Param
from coopsim.server.lockstep.coordinator import LockstepCoordinator
from coopsim.server.lockstep.groups import RobotGroup, describe, lengths
from coopsim.server.lockstep.sessions import Session
from coopsim.server.lockstep.step_pattern import StepPattern
from coopsim.server.lockstep.waiting import returned_text
from coopsim.server.modules.base import Handler, SimModule
from coopsim.server.modules.requests import params_of, text, texts, whole
from coopsim.state import Layout

_PAGE = 1000  # robots; a page of longest names stays below the limit of a message
_MOST_GROUPS = 64  # of one session: groups are kept until it ends
_GROUPS, _FORM, _WHOLE = "groups", "form", "whole"
_ANY = 0
"""Stands for whatever generation the layout has."""


class StepModule(SimModule):
    """Layout, STEP, SKIP and ownership."""

    interface = STEP

    def __init__(self, coordinator: LockstepCoordinator, run: int) -> None:
        super().__init__()
        self._coordinator, self._run = coordinator, run

    def handlers(self) -> dict[str, Handler]:
        """Return the method for each command."""
        return {
            "layout": self._layout,
            "step": self._step,
            "part": self._part,
            "read": self._read,
            "skip": self._skip,
            "claim": self._claim,
            "claim_with": self._claim_with,
            "release": self._release,
            "set_period": self._set_period,
            "owners": self._owners,
        }

    def _layout(self, command: Command, request: Message, _session: Session) -> Message:
        first, number = params_of(command, request)
        layout, record = self._coordinator.link.now
        start = whole(first, "first")
        page = layout.robots[start : start + min(whole(number, "count"), _PAGE)]
        numbers = layout.generation, self._run, len(layout.robots)
        names = tuple(place.name for place in page)
        params: tuple[Param, ...] = (describe(layout, page, self._run), *numbers, *names)
        return request.reply(params, lengths(page), tick=record.tick)

    def _part(self, _command: Command, request: Message, session: Session) -> None:
        """Keep a part until the STEP that it belongs to comes."""
        if self._must_wait(request, session):
            return
        self._coordinator.pending.keep_part(request, session, self._coordinator.clock())

    def _step(self, _command: Command, request: Message, session: Session) -> None:
        if self._must_wait(request, session):
            return
        parts, refusal = self._coordinator.pending.pop_parts(session)
        try:
            if refusal is not None:
                raise refusal
            together = self._step_together([*parts, request], session)
        except CoopsimError as problem:
            for part in parts:
                session.reply(part.refusal(problem, tick=self._coordinator.link.record.tick))
            raise
        self._learn(together, session)

    def _must_wait(self, request: Message, session: Session) -> bool:
        self._coordinator.refuse_in_recording()
        must_hold = self._coordinator.must_hold_command(session)
        if must_hold:
            self._coordinator.pending.hold(request, session)
        return must_hold

    def _step_together(self, requests: Sequence[Message], session: Session) -> list[tuple[Message, RobotGroup]]:
        """Command the robots of a STEP and its parts, all or none; return each with its robots."""
        coordinator = self._coordinator
        layout, _ = coordinator.link.now
        parts = [(request, self._group_of(layout, request, session)) for request in requests]
        group, stamp = parts[-1][1], requests[-1].tick
        members = group.members if len(parts) == 1 else _whole(parts, session)
        coordinator.control(session, members, stamp)
        with coordinator.link.writing() as (current, rows):
            if current.generation != layout.generation:
                text = f"the layout is changing to generation {current.generation}"
                raise StaleLayout(text).bring(current.generation)
            for request, robots in parts:
                robots.write(request.data, rows)
        coordinator.wait(parts, members, session)
        return parts

    def _group_of(self, layout: Layout, request: Message, session: Session) -> RobotGroup:
        """Return the robots of a STEP, or of a part of one, whose commands fit them."""
        group = self._commanded(layout, _names_of(layout, request), session)
        group.check(request.data)
        return group

    def _read(self, _command: Command, request: Message, session: Session) -> Message | None:
        if self._coordinator.must_hold_readings(session):
            self._coordinator.pending.hold(request, session)
            return None
        layout, record = self._coordinator.link.now
        group = RobotGroup(layout, _bare(texts(_names_of(layout, request), "robots")))
        return request.reply((group.generation,), group.read(record.readings), tick=record.tick)

    @staticmethod
    def _learn(parts: Sequence[tuple[Message, RobotGroup]], session: Session) -> None:
        """Expect more STEPs of this form where the last one had it, too."""
        if all(request.binary for request, _ in parts):
            form = [(request.params, len(request.data)) for request, _ in parts]
            groups, steps = [group for _, group in parts], session.steps
            if session.memory.get(_FORM) != form:
                session.memory[_FORM], session.steps = form, None
            elif steps is None or [*(part.group for part in steps.parts), steps.group] != groups:
                *patterns, last = (StepPattern(*part) for part in parts)
                session.steps = StepPattern(*parts[-1], tuple(patterns)) if patterns else last

    def _skip(self, _command: Command, request: Message, session: Session) -> Message | None:
        if self._must_wait(request, session):
            return None
        coordinator = self._coordinator
        layout, record = coordinator.link.now
        group = self._commanded(layout, request.params, session)
        coordinator.control(session, group.members, request.tick)
        back = coordinator.commanded(group.members)
        return request.reply(tuple(back), tick=record.tick, text=returned_text(back))

    def _claim(self, _command: Command, request: Message, session: Session) -> Message:
        layout, record = self._coordinator.link.now
        if not request.params:
            raise BadArgument("claim takes the names of robots")
        token = self._coordinator.claim(session, self._group(layout, request.params, session).names)
        return request.reply((token,), tick=record.tick)

    def _claim_with(self, command: Command, request: Message, session: Session) -> Message:
        token = text(params_of(command, request)[0], "token")
        if session.limits is not None:
            session.limits.check_robots(self._coordinator.ownership.robots_of(token), "claim_with of /sim/step")
        claimant = self._coordinator.join(session, token)
        layout, record = self._coordinator.link.now
        return request.reply(_in_order(layout, claimant.robots), tick=record.tick)

    def _release(self, _command: Command, request: Message, session: Session) -> Message:
        layout, record = self._coordinator.link.now
        if request.params or self._coordinator.claimant(session).robots:
            self._coordinator.release(session, self._group(layout, request.params, session).names)
        return request.reply(tick=record.tick)

    def _set_period(self, command: Command, request: Message, session: Session) -> Message:
        ticks = whole(command.takes[0].check(params_of(command, request)[0]), "ticks")
        layout, record = self._coordinator.link.now
        group = self._group(layout, request.params[1:], session)
        self._coordinator.set_period(session, group.names, ticks)
        return request.reply(tick=record.tick)

    def _owners(self, _command: Command, request: Message, _session: Session) -> Message:
        self._coordinator.refuse_in_recording()
        layout, record = self._coordinator.link.now
        names = _bare(texts(request.params, "robots")) or tuple(place.name for place in layout.robots)
        labels = self._coordinator.ownership.labels(names)
        owned = [(robot, owner) for robot, owner in labels.items() if owner is not None][:_PAGE]
        return request.reply(tuple(chain.from_iterable(owned)), tick=record.tick)

    def _commanded(self, layout: Layout, names: Sequence[Param], session: Session) -> RobotGroup:
        """Return the robots that a command is for; who names none must know first which it has lost."""
        if not names:
            self._coordinator.refuse_evicted(session, tuple(session.evicted))
        return self._group(layout, names, session)

    def _group(self, layout: Layout, names: Sequence[Param], session: Session) -> RobotGroup:
        """Return the robots of these names, or all that the client owns; resolved once per generation."""
        if not names:
            names = self._own(layout, session)
        groups: dict[Sequence[Param], RobotGroup] = session.memory.setdefault(_GROUPS, {})
        group = groups.get(names)
        if group is None or group.generation != layout.generation:
            if len(groups) >= _MOST_GROUPS:
                groups.clear()
            group = RobotGroup(layout, _bare(texts(tuple(names), "robots")))
            if session.limits is not None:
                session.limits.check_robots(group.names, "/sim/step")
            groups[names] = group
        return group

    def _own(self, layout: Layout, session: Session) -> tuple[str, ...]:
        claimant = self._coordinator.claimant(session)
        if not claimant.robots:
            raise BadArgument("you own no robots: name some, or CLAIM them first")
        own: tuple[Layout, frozenset[str], tuple[str, ...]] | None = session.memory.get("own")
        if own is None or own[0] is not layout or own[1] != claimant.robots:
            own = session.memory["own"] = (layout, frozenset(claimant.robots), _in_order(layout, claimant.robots))
        return own[2]


def _whole(parts: Sequence[tuple[Message, RobotGroup]], session: Session) -> frozenset[str]:
    """Return the robots of all parts of a step; the next step of a client has the same ones mostly.

    Raises:
        BadArgument: A robot is in two of them.
    """
    groups = [group for _, group in parts]
    before: tuple[list[RobotGroup], frozenset[str]] = session.memory.get(_WHOLE, ([], frozenset()))
    members = before[1]
    if before[0] != groups:
        members = frozenset().union(*(group.members for group in groups))
        if len(members) < sum(len(group.members) for group in groups):
            raise BadArgument("a robot is named in two parts of one step")
        session.memory[_WHOLE] = groups, members
    return members


def _names_of(layout: Layout, request: Message) -> tuple[Param, ...]:
    """Return the robots that a request names behind the generation of the layout.

    Raises:
        StaleLayout: It is another generation.
    """
    params = request.params
    if not params or params[0] not in (layout.generation, _ANY):
        received = params[0] if params else "none"
        text = f"the layout has generation {layout.generation}, the request {received}"
        raise StaleLayout(text).bring(layout.generation)
    return params[1:]


def _bare(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return robot names as the layout has them; `/robot1` is accepted for `robot1`."""
    for name in names:
        if not name.strip("/"):
            raise NoSuchName(f"there is no robot {name!r}").bring(name)
    return tuple(name.removeprefix("/") for name in names)


def _in_order(layout: Layout, robots: set[str]) -> tuple[str, ...]:
    """Return `robots` in the order of the layout."""
    if len(robots) == 1:
        return tuple(robots)
    return tuple(place.name for place in layout.robots if place.name in robots)
