"""Policies whose commands no STEP brings: velocities of an autopilot, way points, parameters of a module.

A STEP writes the first command of each actuator of a robot. Other commands are sent one by one, those of all robots
at once; then the robots take part in the step by SKIP, and a READ is answered after it.

Specification: docs/protocol.md, sections 9.1 and 9.2.
"""

import logging
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from coopsim.client import Client, Module, Stepper, Stream
from coopsim.client.layout import STEP_MODULE
from coopsim.errors import BadArgument, CoopsimError, Late, NoReply, SimulationEnded
from coopsim.features.learning.encoding import Acting
from coopsim.geometry import Floats
from coopsim.interfaces import width

_FAREWELL = 0.5  # s; a program that ends must not wait for a server that has ended
_LOCKSTEP = "lockstep"
_log = logging.getLogger(__name__)


def is_stepped(sim: Client, stepper: Stepper, acting: Acting) -> bool:
    """Return whether the rows of a STEP are this command of robots of one type, and nothing else."""
    robot = stepper.robots[0]
    takes = stepper.layout.types[stepper.layout.robots[robot]].takes
    if acting.parameters or set(takes.modules) != {acting.module}:
        return False
    setting = sim.module(f"/{robot}/{acting.module}").interface.setting
    return setting is not None and setting.name == acting.command


class CommandedRobots:
    """Robots of one type that are commanded one by one.

    Args:
        sim: The client.
        stepper: Owns the robots, whose commands count for some ticks each.
        acting: What they do.
        every: For how many ticks a command counts.

    Raises:
        BadArgument: The command takes fewer numbers than there are.
        NoSuchCommand: The module has no such command.
    """

    def __init__(self, sim: Client, stepper: Stepper, acting: Acting, every: int) -> None:
        self._sim, self._acting, self._every = sim, acting, every
        self._step, self._robots = sim.module(STEP_MODULE), stepper.robots
        self._modules = [sim.module(f"/{robot}/{acting.module}") for robot in self._robots]
        self._padding = () if acting.parameters else (0.0,) * _missing(self._modules[0], acting)
        self._stream: Stream | None = None
        readings = stepper.readings
        self._rows, self._tick = readings.of(stepper.layout.robots[self._robots[0]]).table, readings.tick

    def drive(self, decide: Callable[[Floats], Floats]) -> NoReturn:
        """Command them until the run is over or the program is ended.

        Args:
            decide: Returns the values of each command from rows of readings, shape (robots, width).

        Raises:
            SimulationEnded: The run is over.
            CoopsimError: A command was refused.
        """
        try:
            while True:
                self._command(decide(self._rows).tolist())
                self._finish_step()
        finally:
            if self._stream is not None:
                self._stream.close()
            self._stop()

    def _command(self, rows: Sequence[Sequence[float]]) -> None:
        acting = self._acting
        for module, values in zip(self._modules, rows, strict=True):
            for name, value in zip(acting.parameters, values, strict=False):
                module.set_parameter(name, value)
        if acting.parameters:
            return
        targets = [module.target for module in self._modules]
        calls = [
            (target, acting.command, (*values, *self._padding)) for target, values in zip(targets, rows, strict=True)
        ]
        for answer in self._sim.call_all(calls):
            if isinstance(answer, CoopsimError):
                raise answer

    def _finish_step(self) -> None:
        """Let the robots' step be done, and take their readings after it."""
        end = self._tick + self._every
        try:
            self._step.call("skip", self._robots, tick=self._tick + 1)
        except Late:  # the commands were to the modules that it waited for
            _log.debug("tick %s is done", self._tick + 1)
        after = self._read()
        # in lockstep that was answered behind the last tick, as all robots are ready
        if after.tick < end and self._sim.clock.status().mode != _LOCKSTEP:
            self._wait(end)
            after = self._read()
        self._rows, self._tick = np.asarray(after.readings, np.float64).reshape(self._rows.shape), after.tick

    def _read(self) -> Any:
        return self._step.call("read", 0, self._robots)

    def _wait(self, tick: int) -> None:
        """Wait for a tick that comes by itself.

        Raises:
            SimulationEnded: It does not come.
        """
        # the stream tells of the end, too, when nobody answers any more
        self._stream = self._stream or self._sim.stream(f"/{self._robots[0]}")
        now = self._tick
        while now < tick:
            try:
                state = self._stream.latest()
            except NoReply:
                self._sim.clock.status()  # a server that is paused answers, one that is gone does not
                continue
            if state is None:
                raise SimulationEnded(f"the run ended before tick {tick}")
            now = state.tick

    def _stop(self) -> None:
        for module in self._modules:
            try:
                module.call("stop", timeout=_FAREWELL)
            except CoopsimError as problem:
                # the run is over, the server gone, or it has no such command: others would be refused, too
                _log.debug("%s not stopped: %s", module.target, problem)
                return


def _missing(module: Module, acting: Acting) -> int:
    """Return how many numbers behind those of the policy a command takes; they are 0, as in a batch."""
    takes = width(module.interface.command(acting.command).takes, {})
    if takes < len(acting.low):
        raise BadArgument(
            f"{acting.command} of {module.target} takes {takes} numbers, and the policy gives {len(acting.low)}"
        )
    return takes - len(acting.low)
