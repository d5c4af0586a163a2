"""Base of steppers, however they wait: claim robots, step them, win them back, release them."""

import logging
import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from coopsim.client import layout as layouts
from coopsim.client.absence import reason_in
from coopsim.client.connection import BaseConnection
from coopsim.client.flows import Ask, Flow, Steps
from coopsim.client.layout import STEP_MODULE, SimulationLayout
from coopsim.client.module_description import describing
from coopsim.client.prepared import SentRequest
from coopsim.client.readings import Readings
from coopsim.client.routing import STALE_CLAIM, STATUS, RequestRouter
from coopsim.client.stepper_state import StepperState
from coopsim.client.team import Commands, Team
from coopsim.errors import (
    BadArgument,
    CoopsimError,
    Evicted,
    Late,
    MalformedMessage,
    NoReply,
    OwnedByAnother,
    SimulationEnded,
    StaleLayout,
)
from coopsim.geometry import Floats
from coopsim.interfaces import Effect
from coopsim.message import Message
from coopsim.suggest import listed

TRIES = 5  # the scene may be edited again while its new layout is read
LONGEST_WAIT = 60.0  # s; waits double up to it, or a lost request would be repeated ever later
FAREWELL = 0.5  # s; at the end of a program, the server frees the robots by itself, too
_log = logging.getLogger(__name__)


class BaseStepper:
    """The part that both steppers share: facts about their robots, and the steps they take.

    Args:
        pool: The client.
        robots: Their names; None = all.
        timeout: How long a step may take in real time [s]; None = as long as a reply.
        every: How many ticks a step takes.
    """

    def __init__(
        self, pool: RequestRouter, robots: Sequence[str] | None, timeout: float | None = None, every: int = 1
    ) -> None:
        self._pool = pool
        self._timeout = pool.timeout if timeout is None else timeout
        self._law_timeout = math.inf if timeout is None else timeout
        self._wanted, self._every = robots, every
        self._begun: StepperState | None = None

    @property
    def layout(self) -> SimulationLayout:
        """Rows of all robot types, with the generation that they are of."""
        return self._state.layout

    @property
    def robots(self) -> tuple[str, ...]:
        """The robots, in the order of the rows: those of one type together."""
        return self._state.team.robots

    @property
    def tick(self) -> int:
        """The tick of the last readings."""
        return self._state.tick

    @property
    def stamp(self) -> int:
        """The step that the next commands are meant for; 0 = whichever is next."""
        return self._state.stamp

    @stamp.setter
    def stamp(self, stamp: int) -> None:
        self._state.stamp = stamp

    def __repr__(self) -> str:
        if self._begun is None:
            return "<stepper that has not begun>"
        return f"<stepper of {listed(self.robots, 4)} at tick {self.tick}>"

    @property
    def _state(self) -> StepperState:
        if self._begun is None:
            raise BadArgument("the stepper has not begun: `async with sim.stepper(...) as stepper`")
        return self._begun

    def _beginning(self) -> Steps[None]:
        if self._begun is not None:
            return
        self._begun = StepperState((yield from self._pool.following(layouts.fetching())), self._wanted)
        try:
            yield from self._claiming()
        except BaseException:
            self._begun = None
            raise

    def _reading(self) -> Steps[Readings]:
        state = self._state
        if state.readings is None:
            if len(state.team.robots) > _FEW:
                yield from self._asking_numbers(state)
            asking = asking_together(state) if "read" in state.numbers else asking_each(state.team)
            state.readings = yield from self._pool.following(asking)
            state.tick = state.readings.tick
        return state.readings

    def _asking_numbers(self, state: StepperState) -> Steps[None]:
        """Ask which commands for many robots the server knows, unless that is known."""
        if not state.numbers:
            interface = yield from self._pool.following(describing(STEP_MODULE))
            state.numbers = {command.name: command.number for command in interface.commands}

    def _claiming(self) -> Steps[None]:
        yield from self._pool.claiming(self._state.groups)
        yield from self._pacing()
        self._state.stamp = 0

    def _enlisting(self, robots: Sequence[str]) -> Steps[None]:
        yield from self._pool.claiming([tuple(robots)])
        self._state.enlist(robots)
        yield from self._pacing()
        self._state.stamp = 0

    def _pacing(self) -> Steps[None]:
        if self._every != 1:
            yield from self._pool.setting_period(self._state.groups, self._every)

    def _releasing(self) -> Steps[None]:
        yield from self._pool.releasing(self._state.groups, FAREWELL)

    def _leaving(self) -> Steps[None]:
        try:
            yield from self._releasing()
        except CoopsimError as failed:
            # the run may be over, or the robots lost: there is nothing left to release
            _log.debug("not released: %s", failed)

    def _stepping(
        self, commands: Commands | None, timeout: float | None, sent: SentRequest | None = None
    ) -> Steps[Readings]:
        """Step until that succeeds, or is refused for good.

        Args:
            commands: What to do; None repeats the last.
            timeout: How long to wait [s]; None = as long as usual.
            sent: What was sent already.
        """
        state, is_back = self._state, False
        wait = self._timeout if timeout is None else timeout
        if commands is not None:
            state.team.write(commands, state.commands)
        for _ in range(TRIES):
            try:
                begun, sent = sent, None
                return (yield from self._remembering(state, (yield from self._exchanging(state, wait, begun))))
            except StaleLayout:
                state.adapt((yield from self._pool.following(layouts.fetching())))
            except (Late, BadArgument) as problem:
                state.forgive(problem)
            except OwnedByAnother:
                if is_back:
                    raise
                yield from self._pool.winning_back(state.groups, min(wait, STALE_CLAIM))
                yield from self._pacing()
                state.stamp, is_back = 0, True
        raise StaleLayout(f"{STEP_MODULE}: the layout changed {TRIES} times while stepping; step again")

    def _remembering(self, state: StepperState, replies: list[Message]) -> Steps[Readings]:
        """Return the readings after a step."""
        before, changed = state.tick, state.update(replies)
        if self._has_lost_pace(before, changed):
            yield from self._pacing()
        return changed

    def _has_lost_pace(self, before: int, readings: Readings) -> bool:
        """Return whether a step took fewer ticks than it should: its robots were free for a while."""
        return self._every > 1 and readings.tick < before + self._every

    def _exchanging(self, state: StepperState, wait: float, begun: SentRequest | None) -> Steps[list[Message]]:
        if len(state.batches) > 1:
            yield from self._asking_numbers(state)
        pool, stamp = self._pool, state.use_stamp()
        patience = min(wait, pool.timeout)
        left = wait if wait < math.inf else patience
        sent: dict[int, Message] = {}
        replies: list[Message] = []
        with pool.lock:
            connection = pool.main
            try:
                if begun is not None:
                    sent[begun.number] = begun.request
                    left = max(begun.deadline - time.monotonic(), 0.0)
                for request in state.messages(stamp) if begun is None else ():
                    number = connection.number()
                    sent[number] = request
                    if sending := connection.send(number, sent[number], patience):
                        yield sending
                for answered, number in enumerate(sent):
                    reply = connection.receive(number, left)
                    if not isinstance(reply, Message):
                        rest = list(sent.items())[answered:]
                        reply = (yield reply) or (yield from self._insisting(connection, rest, wait))
                    replies.append(reply)
            except NoReply as problem:
                raise (yield from pool.explaining_timeout(problem, connection)) from None
            finally:
                for number in sent:
                    connection.forget(number)
        return replies

    def _insisting(
        self, connection: BaseConnection, unanswered: Sequence[tuple[int, Message]], wait: float
    ) -> Steps[Message]:
        """Return the reply to the first message of a step that was not answered, and send all of these again.

        Without a time limit, wait as long as the server lives.
        """
        if wait < math.inf:
            raise connection.no_reply(unanswered[0][1], wait)
        patience = self._pool.timeout
        reply: Message | None = None
        while reply is None:
            status = yield from connection.asking(STATUS, self._pool.timeout)
            _log.warning("%s is not answered yet: %s", STEP_MODULE, reason_in(status, 0))
            # the server lives, so it waits for something; or it is a new one, and this request was lost
            for number, request in unanswered:
                yield connection.send(number, request, self._pool.timeout)
            patience = min(2.0 * patience, LONGEST_WAIT)
            reply = yield connection.receive(unanswered[0][0], patience)
        return reply

    def _running(self, law: Callable[[Readings], Any], until: Callable[[], bool] | None) -> Steps[int]:
        steps = 0
        while not (until and until()):
            try:
                commands = law((yield from self._reading()))
                if hasattr(commands, "__await__"):
                    commands = yield commands
                if commands is None:
                    break
                yield self.step(commands, timeout=self._law_timeout)
            except Late as problem:
                _log.warning("%s", problem)
            except Evicted as problem:
                _log.warning("%s", problem)
                yield from self._claiming()
            except SimulationEnded:
                break
            steps += 1
        return steps

    def step(self, commands: Commands | None = None, *, timeout: float | None = None) -> Any:
        """Send commands and return the readings after the step."""
        raise NotImplementedError


