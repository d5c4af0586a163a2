"""Shooters: a shot at a robot that is within range and in sight.

Source: swarm gaming, section 4.3 (a preconfigured shooting rate and damage), table 2. A shot takes no time and does
not push: what it does to the health of a robot is said by the game.
"""

import numpy as np

from coopsim.devices._array_device import ArrayDevice
from coopsim.devices.contract import Bodies, DeviceContext, SensingWorld
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import SHOOTER, command_numbers
from coopsim.state.layout import NUMBER, VALUES

_COMMAND = command_numbers(SHOOTER)
_AIM, _RELOAD, _SHOTS, _TARGET = range(4)
_EDGE = 1e-9


class Shooter(ArrayDevice):
    """Shoots at the robot that it was told, as often as its rate allows.

    Attributes:
        memory: `shots`: robot that is aimed at, time until the next shot [s], shots so far, robot that was hit last.
    """

    interface = SHOOTER

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context)
        self.memory["shots"] = np.zeros((len(context.robots), 4))
        self.memory["shots"][:, [_AIM, _TARGET]] = -1.0

    def act(self, commands: Floats, bodies: Bodies, wrench: Floats, dt: float) -> None:
        """Note what is aimed at."""
        shots = self.memory["shots"]
        np.maximum(shots[:, _RELOAD] - dt, 0.0, out=shots[:, _RELOAD])
        shots[:, _AIM] = np.where(commands[:, NUMBER] == _COMMAND.shoot, commands[:, VALUES], -1.0)

    def sense(self, world: SensingWorld, tick: int, out: Floats) -> None:
        """Shoot, and write shots, last target and whether the next may come, shape (n, 3)."""
        shots = self.memory["shots"]
        count = len(world.robot_names)
        wants = (shots[:, _AIM] >= 0.0) & (shots[:, _AIM] < count) & (shots[:, _RELOAD] <= _EDGE)
        if wants.any():
            self._shoot(world, np.flatnonzero(wants))
        out[:, 0], out[:, 1] = shots[:, _SHOTS], shots[:, _TARGET]
        out[:, 2] = shots[:, _RELOAD] <= _EDGE

    def _shoot(self, world: SensingWorld, shooters: Ints) -> None:
        """Count the shots of those that see what they aim at."""
        shots, planar, rows = self.memory["shots"], world.bodies.planar, self.rows[shooters]
        bodies = world.robot_bodies[shots[shooters, _AIM].astype(np.int64)]
        places = planar[bodies, :2]
        gaps = np.hypot(*(places - planar[rows, :2]).T)
        seen = ((gaps <= self.column("range")[shooters]) & (bodies != rows))[:, np.newaxis]
        world.sight_lines(rows, places[:, np.newaxis], bodies[:, np.newaxis], seen)
        hit = shooters[seen[:, 0]]
        shots[hit, _SHOTS] += 1.0
        shots[hit, _TARGET] = shots[hit, _AIM]
        shots[hit, _RELOAD] = 1.0 / self.column("rate")[hit]
