"""Two motorised wheels as a force-limited servo: motors, tyres, contacts and joints each have their say.

Source: CoopDynSim, section III-A (two motorised wheels and casters). The paper hangs wheel bodies on hinge joints;
seen from above, forces at the two wheels do the same at a quarter of the cost, and casters neither drive nor hold.
"""

import math
from collections.abc import Mapping

import numpy as np

from coopsim.devices._array_device import ArrayDevice
from coopsim.devices.calls import DeviceCalls
from coopsim.devices.contract import Bodies, DeviceContext, SensingWorld
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import MOTORS, columns, command_numbers
from coopsim.kernels import compiled, inlined, sincos
from coopsim.kernels.constants import GRAVITY
from coopsim.kernels.numbers import bounded
from coopsim.kernels.sequence import KernelCall
from coopsim.state.layout import NUMBER, STAMP, VALUES

_COLUMN, _COMMAND = columns(MOTORS), command_numbers(MOTORS)
_TINY = 2.0**-40
"""What is too large to be added is clipped to the same speeds as this part of it."""
# columns of memory["wheels"]; speeds are those of the tyres, spinning is 0 or 1, elapsed the step not yet counted
_LAST_STAMP, _SILENCE, _LEFT, _RIGHT, _WANTED_LEFT, _WANTED_RIGHT, _LEFT_SPINS, _RIGHT_SPINS, _ELAPSED = range(9)


class DifferentialDrive(ArrayDevice):
    """Two motorised wheels.

    A wheel that has no load follows its command exactly; the robot's path is then the arc of a differential drive.
    A wheel whose motor asks more of the tyre than it can hold spins: it turns as commanded, the ground goes by.

    Attributes:
        half_track: Half the distance between the wheels, shape (n,) [m].
        memory: `travel`, the way of the left and right tyre since the start, shape (n, 2) [m], and `wheels`.
        message_columns: How many columns of `wheels` tell of messages alone.
    """

    interface = MOTORS
    message_columns: Mapping[str, int] = {"wheels": _SILENCE + 1}

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context)
        self.half_track = self.column("half_track")
        n = len(context.robots)
        self.memory = {"travel": np.zeros((n, 2)), "wheels": np.zeros((n, _ELAPSED + 1))}
        self.signals = {"travel": self.memory["travel"], "half_track": self.half_track}

    def act_calls(self, commands: Floats, bodies: Bodies, wrench: Floats, dt: float) -> DeviceCalls:
        """Return what turns commands into forces of the wheels, shape (n, 4): stamp, number, two values."""
        of_bodies = bodies.planar, bodies.mass, bodies.inertia
        of_drives = self.rows, self.table, self.memory["wheels"]
        pushing = commands, *of_bodies, *of_drives, wrench, dt, bodies.position_lag
        return DeviceCalls((KernelCall(_push, pushing),))

    def sense_calls(self, world: SensingWorld, out: Floats) -> DeviceCalls:
        """Return what counts ways and writes v, w, left and right wheel, shape (n, 4) [m/s, rad/s, m/s, m/s]."""
        bodies, memory = world.bodies, self.memory
        of_drives = self.rows, self.half_track, memory["wheels"], memory["travel"]
        return DeviceCalls((KernelCall(_roll, (bodies.planar, *of_drives, out, bodies.position_lag)),))


@inlined
def _left_over(grip: float, force: float) -> float:
    """Return the force to the side that a tyre can still hold."""
    return math.sqrt(grip * grip - force * force)


@inlined
def _asked(number: float, first: float, second: float, half_track: float) -> tuple[float, float]:
    """Return the wheel speeds that a command asks for."""
    left, right = 0.0, 0.0
    if number == _COMMAND.set_velocity:
        left, right = first - second * half_track, first + second * half_track
    elif number == _COMMAND.set_wheel_speeds:
        left, right = first, second
    return left, right


@compiled
def _asked_in_part(number: float, first: float, second: float, half_track: float) -> tuple[float, float]:
    """Return a part of the wheel speeds that a command asks for; a function of its own keeps the loop small."""
    left, right = _asked(number, _TINY * first, _TINY * second, half_track)
    return (left, right) if math.isfinite(left + right) else (0.0, 0.0)


@inlined
def _speeds(commands: Floats, i: int, half_track: float, max_speed: float) -> tuple[float, float]:
    """Return the wheel speeds that a command asks for, within limits; a too fast arc keeps its curvature."""
    number, first, second = commands[i, NUMBER], commands[i, VALUES], commands[i, VALUES + 1]
    left, right = _asked(number, first, second, half_track)
    if not math.isfinite(left + right):
        left, right = _asked_in_part(number, first, second, half_track)
    fastest = max(abs(left), abs(right))
    if fastest > max_speed:
        left *= max_speed / fastest
        right *= max_speed / fastest
    return left, right


@inlined
def _is_abandoned(stamp: float, wheels: Floats, i: int, watchdog: float, dt: float) -> bool:
    """Return whether no command came for `watchdog` seconds, and keep count of the silence."""
    if stamp == wheels[i, _LAST_STAMP]:
        wheels[i, _SILENCE] += dt
    else:
        wheels[i, _LAST_STAMP] = stamp
        wheels[i, _SILENCE] = 0.0
    return watchdog > 0.0 and wheels[i, _SILENCE] > watchdog - 1e-9


