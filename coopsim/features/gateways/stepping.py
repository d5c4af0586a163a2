"""Commands in lockstep that go out with the step: its reply brings the readings, before the stream of states does."""

import asyncio
import contextlib
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from coopsim.client.layout import STEP_MODULE, SimulationLayout
from coopsim.client.readings import Readings
from coopsim.client.team import Team, form
from coopsim.errors import CoopsimError, MalformedMessage, StaleLayout
from coopsim.features.gateways.robots import ModuleFacts, TakenTopic
from coopsim.geometry import Floats
from coopsim.interfaces import Effect

if TYPE_CHECKING:
    from coopsim.client import State
    from coopsim.client.aio import Client

_NANO: Final = 1e9
"""Nanoseconds in a second: the simulation counts time in whole ones."""
_PATIENCE: Final = 1.0
"""How long a step waits for the stream of states, which may be cut off [s]."""
Refused: TypeAlias = Callable[[CoopsimError], None]
"""Called with the refusal of a command that went out already."""


class SteppedState(NamedTuple):
    """Readings that a step brought, as a state has them.

    Attributes:
        time: Simulated time after the step [s].
        tick: Number of steps that were done.
        readings: Of the robot that was commanded, alone.
        before: State that was known then; bodies are where it says.
    """

    time: float
    tick: int
    readings: Readings
    before: "State"

    def pose(self, name: str) -> Floats:
        """Return position and quaternion of a body before the step, shape (7,); raises KeyError for an unknown one."""
        return self.before.pose(name)


Came: TypeAlias = Callable[[str, SteppedState], None]
"""Called with a robot and what its step brought."""


class LockstepDriver:
    """Robots of one layout, each of which waits for one step at most.

    The stream leaves states out where steps follow each other faster than it sends them. While something is published
    that it alone brings, the next step therefore waits for the state of the last one.

    Args:
        came: Called with the readings of each step.

    Attributes:
        must_follow: Whether steps wait for the stream.
    """

    def __init__(self, came: Came) -> None:
        self._came = came
        self.must_follow = True
        self._stepped_tick, self._streamed_tick = 0, 0
        self._streamed = asyncio.Event()
        self._layout: SimulationLayout | None = None
        self._step = 0.0
        self._teams: dict[str, Team] = {}
        self._waiting: dict[str, asyncio.Task[None]] = {}
        self._unsent: dict[str, Sequence[float]] = {}

    def learn(self, layout: SimulationLayout | None, step: float) -> None:
        """Go on with the robots of a layout, and a step of so much simulated time [s]; None = there are none."""
        self._layout, self._step = layout, step
        self._teams.clear()

    def note_state(self, tick: int) -> None:
        """Learn that the stream has brought the state of a tick; one before the last is of a run that was reset."""
        if tick < self._streamed_tick:
            self._stepped_tick = tick
        self._streamed_tick = tick
        self._streamed.set()

    async def _catch_up(self) -> None:
        """Wait until the stream has brought the last step, unless it stays away."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                while self.must_follow and self._streamed_tick < self._stepped_tick:
                    self._streamed.clear()
                    await self._streamed.wait()
        self._stepped_tick = min(self._stepped_tick, self._streamed_tick)

    def close(self) -> None:
        """Wait for no step any more."""
        for waiting in self._waiting.values():
            waiting.cancel()
        self._waiting.clear()
        self._unsent.clear()
        self._layout = None
        self._stepped_tick = self._streamed_tick = 0

    def forget(self, robot: str) -> None:
        """Wait no more for the step of a robot, and do not send it if it was not sent: another command counts."""
        waiting = self._waiting.pop(robot, None)
        if waiting is not None:
            waiting.cancel()
        self._unsent.pop(robot, None)

    def can_step(
        self, taken: TakenTopic, command: str, values: Sequence[float], modules: Mapping[str, ModuleFacts]
    ) -> bool:
        """Return whether a command is all that a step of its robot takes, and none of it is on its way."""
        layout, robot = self._layout, taken.robot
        if layout is None or robot not in layout.robots:
            return False
        if robot in self._waiting and robot not in self._unsent:
            return False
        takes = layout.types[layout.robots[robot]].takes
        if list(takes.modules) != [taken.target.rpartition("/")[2]] or takes.width != len(values):
            return False
        commands = modules[taken.target].interface.commands
        return command == next((first.name for first in commands if first.effect is Effect.SET), None)

    def begin(
        self,
        sim: "Client",
        taken: TakenTopic,
        command: str,
        values: Sequence[float],
        state: "State",
        refused: Refused,
    ) -> None:
        """Step a robot by a command, which `can_step` allowed, and pass on what comes of it.

        Args:
            sim: The run.
            taken: Topic of the command.
            command: Its name, for a run whose robots came or went meanwhile.
            values: Of the command.
            state: The newest one.
            refused: Called if the run refuses.
        """
        is_first = taken.robot not in self._unsent
        self._unsent[taken.robot] = values
        if is_first:
            work = self._exchange(sim, taken, command, state, refused)
            self._waiting[taken.robot] = asyncio.create_task(work)

    async def _exchange(
        self,
        sim: "Client",
        taken: TakenTopic,
        command: str,
        state: "State",
        refused: Refused,
    ) -> None:
        robot, layout = taken.robot, self._layout
        try:
            if self.must_follow and self._streamed_tick < self._stepped_tick:
                await self._catch_up()
            values = self._unsent.pop(robot)
            try:
                reply = await sim.module(STEP_MODULE).call(
                    "step", state.raw.generation, [robot], values, timeout=math.inf
                )
            except StaleLayout:  # robots came or went: the stream tells what is there now
                await sim.module(taken.target).call(command, *values)
                return
            finally:
                if self._waiting.get(robot) is asyncio.current_task():
                    del self._waiting[robot]
            self._stepped_tick = max(self._stepped_tick, reply.tick)
            if layout is self._layout and layout is not None:
                self._came(robot, self._stepped(robot, layout, reply.readings, reply.tick, state))
        except CoopsimError as problem:
            refused(problem)

    def _stepped(self, robot: str, layout: SimulationLayout, flat: Floats, tick: int, before: "State") -> SteppedState:
        team = self._teams.get(robot)
        if team is None:
            team = self._teams[robot] = form(layout, [robot])
        if flat.size != team.reading_size:
            raise MalformedMessage(f"{STEP_MODULE}: expected {team.reading_size} readings of {robot}, got {flat.size}")
        nanoseconds = round(before.time * _NANO) + (tick - before.tick) * round(self._step * _NANO)
        return SteppedState(nanoseconds / _NANO, tick, Readings(team, flat, tick), before)
