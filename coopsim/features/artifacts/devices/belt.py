"""Conveyor belts: what lies on one goes with it, as far as friction holds.

An engine brakes a body on the floor towards rest, by a force that it says (`floor_grip`). On a belt friction acts
towards the speed of the belt instead: a belt gives back what the floor takes, and adds m (v_belt - v) / dt, at most
mu m g.
"""

import math
from collections.abc import Mapping

import numpy as np

from coopsim.devices import ArrayDevice, DeviceContext, SensingWorld
from coopsim.devices.calls import DeviceCalls
from coopsim.devices.contract import Bodies
from coopsim.features.artifacts.interfaces import BELT
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import columns, command_numbers
from coopsim.kernels import compiled, inlined
from coopsim.kernels.constants import GRAVITY
from coopsim.kernels.numbers import bounded, finite
from coopsim.kernels.sequence import KernelCall
from coopsim.sensing.robot_cells import STALE, Cells, bodies_of_line, empty_cells, fill, square_around
from coopsim.state.layout import NUMBER, STAMP, VALUES

_COLUMN, _COMMAND = columns(BELT), command_numbers(BELT)
_LYING = 0.02
"""How far the base of what lies on a belt may be above or below its top: contacts in space give way [m]."""
_FEW = 16
"""Up to so many belts look at all bodies: to sort these by cells takes as long as that."""
# columns of memory["motion"]: stamp of the last command, how long ago that was, whether there was one, speed of the top
_STAMP, _SILENCE, _IS_COMMANDED, _SPEED, _GOODS = range(5)


class Belt(ArrayDevice):
    """The top of a box as a belt that runs along the length of its body.

    Attributes:
        memory: `motion`: stamp of the last command, silence since then [s], 1 once a command came, speed of the top
            [m/s], bodies on it; shape (n, 5).
    """

    interface = BELT
    message_columns: Mapping[str, int] = {"motion": _IS_COMMANDED}

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context)
        self.memory = {"motion": np.zeros((len(context.robots), _GOODS + 1))}
        self.memory["motion"][:, _SPEED] = self.table[_COLUMN.start]
        self._size = np.array(context.size)

    def act_calls(self, commands: Floats, bodies: Bodies, wrench: Floats, dt: float) -> DeviceCalls:
        """Return what runs the belts and carries what lies on them."""
        # an engine of others need not say how the floor brakes: nothing is carried on it then
        floor: Floats = getattr(bodies, "floor_grip", np.zeros(len(bodies.names)))
        belts = self.rows, self.table, self.memory["motion"], self._size
        things = bodies.planar, bodies.height, bodies.mass, floor
        # which bodies there are stays the same as long as these calls are made
        cells = empty_cells(np.arange(len(bodies.names) if self.rows.size > _FEW else 0))
        return DeviceCalls((KernelCall(_carry, (commands, belts, things, cells, wrench, dt)),))

    def sense_calls(self, world: SensingWorld, out: Floats) -> DeviceCalls:
        """Return what writes speed and number of bodies, shape (n, 2)."""
        return DeviceCalls((KernelCall(_write, (self.memory["motion"], out)),))


@compiled
def _write(motion: Floats, out: Floats) -> None:
    for i in range(out.shape[0]):
        out[i, 0], out[i, 1] = motion[i, _SPEED], motion[i, _GOODS]


@compiled
def _wanted(commands: Floats, motion: Floats, table: Floats, i: int, dt: float) -> float:
    """Return the speed that a belt is to have, and keep count of the silence of its commands [m/s]."""
    number = commands[i, NUMBER]
    if commands[i, STAMP] == motion[i, _STAMP]:
        motion[i, _SILENCE] += dt
    else:
        motion[i, _STAMP], motion[i, _SILENCE] = commands[i, STAMP], 0.0
    fastest, watchdog = table[_COLUMN.max_speed, i], table[_COLUMN.watchdog, i]
    if number in (_COMMAND.set_speed, _COMMAND.stop):
        motion[i, _IS_COMMANDED] = 1.0
        is_abandoned = watchdog > 0.0 and motion[i, _SILENCE] > watchdog
        asked = finite(commands[i, VALUES]) if number == _COMMAND.set_speed and not is_abandoned else 0.0
        return bounded(asked, fastest)
    return 0.0 if motion[i, _IS_COMMANDED] > 0.0 else bounded(table[_COLUMN.start, i], fastest)


