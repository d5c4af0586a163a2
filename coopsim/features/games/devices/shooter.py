"""Shooters: a shot at a robot that is within range and in sight.

Source: swarm gaming, section 4.3 (a preconfigured shooting rate and damage), table 2. A shot takes no time and does
not push: what it does to the health of a robot is said by the game.
"""

import math
from typing import Any, TypeAlias

import numpy as np

from coopsim.devices._array_device import ArrayDevice
from coopsim.devices.calls import CallableWorld, DeviceCalls
from coopsim.devices.contract import Bodies, DeviceContext, SensingWorld
from coopsim.features.games.interfaces.games import SHOOTER
from coopsim.geometry import Bools, Floats, Ints
from coopsim.interfaces import columns, command_numbers
from coopsim.kernels import compiled
from coopsim.kernels.sequence import KernelCall
from coopsim.state.layout import NUMBER, VALUES

_COLUMN, _COMMAND = columns(SHOOTER), command_numbers(SHOOTER)
_AIM, _RELOAD, _SHOTS, _TARGET = range(4)
_EDGE = 1e-9  # s; a timer that was counted down by steps ends a rounding above 0

Sight: TypeAlias = tuple[Floats, Ints, Bools]
"""Where each looks, shape (n, 1, 2) [m], at which body, and whether it may see that, shape (n, 1)."""


class Shooter(ArrayDevice):
    """Shoots at the robot that it was told, as often as its rate allows.

    Attributes:
        memory: `shots`: robot that is aimed at, time until the next shot [s], shots so far, robot that was hit last.
    """

    interface = SHOOTER

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context)
        n = len(context.robots)
        self.memory["shots"] = np.zeros((n, 4))
        self.memory["shots"][:, [_AIM, _TARGET]] = -1.0
        self._places, self._aimed, self._seen = (
            np.zeros((n, 1, 2)),
            np.zeros((n, 1), np.int64),
            np.zeros((n, 1), np.bool_),
        )

    def act_calls(self, commands: Floats, bodies: Bodies, wrench: Floats, dt: float) -> DeviceCalls:
        """Return what notes who is aimed at."""
        return DeviceCalls((KernelCall(_aim, (commands, self.memory["shots"], dt)),))

    def sense(self, world: SensingWorld, tick: int, out: Floats) -> None:
        """Shoot, and write shots, last target and whether the next may come, shape (n, 3)."""
        if _find_targets(*self._looking(world)):
            world.sight_lines(self.rows, self._places, self._aimed, self._seen)
        _shoot(*self._shooting(out))

    def sense_calls(self, world: CallableWorld, out: Floats) -> DeviceCalls:
        """Return what `sense` comes to while nobody has anybody to shoot at."""
        calls = KernelCall(_find_targets, self._looking(world), expects=0), KernelCall(_shoot, self._shooting(out))
        return DeviceCalls(calls)

    def _looking(self, world: SensingWorld) -> tuple[Any, ...]:
        """Return the arguments of what finds who could shoot at whom, as far as nothing stands between."""
        of_sight = self._places, self._aimed, self._seen
        return world.bodies.planar, self.rows, world.robot_bodies, self.table, self.memory["shots"], of_sight

    def _shooting(self, out: Floats) -> tuple[Any, ...]:
        return self._seen, self.table, self.memory["shots"], out


@compiled
def _aim(commands: Floats, shots: Floats, dt: float) -> None:
    for i in range(shots.shape[0]):
        shots[i, _RELOAD] = max(shots[i, _RELOAD] - dt, 0.0)
        shots[i, _AIM] = commands[i, VALUES] if commands[i, NUMBER] == _COMMAND.shoot else -1.0


@compiled
def _find_targets(planar: Floats, rows: Ints, robots: Ints, table: Floats, shots: Floats, sight: Sight) -> int:
    """Write who may shoot at a body within range, and where that is; return how many may."""
    places, aimed, seen = sight
    count = 0
    for i in range(rows.size):
        seen[i, 0] = False
        if 0.0 <= shots[i, _AIM] < robots.size and shots[i, _RELOAD] <= _EDGE:
            body = robots[int(shots[i, _AIM])]
            places[i, 0, 0], places[i, 0, 1] = planar[body, 0], planar[body, 1]
            gap = math.hypot(planar[body, 0] - planar[rows[i], 0], planar[body, 1] - planar[rows[i], 1])
            aimed[i, 0] = body
            seen[i, 0] = gap <= table[_COLUMN.range, i] and body != rows[i]
            count += seen[i, 0]
    return count


@compiled
def _shoot(seen: Bools, table: Floats, shots: Floats, out: Floats) -> None:
    """Count the shots of those that see what they aim at, and write what became of it."""
    for i in range(shots.shape[0]):
        if seen[i, 0]:
            shots[i, _SHOTS] += 1.0
            shots[i, _TARGET] = shots[i, _AIM]
            shots[i, _RELOAD] = 1.0 / table[_COLUMN.rate, i]
        out[i, 0], out[i, 1] = shots[i, _SHOTS], shots[i, _TARGET]
        out[i, 2] = 1.0 if shots[i, _RELOAD] <= _EDGE else 0.0
