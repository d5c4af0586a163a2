"""Formation and avoidance by artificial potentials: places attract, what is near repels.

Source: SwarmSimX, section 3.2 (a standard formation-control plus obstacle-avoidance algorithm); the method is that of
O. Khatib, "Real-time obstacle avoidance for manipulators and mobile robots" (1986).
"""

import math

import numpy as np

from coopsim.devices.contract import DeviceContext
from coopsim.devices.program import OnBoardProgram
from coopsim.features.space.potentials_interface import POTENTIALS
from coopsim.geometry import Floats
from coopsim.interfaces import columns, command_numbers
from coopsim.kernels import compiled
from coopsim.state.layout import NUMBER, VALUES

_COLUMN, _COMMAND = columns(POTENTIALS), command_numbers(POTENTIALS)
_NEAREST = 0.1  # m


class Potentials(OnBoardProgram):
    """Commands the autopilot a velocity: towards the place to keep, and away from robots and objects."""

    interface = POTENTIALS

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context)
        n = len(context.robots)
        self._nothing: tuple[Floats, Floats, Floats] = np.zeros((n, 0)), np.zeros((n, 0)), np.zeros(0)
        self._values: Floats = np.zeros((n, 4))

    def run(self, tick: int, dt: float) -> None:
        """Command those that keep a place."""
        inputs, own = self.ports.inputs, self.ports.own
        places, ranges, directions = self._nothing
        around = inputs.get("places", places), inputs.get("ranges", ranges), inputs.get("directions", directions)
        where = inputs["position"], inputs["orientation"], inputs["velocity"]
        drive(own[:, VALUES:], where, around, self.table, self._values)
        keeps = own[:, NUMBER] == _COMMAND.keep
        self._values[~keeps] = 0.0
        self.ports.outputs["autopilot"].give_each("set_velocity", self._values, robots=keeps, tick=tick)
        self.readings[:] = self._values[:, :3]


@compiled
def drive(
    goals: Floats,
    where: tuple[Floats, Floats, Floats],
    around: tuple[Floats, Floats, Floats],
    table: Floats,
    out: Floats,
) -> None:
    """Write the velocity of each robot, shape (n, 4).

    Args:
        goals: Places to keep, shape (n, 3).
        where: Positions, quaternions and velocities, shape (n, 3), (n, 4) and (n, 3).
        around: Places of neighbours, distances along rays, directions of the rays.
        table: Parameters.
        out: Written.
    """
    (position, orientation, velocity), (places, ranges, directions) = where, around
    for i in range(out.shape[0]):
        safe, push, fastest = table[_COLUMN.safe, i], table[_COLUMN.push, i], table[_COLUMN.max_speed, i]
        x, y, z = goals[i, 0] - position[i, 0], goals[i, 1] - position[i, 1], goals[i, 2] - position[i, 2]
        away = math.sqrt(x * x + y * y + z * z)
        share = min(table[_COLUMN.gain, i], fastest / away) if away > 0.0 else 0.0
        x, y, z = share * x, share * y, share * z
        limits = safe, push, table[_COLUMN.damping, i]
        x, y, z = _off_neighbours((x, y, z), places[i], velocity[i], limits)
        a, b, c, d = orientation[i, 0], orientation[i, 1], orientation[i, 2], orientation[i, 3]
        for k in range(ranges.shape[1]):
            if ranges[i, k] < safe:
                strength = -_repulsion(ranges[i, k], safe, push)
                u, v, w = directions[3 * k], directions[3 * k + 1], directions[3 * k + 2]
                p, q, r = 2.0 * (c * w - d * v), 2.0 * (d * u - b * w), 2.0 * (b * v - c * u)
                x += strength * (u + a * p + c * r - d * q)
                y += strength * (v + a * q + d * p - b * r)
                z += strength * (w + a * r + b * q - c * p)
        size = math.sqrt(x * x + y * y + z * z)
        share = min(1.0, 2.0 * fastest / size) if 0.0 < size < math.inf else 0.0
        if not math.isfinite(size):  # a place that is no number: it stays where it is
            x, y, z = 0.0, 0.0, 0.0
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = share * x, share * y, share * z, 0.0


@compiled
def _repulsion(away: float, safe: float, push: float) -> float:
    """Return the speed away from what is near: the slope of a potential that grows as 1 / distance."""
    return push * (safe / max(away, _NEAREST) - 1.0)


@compiled
def _off_neighbours(
    wanted: tuple[float, float, float], places: Floats, velocity: Floats, limits: tuple[float, float, float]
) -> tuple[float, float, float]:
    """Return the velocity that one robot wants, and that keeps it off all its neighbours.

    Args:
        wanted: Velocity without neighbours; pushes are added one after the other, as rounding wants it.
        places: Where they are, seen from it, and their distances, by turns: shape (4 k,).
        velocity: Of the robot, shape (3,).
        limits: Distance that is not ignored, push as in `_repulsion`, and the time by which a neighbour counts as
            nearer per speed towards it [s].
    """
    (x, y, z), (safe, push, damping) = wanted, limits
    for at in range(0, places.shape[0], 4):
        away = places[at + 3]
        if away <= 0.0:
            continue
        closing = (velocity[0] * places[at] + velocity[1] * places[at + 1] + velocity[2] * places[at + 2]) / away
        # what comes nearer is met as if it were there already: the autopilot needs time to brake
        ahead = away - damping * max(closing, 0.0)
        if ahead < safe:
            strength = -_repulsion(ahead, safe, push) / away
            x += strength * places[at]
            y += strength * places[at + 1]
            z += strength * places[at + 2]
    return x, y, z