@compiled
def _carry(
    commands: Floats,
    belts: tuple[Ints, Floats, Floats, Floats],
    things: tuple[Floats, Floats, Floats, Floats],
    cells: Cells,
    wrench: Floats,
    dt: float,
) -> None:
    """Run the belts, and push what lies on them towards their speeds.

    Args:
        commands: Stamp, number and value, shape (n, 3).
        belts: Rows of their bodies; parameters; memory; length, width and height of their bodies.
        things: Of all bodies: x y yaw vx vy w; heights; masses; largest force with which the floor brakes each [N],
            and what it does not brake stands on wheels.
        cells: Room to sort the bodies by cells, for none where there are few belts.
        wrench: Added to.
        dt: Length of the tick [s].
    """
    (rows, table, motion, size), (planar, _, masses, _) = belts, things
    is_sorted = rows.size > _FEW
    if is_sorted:
        cells[1][STALE] = 1
        fill(planar, cells)
    for i in range(rows.size):
        speed, belt = motion[i, _SPEED], rows[i]
        change = _wanted(commands, motion, table, i, dt) - speed
        speed += bounded(change, table[_COLUMN.acceleration, i] * dt)
        motion[i, _SPEED], motion[i, _GOODS] = speed, 0.0
        direction = math.cos(planar[belt, 2]), math.sin(planar[belt, 2])
        top, pull = (belt, direction, size, motion[i]), (speed, table[_COLUMN.friction, i], dt)
        if not is_sorted:
            for row in range(masses.size):
                _carry_body(row, top, things, pull, wrench)
            continue
        x, y = planar[belt, 0], planar[belt, 1]
        square = square_around(x, y, 0.5 * math.hypot(size[0], size[1]) + _LYING, cells)
        for line in range(square[2], square[3] + 1):
            begin, end = bodies_of_line(line, square, cells)
            for at in range(begin, end):
                _carry_body(cells[1][at], top, things, pull, wrench)


@inlined
def _carry_body(
    row: int,
    top: tuple[int, tuple[float, float], Floats, Floats],
    things: tuple[Floats, Floats, Floats, Floats],
    pull: tuple[float, float, float],
    wrench: Floats,
) -> None:
    """Push one body if it lies on the belt.

    Args:
        row: Of the body.
        top: Row of the belt's body; where its length points, x and y; its length, width and height; memory of the
            belt, where goods are counted.
        things: See `_carry`.
        pull: Speed of the belt, its friction, and the length of the tick.
        wrench: Of all bodies, added to.
    """
    (belt, (c, s), size, memory), (planar, heights, masses, floor), (speed, friction, dt) = top, things, pull
    dx, dy = planar[row, 0] - planar[belt, 0], planar[row, 1] - planar[belt, 1]
    along, aside = c * dx + s * dy, c * dy - s * dx
    is_over = abs(along) <= 0.5 * size[0] and abs(aside) <= 0.5 * size[1]
    is_lying = abs(heights[row] - heights[belt] - size[2]) <= _LYING
    if row == belt or floor[row] <= 0.0 or not (is_over and is_lying):
        return
    memory[_GOODS] += 1.0
    _push(planar[row], (c * speed, s * speed), (masses[row], friction, floor[row]), wrench[row], dt)


@compiled
def _push(
    motion: Floats, wanted: tuple[float, float], grips: tuple[float, float, float], wrench: Floats, dt: float
) -> None:
    """Add the force of the belt on a body.

    Args:
        motion: x y yaw vx vy w of the body.
        wanted: Velocity of the belt x, y [m/s].
        grips: Mass of the body, its friction on the belt, and the force by which the floor brakes it.
        wrench: Of the body, added to.
        dt: Length of the tick [s].
    """
    mass, friction, floor = grips
    x, y = mass / dt * (wanted[0] - motion[3]), mass / dt * (wanted[1] - motion[4])
    most, force = friction * mass * GRAVITY, math.hypot(x, y)
    share = most / force if force > most else 1.0
    x, y = share * x, share * y
    # what the floor will take, along the velocity that the body is to have after the step
    vx, vy = motion[3] + x * dt / mass, motion[4] + y * dt / mass
    speed = math.hypot(vx, vy)
    if speed > 0.0:
        x, y = x + floor * vx / speed, y + floor * vy / speed
    wrench[0] += x
    wrench[1] += y
