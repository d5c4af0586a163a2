"""The position loop of a quadrotor: what its commands mean, where it should be now, and the tilt and thrust for that.

Source: SwarmSimX, section 3.1 (an outer loop reads the state and gives orientation and thrust to an inner loop).
"""

import math

from coopsim.features.space.autopilot_interface import AUTOPILOT
from coopsim.features.space.devices import inner_loop as inner
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import columns, command_numbers
from coopsim.kernels import compiled
from coopsim.kernels.constants import GRAVITY
from coopsim.state.layout import NUMBER, VALUES

# columns of memory["flight"]: what it does, how long it does it, where that began, where it should be now and how it
# should move, what lasting errors added up to, and what keeps it from flying
(
    DOING,
    SINCE,
    FROM_X,
    FROM_Y,
    FROM_Z,
    X,
    Y,
    Z,
    YAW,
    VX,
    VY,
    VZ,
    TURN,
    AX,
    AY,
    AZ,
    SUM_X,
    SUM_Y,
    SUM_Z,
    FAULT,
    FLIES,
) = range(21)
FLIGHT_WIDTH = 21  # columns above; a test counts them
UPSIDE_DOWN, NOT_FINITE = 1.0, 2.0  # faults, as numbers in an array

_COLUMN, _COMMAND = columns(AUTOPILOT), command_numbers(AUTOPILOT)
_MAX_RATE = 4.0  # rad/s
_LEASH, _MOST_SUM = 1.0, 2.0  # m, m/s2: how far what is wanted runs ahead, and the share of lasting errors
_LANDED, _SINKING = 0.02, 0.4  # m, m/s
_DAMPING = 1.8  # twice the damping ratio

Sensors = tuple[Floats, Floats, Floats, Floats, Floats]
"""Specific force and rate of turn of the unit; position, quaternion and velocity of the body; shape (n, 3 or 4)."""


@compiled
def is_finite(values: Floats) -> bool:
    """Return whether all values are finite numbers."""
    found = True
    for k in range(values.size):
        found = found and math.isfinite(values[k])
    return found


@compiled
def begin(slot: Floats, sensors: Sensors, i: int, flight: Floats) -> bool:
    """Note a change of the command, and what keeps a robot from flying; return whether that is new.

    Args:
        slot: Stamp, number and values of its command.
        sensors: Of all robots.
        i: Which robot.
        flight: Memory of this robot.
    """
    _, _, position, orientation, _ = sensors
    number, before = slot[NUMBER], flight[FAULT]
    flight[FAULT] = 0.0
    if not is_finite(slot[VALUES:]):
        flight[FAULT] = NOT_FINITE
        number = flight[DOING] if flight[FLIES] > 0.0 else 0.0
    if orientation[i, 1] ** 2 + orientation[i, 2] ** 2 > 0.5:
        flight[FAULT] = UPSIDE_DOWN
        number = float(_COMMAND.stop)
    if number != flight[DOING]:
        flight[DOING], flight[SINCE] = number, 0.0
        if flight[FLIES] == 0.0:
            rest(position[i], orientation[i], flight)
        flight[FROM_X], flight[FROM_Y], flight[FROM_Z] = flight[X], flight[Y], flight[Z]
    return bool(flight[FAULT] > 0.0 and flight[FAULT] != before)


@compiled
def rest(position: Floats, orientation: Floats, flight: Floats) -> None:
    """Want to be where it is, at rest."""
    flight[X], flight[Y], flight[Z] = position[0], position[1], position[2]
    flight[YAW] = heading(orientation)
    flight[VX : SUM_Z + 1] = 0.0


@compiled
def heading(orientation: Floats) -> float:
    """Return the heading of a quaternion [rad]."""
    w, x, y, z = orientation[0], orientation[1], orientation[2], orientation[3]
    return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


@compiled
def wanted(slot: Floats, table: Floats, i: int, position: Floats, flight: Floats, dt: float) -> None:
    """Write where the robot should be in this tick, by what it was commanded.

    Args:
        slot: Stamp, number and values of its command.
        table: Parameters of all robots.
        i: Which robot.
        position: Where it is, shape (3,).
        flight: Memory of this robot.
        dt: Length of the tick [s].
    """
    number, at = flight[DOING], VALUES
    flight[SINCE] += dt
    flight[AX], flight[AY], flight[AZ] = 0.0, 0.0, 0.0
    flight[TURN] = 0.0
    if flight[FAULT] == NOT_FINITE:
        approach(flight[X], flight[Y], flight[Z], table, i, flight, dt)
    elif number == _COMMAND.go_to:
        flight[YAW] = slot[at + 3]
        approach(slot[at], slot[at + 1], slot[at + 2], table, i, flight, dt)
    elif number == _COMMAND.take_off:
        approach(flight[FROM_X], flight[FROM_Y], slot[at], table, i, flight, dt)
    elif number == _COMMAND.follow:
        for k in range(3):
            flight[X + k], flight[VX + k], flight[AX + k] = slot[at + k], slot[at + 3 + k], slot[at + 6 + k]
        flight[YAW], flight[TURN] = slot[at + 9], slot[at + 10]
    elif number == _COMMAND.set_velocity:
        drift(slot, table, i, position, flight, dt)
    elif number == _COMMAND.eight:
        eight(slot, flight, dt)
    elif number == _COMMAND.land:
        descend(position, flight, dt)