@inlined
def _motors(
    table: Floats, i: int, body: tuple[float, float], speeds: tuple[float, float], wheels: Floats, dt: float
) -> tuple[float, float, float]:
    """Return the force at the left and the right tyre and the grip of each; note which of them spin.

    Args:
        table: Parameters of all robots.
        i: Which robot.
        body: Its mass and moment of inertia [kg, kg m2].
        speeds: Ahead and around [m/s, rad/s].
        wheels: Memory of all robots.
        dt: Length of the tick [s].
    """
    (mass, inertia), (forward, turning) = body, speeds
    half_track = table[_COLUMN.half_track, i]
    left, right = wheels[i, _WANTED_LEFT], wheels[i, _WANTED_RIGHT]
    # a stiffer servo than one that is there in a single step would swing
    push = min(table[_COLUMN.gain, i], mass / dt) * (0.5 * (left + right) - forward)
    twist = min(table[_COLUMN.gain, i] * half_track, inertia / (dt * half_track))
    twist *= 0.5 * (right - left) / half_track - turning
    left_force = bounded(0.5 * (push - twist), table[_COLUMN.max_force, i])
    right_force = bounded(0.5 * (push + twist), table[_COLUMN.max_force, i])
    grip = 0.5 * table[_COLUMN.grip, i] * mass * GRAVITY
    wheels[i, _LEFT_SPINS] = abs(left_force) > grip
    wheels[i, _RIGHT_SPINS] = abs(right_force) > grip
    return bounded(left_force, grip), bounded(right_force, grip), grip


@inlined
def _courses(planar: Floats, rows: Ints, lead: float, room: Floats) -> None:
    """Write sine and cosine of the direction in which each robot moves, `lead` seconds from now, into lines 0 and 1."""
    for i in range(rows.size):
        room[2, i] = planar[rows[i], 2] + lead * planar[rows[i], 5]
    sincos(room[2], room[0], room[1])


@compiled
def _push(
    commands: Floats,
    planar: Floats,
    masses: Floats,
    inertias: Floats,
    rows: Ints,
    table: Floats,
    wheels: Floats,
    wrench: Floats,
    dt: float,
    lag: int,
) -> None:
    n = rows.size
    room = np.empty((9, (n + 7) // 8 * 8))  # one piece is faster to get than nine; eight angles fit into vectors
    sines, cosines, turn_sines, turn_cosines, half_turns = room[0], room[1], room[3], room[4], room[2]
    pushes, holds, forwards, sideways = room[5], room[6], room[7], room[8]
    # a step moves the robot along the chord of its arc, so velocities belong to the middle of a step
    _courses(planar, rows, (lag - 0.5) * dt, room)
    for i in range(n):
        row = rows[i]
        mass, inertia, half_track, turning = masses[row], inertias[row], table[_COLUMN.half_track, i], planar[row, 5]
        left, right = _speeds(commands, i, half_track, table[_COLUMN.max_speed, i])
        if _is_abandoned(commands[i, STAMP], wheels, i, table[_COLUMN.watchdog, i], dt):
            left, right = 0.0, 0.0
        wheels[i, _WANTED_LEFT], wheels[i, _WANTED_RIGHT] = left, right
        wheels[i, _ELAPSED] = dt
        forward = planar[row, 3] * cosines[i] + planar[row, 4] * sines[i]
        sideways[i] = planar[row, 4] * cosines[i] - planar[row, 3] * sines[i]
        left_force, right_force, grip = _motors(table, i, (mass, inertia), (forward, turning), wheels, dt)
        pushes[i], holds[i] = left_force + right_force, _left_over(grip, left_force) + _left_over(grip, right_force)
        forwards[i] = 2.0 * forward + pushes[i] * dt / mass
        torque = (right_force - left_force) * half_track
        half_turns[i] = 0.5 * dt * (turning + 0.5 * torque * dt / inertia)
        wrench[row, 5] += torque
    sincos(half_turns, turn_sines, turn_cosines)
    for i in range(n):
        row, push = rows[i], pushes[i]
        # tyres lead the velocity from the middle of this step to the middle of the next, as far as they grip
        bend = forwards[i] * turn_sines[i] - sideways[i] * turn_cosines[i]
        side = bounded(masses[row] / dt * bend, holds[i])
        cos = cosines[i] * turn_cosines[i] - sines[i] * turn_sines[i]
        sin = sines[i] * turn_cosines[i] + cosines[i] * turn_sines[i]
        wrench[row, 0] += push * cos - side * sin
        wrench[row, 1] += push * sin + side * cos


@compiled
def _roll(
    planar: Floats, rows: Ints, half_track: Floats, wheels: Floats, travel: Floats, out: Floats, lag: int
) -> None:
    n = rows.size
    room = np.empty((3, (n + 7) // 8 * 8))
    sines, cosines = room[0], room[1]
    # all robots of a run have stepped together
    _courses(planar, rows, (lag - 0.5) * (wheels[0, _ELAPSED] if n else 0.0), room)
    for i in range(n):
        row, dt = rows[i], wheels[i, _ELAPSED]
        turning = planar[row, 5]
        forward = planar[row, 3] * cosines[i] + planar[row, 4] * sines[i]
        left, right = forward - turning * half_track[i], forward + turning * half_track[i]
        if wheels[i, _LEFT_SPINS] != 0.0:
            left = wheels[i, _WANTED_LEFT]
        if wheels[i, _RIGHT_SPINS] != 0.0:
            right = wheels[i, _WANTED_RIGHT]
        # where positions lag, this step went by at the speeds of the step before
        travel[i, 0] += dt * (wheels[i, _LEFT] if lag else left)
        travel[i, 1] += dt * (wheels[i, _RIGHT] if lag else right)
        wheels[i, _LEFT], wheels[i, _RIGHT], wheels[i, _ELAPSED] = left, right, 0.0
        out[i, 0] = 0.5 * (left + right)
        out[i, 1] = 0.5 * (right - left) / half_track[i]
        out[i, 2] = left
        out[i, 3] = right
