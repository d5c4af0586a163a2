"""Memory of a stepper between two steps: its robots, their last commands and readings, and the next stamp."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from coopsim.client.connection import refusal
from coopsim.client.layout import STEP_MODULE, RowLayout, SimulationLayout
from coopsim.client.prepared import PreparedRequest
from coopsim.client.readings import Readings
from coopsim.client.team import Team, form
from coopsim.errors import BadArgument, CoopsimError, Late, MalformedMessage, NoSuchName, StaleLayout
from coopsim.geometry import Floats
from coopsim.interfaces import STEP
from coopsim.message import MAX_DATA, Message, encode
from coopsim.suggest import listed

# A team in batches, each within the limits of a message.
_STEP = STEP.command("step").number
MOST_ROBOTS = 3000
"""Number of names that fit one message, with room for their length."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The robots whose commands, and readings, fit one message.

    Attributes:
        request: A step with the generation and the names, without commands.
        commands: Their commands in the team's flat vector.
    """

    request: Message
    commands: slice

    def message(self, commands: Floats, tick: int, number: int) -> Message:
        """Return a step, or a part of it by the number of its command, with the commands of the team, for a tick."""
        like = self.request
        return Message(like.target, number, like.params, commands[self.commands], tick, binary=True)


def batches(team: Team) -> tuple[Batch, ...]:
    """Return the batches of a step; the readings they bring, one after the other, are those of the team."""
    groups: list[list[str]] = [[]]
    takes = gives = 0
    for robot in team.robots:
        rows = team.rows[robot][0].type
        takes, gives = takes + rows.takes.width, gives + rows.gives.width
        if groups[-1] and (max(takes, gives) > MAX_DATA or len(groups[-1]) == MOST_ROBOTS):
            groups.append([])
            takes, gives = rows.takes.width, rows.gives.width
        groups[-1].append(robot)
    return tuple(_batch(team, group) for group in groups)


def _batch(team: Team, robots: list[str]) -> Batch:
    commands = slice(team.command_span(robots[0]).start, team.command_span(robots[-1]).stop)
    data = np.zeros(commands.stop - commands.start)
    request = Message(STEP_MODULE, _STEP, (team.generation, *robots), data, binary=True)
    encode(request)  # says what is over a limit
    return Batch(replace(request, data=()), commands)


class StepperState:
    """A stepper's knowledge of its robots, without the messages.

    Args:
        layout: Of the simulation.
        robots: Their names; None = all.

    Attributes:
        layout: How the rows of all robot types are made, with the generation it is of.
        team: The robots, those of one type together.
        batches: The robots of each message of a step.
        commands: The last command of all robots.
        prepared: The message of a step where there is but one.
        readings: The last readings; None = not known.
        tick: The tick of the last readings.
        stamp: The step that the next commands are meant for; 0 = whichever is next.
        numbers: Of the commands that the server knows; empty = it was not asked.
    """

    def __init__(self, layout: SimulationLayout, robots: Sequence[str] | None) -> None:
        self.layout = layout
        self._form(list(layout.robots) if robots is None else list(robots))
        self.tick = 0
        self.stamp = 0
        self.numbers: Mapping[str, int] = {}
        self._passed_over = False

    def _form(self, robots: Sequence[str]) -> None:
        if not robots:
            raise BadArgument("name at least one robot")
        self.team: Team = form(self.layout, robots)
        self.batches: tuple[Batch, ...] = batches(self.team)
        self.commands: Floats = np.zeros(self.team.command_size)
        only = self.batches[0] if len(self.batches) == 1 else None
        self.prepared = PreparedRequest(only.request, self.commands) if only is not None else None
        self.readings: Readings | None = None

    @property
    def groups(self) -> list[tuple[str, ...]]:
        """The names of the robots, as many together as fit one message of a step."""
        return [tuple(map(str, batch.request.params[1:])) for batch in self.batches]

    def messages(self, stamp: int) -> list[Message]:
        """Return the messages of a step."""
        # of several steps in the place of parts only lockstep makes one tick
        numbers = [self.numbers.get("part", _STEP)] * (len(self.batches) - 1) + [_STEP]
        return [
            batch.message(self.commands, stamp, number) for batch, number in zip(self.batches, numbers, strict=True)
        ]

    def use_stamp(self) -> int:
        """Return the stamp of the step that begins; if nothing comes of it, the next one has none."""
        stamp, self.stamp = self.stamp, 0
        return stamp

    def update(self, replies: Sequence[Message]) -> Readings:
        """Return the readings after a step.

        Raises:
            CoopsimError: It was refused.
            MalformedMessage: There are more or fewer than the layout says.
        """
        for reply in replies:
            if reply.error:
                raise refusal(reply, STEP_MODULE)
        if self.prepared is not None:
            self.prepared.learn(replies[0])
        data = replies[0].data if len(replies) == 1 else np.concatenate([np.asarray(reply.data) for reply in replies])
        return self.advance(replies[-1].tick, np.asarray(data, np.float64))

    def advance(self, tick: int, flat: Floats) -> Readings:
        """Return the readings after a step that was not refused.

        Raises:
            MalformedMessage: There are more or fewer than the layout says.
        """
        if flat.size != self.team.reading_size:
            raise MalformedMessage(
                f"{STEP_MODULE}: expected {self.team.reading_size} readings by the layout, got {flat.size}"
            )
        self._passed_over = tick > self.tick + 1
        self.tick = tick
        self.stamp = tick + 1
        self.readings = Readings(self.team, flat, tick)
        return self.readings

    def forgive(self, problem: CoopsimError) -> None:
        """Pass over a refusal after which the same step should be tried again; raise any other."""
        # in real time and free run ticks pass between two steps; a switch to lockstep makes that count
        if isinstance(problem, Late) and self._passed_over:
            self._passed_over = False
        # another run answers now, or a recording goes backward: our stamp lies in the future
        elif isinstance(problem, BadArgument) and self.tick > getattr(problem.request, "tick", self.tick):
            self.tick = 0
        else:
            raise problem

    def adapt(self, layout: SimulationLayout) -> None:
        """Go on with a new layout and the robots that are still what they were, with their commands.

        Raises:
            NoSuchName: None of them is left.
            StaleLayout: Some are not.
        """
        old = self.team
        self.layout = layout
        stay = [robot for robot in old.robots if _command_layout(layout, robot) == old.rows[robot][0].type.takes]
        if not stay:
            raise NoSuchName("no robot of this stepper is left in the simulation")
        self._form_again(stay)
        robots = [robot for robot in old.robots if robot not in stay]
        if robots:
            raise StaleLayout(
                f"{listed(robots)} left, or takes other commands now; go on with stepper.robots: {listed(stay)}"
            )

    def enlist(self, robots: Sequence[str]) -> None:
        """Go on with further robots, whose commands are 0 as yet."""
        self._form_again([*self.team.robots, *robots])

    def _form_again(self, robots: Sequence[str]) -> None:
        """Go on with these robots; those that were there before keep their commands."""
        old, commands = self.team, self.commands
        self._form(robots)
        for robot in set(robots) & set(old.robots):
            self.commands[self.team.command_span(robot)] = commands[old.command_span(robot)]


def _command_layout(layout: SimulationLayout, robot: str) -> RowLayout | None:
    return layout.types[layout.robots[robot]].takes if robot in layout.robots else None