@compiled
def approach(x: float, y: float, z: float, table: Floats, i: int, flight: Floats, dt: float) -> None:
    """Move what is wanted towards a place, within the limits of speed and acceleration."""
    fastest, strongest = table[_COLUMN.max_speed, i], table[_COLUMN.max_acceleration, i]
    dx, dy, dz = x - flight[X], y - flight[Y], z - flight[Z]
    away = math.sqrt(dx * dx + dy * dy + dz * dz)
    # so slow that half of the acceleration stops it in time
    speed = min(fastest, math.sqrt(strongest * away), away / max(dt, 0.2))
    share = speed / away if away > 0.0 else 0.0
    steer(share * dx, share * dy, share * dz, strongest, flight, dt)


@compiled
def steer(vx: float, vy: float, vz: float, strongest: float, flight: Floats, dt: float) -> None:
    """Change the wanted velocity towards another one, and the wanted place with it."""
    ax, ay, az = (vx - flight[VX]) / dt, (vy - flight[VY]) / dt, (vz - flight[VZ]) / dt
    size = math.sqrt(ax * ax + ay * ay + az * az)
    share = min(1.0, strongest / size) if size > 0.0 else 0.0
    flight[AX], flight[AY], flight[AZ] = share * ax, share * ay, share * az
    for k in range(3):
        flight[VX + k] += flight[AX + k] * dt
        flight[X + k] += flight[VX + k] * dt


@compiled
def drift(slot: Floats, table: Floats, i: int, position: Floats, flight: Floats, dt: float) -> None:
    """Want a velocity; the wanted place stays near the robot."""
    vx, vy, vz, fastest = slot[VALUES], slot[VALUES + 1], slot[VALUES + 2], table[_COLUMN.max_speed, i]
    size = math.sqrt(vx * vx + vy * vy + vz * vz)
    share = min(1.0, fastest / size) if size > 0.0 else 0.0
    steer(share * vx, share * vy, share * vz, table[_COLUMN.max_acceleration, i], flight, dt)
    for k in range(3):
        flight[X + k] = min(max(flight[X + k], position[k] - _LEASH), position[k] + _LEASH)
    flight[TURN] = slot[VALUES + 3]
    flight[YAW] += flight[TURN] * dt


@compiled
def eight(slot: Floats, flight: Floats, dt: float) -> None:
    """Want to be on an eight: a sine along x, and one of twice the frequency along y or z."""
    length, width, period = slot[VALUES], slot[VALUES + 1], max(slot[VALUES + 2], 1.0)
    rate = 2.0 * math.pi / period
    # it sets off slowly: the phase runs up to its speed within a quarter of a round
    ramp = 0.25 * period
    share = min(flight[SINCE] / ramp, 1.0)
    phase = rate * (0.5 * flight[SINCE] * share if share < 1.0 else flight[SINCE] - 0.5 * ramp)
    speed, gain = rate * share, rate / ramp if share < 1.0 else 0.0
    rule = 2 if slot[VALUES + 3] > 0.5 else 1
    flight[VX : VZ + 1] = 0.0
    flight[X], flight[Y], flight[Z] = flight[FROM_X], flight[FROM_Y], flight[FROM_Z]
    sin, cos, sin2, cos2 = math.sin(phase), math.cos(phase), math.sin(2.0 * phase), math.cos(2.0 * phase)
    half, side = 0.5 * length, 0.5 * width
    flight[X] += half * sin
    flight[VX], flight[AX] = half * cos * speed, half * (cos * gain - sin * speed * speed)
    flight[X + rule] += side * sin2
    flight[VX + rule] = 2.0 * side * cos2 * speed
    flight[AX + rule] = side * (2.0 * cos2 * gain - 4.0 * sin2 * speed * speed)
    flight[TURN] = slot[VALUES + 4]
    flight[YAW] += flight[TURN] * dt


@compiled
def descend(position: Floats, flight: Floats, dt: float) -> None:
    """Want to come down; on the floor the robot is done."""
    flight[X], flight[Y], flight[VX], flight[VY] = flight[FROM_X], flight[FROM_Y], 0.0, 0.0
    flight[VZ] = -_SINKING
    flight[Z] = max(flight[Z] - _SINKING * dt, position[2] - 0.5 * _LEASH)
    if position[2] < _LANDED:
        flight[FLIES] = 0.0