# Readings of a team for the time before the first step.
_FEW = 16
"""Robots whose modules are asked one by one, as any server answers."""
_Reads = list[tuple[str, int]]


def asking_together(state: StepperState) -> Flow[Readings]:
    """Ask for the readings of all robots now, by as few messages as a step has."""
    number, rows, tick = state.numbers["read"], [], 0
    for batch in state.batches:
        reply = yield Ask(Message(STEP_MODULE, number, batch.request.params, binary=True))
        tick = reply.tick
        rows.append(np.asarray(reply.data, np.float64))
    return Readings(state.team, np.concatenate(rows), tick)


def asking_each(team: Team) -> Flow[Readings]:
    """Ask for the readings of all robots now.

    Raises:
        MalformedMessage: A robot has another number of readings than the layout says.
    """
    flat, tick = np.zeros(team.reading_size), 0
    for block in team.blocks:
        reads = yield from _reads(block.robots[0], tuple(block.type.gives.modules))
        for robot in block.robots:
            row, tick = yield from _row(robot, reads)
            if row.size != block.type.gives.width:
                raise MalformedMessage(f"/{robot} has {row.size} readings, the layout says {block.type.gives.width}")
            flat[team.reading_span(robot)] = row
    return Readings(team, flat, tick)


def _reads(robot: str, modules: tuple[str, ...]) -> Flow[_Reads]:
    """Return the commands that together give a row of readings, as (module, number)."""
    reads: _Reads = []
    for module in modules:
        interface = yield from describing(f"/{robot}/{module}")
        reads += [
            (module, command.number)
            for command in interface.commands
            if command.effect is Effect.READ and any(field.place == "data" for field in command.gives)
        ]
    return reads


def _row(robot: str, reads: _Reads) -> Flow[tuple[Floats, int]]:
    replies = []
    for module, number in reads:
        replies.append((yield Ask(Message(f"/{robot}/{module}", number, binary=True))))
    row = np.concatenate([np.asarray(reply.data, np.float64) for reply in replies]) if replies else np.zeros(0)
    return row, replies[-1].tick if replies else 0