@compiled
def outer_loop(table: Floats, i: int, sensors: Sensors, flight: Floats, command: Ints, dt: float) -> None:
    """Write what the inner loop should do, so that the robot comes to where it should be.

    Args:
        table: Parameters of all robots.
        i: Which robot.
        sensors: Of all robots.
        flight: Memory of this robot.
        command: Written, see `inner_loop`.
        dt: Length of the tick [s].
    """
    _, _, position, orientation, velocity = sensors
    gains = table[_COLUMN.bandwidth, i], table[_COLUMN.integral, i]
    x = pull(gains, 0, position[i], velocity[i], flight, dt)
    y = pull(gains, 1, position[i], velocity[i], flight, dt)
    z = pull(gains, 2, position[i], velocity[i], flight, dt)
    up = min(max(GRAVITY + z, 0.3 * GRAVITY), 2.0 * GRAVITY)
    level, lean = math.sqrt(x * x + y * y), math.tan(table[_COLUMN.max_tilt, i])
    share = min(1.0, lean * up / level) if level > 0.0 else 0.0
    x, y = share * x, share * y
    size = math.sqrt(x * x + y * y + up * up)
    yaw = heading(orientation[i])
    cos, sin = math.cos(yaw), math.sin(yaw)
    command[inner.WANTED_X] = fixed(-(x * cos + y * sin) / size, inner.UP_BITS)
    command[inner.WANTED_Y] = fixed(-(y * cos - x * sin) / size, inner.UP_BITS)
    off = flight[YAW] - yaw
    off -= 2.0 * math.pi * math.floor(off / (2.0 * math.pi) + 0.5)
    turn = flight[TURN] + table[_COLUMN.yaw_gain, i] * off
    command[inner.WANTED_TURN] = fixed(min(max(turn, -_MAX_RATE), _MAX_RATE), inner.GYRO_BITS)
    upright = 1.0 - 2.0 * (orientation[i, 1] ** 2 + orientation[i, 2] ** 2)
    thrust = table[_COLUMN.mass, i] * up / max(upright, 0.5)
    command[inner.WANTED_THRUST] = fixed(thrust, inner.THRUST_BITS)


@compiled
def pull(gains: tuple[float, float], k: int, position: Floats, velocity: Floats, flight: Floats, dt: float) -> float:
    """Return the acceleration along axis `k` that brings the robot to where it should be [m/s2].

    Args:
        gains: Bandwidth of the loop, and the rate at which lasting errors are taken away [1/s].
        k: 0, 1 or 2.
        position: Where it is, shape (3,).
        velocity: How fast it moves, shape (3,).
        flight: Memory of this robot.
        dt: Length of the tick [s].
    """
    bandwidth, integral = gains
    stiffness = bandwidth * bandwidth
    error = flight[X + k] - position[k]
    total = flight[SUM_X + k] + integral * stiffness * error * dt
    flight[SUM_X + k] = min(max(total, -_MOST_SUM), _MOST_SUM)
    speed = _DAMPING * bandwidth * (flight[VX + k] - velocity[k])
    return float(flight[AX + k] + stiffness * error + speed + flight[SUM_X + k])


@compiled
def fixed(value: float, bits: int) -> int:
    """Return a number as a multiple of 2^-bits, the nearest one that fits 32 bits."""
    scaled = math.floor(value * float(1 << bits) + 0.5)
    return int(min(max(scaled, -2147483648.0), 2147483647.0))


@compiled
def measured(values: Floats, bits: int, out: Ints) -> None:
    """Write measurements as a converter of 16 bits gives them; what is no number counts as 0."""
    for k in range(values.size):
        value = values[k] if math.isfinite(values[k]) else 0.0
        out[k] = min(max(fixed(value, bits), -32768), 32767)


@compiled
def set_up(table: Floats, i: int, rotor: tuple[float, float, float], dt: float, settings: Ints) -> None:
    """Write the settings of the inner loop that follow from parameters.

    Args:
        table: Parameters of all robots.
        i: Which robot.
        rotor: Arm, torque per thrust and largest thrust of its rotors.
        dt: Length of the tick [s].
        settings: Written, see `inner_loop`.
    """
    arm, torque, most = rotor
    settings[inner.STEP] = fixed(dt, inner.STEP_BITS)
    settings[inner.LEVEL] = fixed(min(dt / table[_COLUMN.level_time, i], 1.0), inner.STEP_BITS)
    settings[inner.ATTITUDE] = fixed(table[_COLUMN.attitude_gain, i], inner.ATTITUDE_BITS)
    settings[inner.RATE] = fixed(table[_COLUMN.inertia, i] * table[_COLUMN.rate_gain, i] / (2.0 * arm), inner.RATE_BITS)
    turning = table[_COLUMN.inertia_yaw, i] * table[_COLUMN.yaw_rate_gain, i]
    settings[inner.YAW] = fixed(turning / (4.0 * torque) if torque > 0.0 else 0.0, inner.YAW_BITS)
    settings[inner.MAX_RATE] = fixed(_MAX_RATE, inner.GYRO_BITS)
    settings[inner.MAX_THRUST] = fixed(most, inner.THRUST_BITS)
