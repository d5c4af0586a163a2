"""Compiled servos of arms and grippers, and the forward kinematics of a tool."""

import math

import numpy as np
from numpy.typing import NDArray

from coopsim.geometry import Floats, Ints
from coopsim.interfaces import GRIPPER, JOINTS, columns, command_numbers
from coopsim.kernels import compiled, inlined
from coopsim.state.layout import NUMBER, VALUES

_JOINTS, _GRIPPER = command_numbers(JOINTS), command_numbers(GRIPPER)
_ARM, _HAND = columns(JOINTS), columns(GRIPPER)
_PROPORTIONAL, _INTEGRAL = 0.5, 0.05
"""Shares of a speed error that motors take away in one tick."""
_HOLDING = 0.9
"""Part of the largest force from which on fingers that stand still hold something."""
_STANDS, _NEAR = 0.005, 1e-3  # m/s, m
_SQUEEZE = 0.3  # as _INTEGRAL, of fingers
_CREEP = 1e-3  # rad/s; so that the last bit of the way is gone, too
_FORGET = 0.9
_SLOW = 0.01  # rad/s, m/s; below it friction is borne in part


@compiled
def plan(
    commands: Floats,
    motion: tuple[Floats, Floats],
    bounds: tuple[Floats, Floats],
    table: Floats,
    memory: tuple[Floats, Floats],
    dt: float,
    wanted: Floats,
) -> None:
    """Write the acceleration that each joint of an arm should have.

    Args:
        commands: Stamp, number and values of each robot, shape (n, 2 + values).
        motion: Positions and velocities, shape (n, k) each.
        bounds: Lowest and highest positions, shape (n, k, 2); largest speeds, shape (k,).
        table: Parameters.
        memory: Speeds that were wanted last, shape (n, k); sums and efforts, shape (n, 2 k).
        dt: Length of the tick [s].
        wanted: Written, shape (n, k) [rad/s2].
    """
    (positions, velocities), (limits, fastest), (speeds, motors) = motion, bounds, memory
    for i in range(wanted.shape[0]):
        number, most = commands[i, NUMBER], table[_ARM.max_acceleration, i]
        for k in range(wanted.shape[1]):
            value, speed = commands[i, VALUES + k], 0.0
            if math.isfinite(value) and number == _JOINTS.set_positions:
                way = min(max(value, limits[i, k, 0]), limits[i, k, 1]) - positions[i, k]
                speed = _approach(way, table[_ARM.gain, i], most, dt)
            elif math.isfinite(value) and number == _JOINTS.set_velocities:
                # stop in time before a limit
                end = limits[i, k, 1] if value > 0.0 else limits[i, k, 0]
                room = abs(_approach(end - positions[i, k], table[_ARM.gain, i], most, dt))
                speed = min(max(value, -room), room)
            speed = min(max(speed, -fastest[k]), fastest[k])
            change = min(max(speed - speeds[i, k], -most * dt), most * dt)
            error = (speeds[i, k] - velocities[i, k]) / dt
            speeds[i, k] += change
            if number >= _JOINTS.set_efforts:
                speeds[i, k], motors[i, k], wanted[i, k] = velocities[i, k], 0.0, 0.0
                continue
            motors[i, k] += _INTEGRAL * error
            wanted[i, k] = change / dt + _PROPORTIONAL * error + motors[i, k]


@inlined
def _approach(way: float, gain: float, most: float, dt: float) -> float:
    """Return the speed of a joint that has a way to go and can be braked before its end."""
    distance = abs(way)
    if distance == math.inf:
        return math.copysign(math.inf, way)
    # the tick that has begun counts, too
    stopping = math.sqrt(most * (2.0 * distance + most * dt * dt)) - most * dt
    return math.copysign(min(gain * distance, max(stopping, 0.0) + _CREEP), way)


@compiled
def bear(commands: Floats, resists: Floats, motion: tuple[Floats, Floats], efforts: Floats) -> None:
    """Add what joints resist at the speeds that are wanted; not to efforts that are commanded.

    Args:
        commands: As those of `plan`.
        resists: Damping, friction, stiffness and rest of each joint, shape (n, k, 4).
        motion: Positions, and the speeds that are wanted, shape (n, k) each.
        efforts: Efforts, added to, shape (n, k).
    """
    positions, speeds = motion
    for i in range(efforts.shape[0]):
        if commands[i, NUMBER] >= _JOINTS.set_efforts:
            continue
        for k in range(efforts.shape[1]):
            speed = speeds[i, k]
            # without a jump where it turns: what is left the integral part finds
            rubbing = resists[i, k, 1] * min(max(speed / _SLOW, -1.0), 1.0)
            efforts[i, k] += (
                resists[i, k, 0] * speed + rubbing + resists[i, k, 2] * (positions[i, k] - resists[i, k, 3])
            )


@compiled
def push(commands: Floats, results: Floats, wanted: Floats, most: Floats, motors: Floats, efforts: Floats) -> None:
    """Write the efforts of an arm, as commanded and within the motors' limits.

    Args:
        commands: As those of `plan`.
        results: Efforts that give the wanted accelerations, shape (n, k).
        wanted: These accelerations, shape (n, k).
        most: Largest efforts, shape (k,).
        motors: Sums and efforts, shape (n, 2 k).
        efforts: Written, shape (n, k).
    """
    count = wanted.shape[1]
    for i in range(wanted.shape[0]):
        for k in range(count):
            effort, value = results[i, k], commands[i, VALUES + k]
            if commands[i, NUMBER] == _JOINTS.set_efforts and math.isfinite(value):
                effort += value
            if commands[i, NUMBER] == _JOINTS.release:
                effort = 0.0
            _limit(i, k, effort, wanted[i, k], most[k], motors)
            efforts[i, k] = motors[i, count + k]


@inlined
def _limit(i: int, k: int, effort: float, wanted: float, most: float, motors: Floats) -> None:
    """Note an effort within its limit; what the motor cannot give must not add up."""
    count = motors.shape[1] // 2
    # an engine that knows the limits asks for no more than they are
    if (abs(effort) > most or abs(effort) == most > 0.0) and motors[i, k] * wanted > 0.0:
        motors[i, k] *= _FORGET
    motors[i, count + k] = min(max(effort, -most), most)


@compiled
def squeeze(
    commands: Floats,
    motion: tuple[Floats, Floats],
    limits: Floats,
    table: Floats,
    motors: Floats,
    dt: float,
    wanted: Floats,
) -> None:
    """Write the acceleration that each finger should have; arguments as those of `plan`."""
    positions, velocities = motion
    for i in range(wanted.shape[0]):
        number, opening = commands[i, NUMBER], commands[i, VALUES]
        most, gain = table[_HAND.max_velocity, i], table[_HAND.gain, i]
        for k in range(wanted.shape[1]):
            goal = positions[i, k]
            if number == _GRIPPER.grasp:
                goal = limits[i, k, 0] - 1.0
            elif number == _GRIPPER.release:
                goal = 0.0
            elif number == _GRIPPER.set_opening and math.isfinite(opening):
                goal = 0.5 * (opening - table[_HAND.widest, i])
            speed = min(max(gain * (goal - positions[i, k]), -most), most)
            error = (speed - velocities[i, k]) / dt
            motors[i, k] += _SQUEEZE * error
            wanted[i, k] = _PROPORTIONAL * error + motors[i, k]


@compiled
def clip(results: Floats, wanted: Floats, table: Floats, motors: Floats, efforts: Floats) -> None:
    """Write the efforts of fingers within their limits; arguments as those of `push`."""
    count = wanted.shape[1]
    for i in range(wanted.shape[0]):
        for k in range(count):
            _limit(i, k, results[i, k], wanted[i, k], table[_HAND.max_effort, i], motors)
            efforts[i, k] = motors[i, count + k]


@compiled
def copy_columns(source: Floats, first: int, target: Floats, at: int) -> None:
    """Copy the columns from `first` on to those from `at` on, as many as both have, rows by rows."""
    for i in range(target.shape[0]):
        for k in range(min(source.shape[1] - first, target.shape[1] - at)):
            target[i, at + k] = source[i, first + k]


@compiled
def add_efforts(joints: Ints, motor_efforts: Floats, efforts: Floats) -> None:
    """Add what motors give, shape (n, k), to the efforts of all joints, shape (j,)."""
    for i in range(motor_efforts.shape[0]):
        for k in range(motor_efforts.shape[1]):
            efforts[joints[i, k]] += motor_efforts[i, k]


@compiled
def show(positions: Floats, velocities: Floats, motors: Floats, out: Floats) -> None:
    """Write positions, velocities and efforts, shape (n, 3 k)."""
    count = positions.shape[1]
    for i in range(positions.shape[0]):
        for k in range(count):
            out[i, k], out[i, count + k], out[i, 2 * count + k] = (
                positions[i, k],
                velocities[i, k],
                motors[i, count + k],
            )


@compiled
def feel(motion: tuple[Floats, Floats], limits: Floats, table: Floats, motors: Floats, out: Floats) -> None:
    """Write opening, force, and whether something keeps the fingers from closing, shape (n, 3)."""
    positions, velocities = motion
    count = positions.shape[1]
    for i in range(positions.shape[0]):
        way, force, holds = 0.0, 0.0, True
        for k in range(count):
            effort = motors[i, count + k]
            way, force = way + positions[i, k] / count, force + abs(effort) / count
            closes = effort < -_HOLDING * table[_HAND.max_effort, i] and abs(velocities[i, k]) < _STANDS
            holds = holds and closes and positions[i, k] > limits[i, k, 0] + _NEAR
        out[i, 0], out[i, 1], out[i, 2] = table[_HAND.widest, i] + 2.0 * way, force, holds


@compiled
def reckon(positions: Floats, slides: NDArray[np.bool_], axes: Floats, home: Floats, out: Floats) -> None:
    """Write the pose of each tool: the product of the motions of its joints, the first one outermost.

    Args:
        positions: Of the joints, shape (n, k) [rad, m].
        slides: Which joints are slides, shape (k,).
        axes: A point of each axis and the axis, all joints at 0, shape (k, 6).
        home: Pose of the tool then, shape (7,).
        out: Written: place and quaternion w x y z, shape (n, 7).
    """
    for row in range(positions.shape[0]):
        x, y, z = home[0], home[1], home[2]
        w, i, j, k = home[3], home[4], home[5], home[6]
        for joint in range(axes.shape[0] - 1, -1, -1):
            angle = positions[row, joint]
            u, v, t = axes[joint, 3], axes[joint, 4], axes[joint, 5]
            if slides[joint]:
                x, y, z = x + angle * u, y + angle * v, z + angle * t
                continue
            c, s = np.cos(0.5 * angle), np.sin(0.5 * angle)
            a, b, d = s * u, s * v, s * t
            p, q, r = x - axes[joint, 0], y - axes[joint, 1], z - axes[joint, 2]
            e, f, g = 2.0 * (b * r - d * q), 2.0 * (d * p - a * r), 2.0 * (a * q - b * p)
            x = axes[joint, 0] + p + c * e + b * g - d * f
            y = axes[joint, 1] + q + c * f + d * e - a * g
            z = axes[joint, 2] + r + c * g + a * f - b * e
            w, i, j, k = (
                c * w - a * i - b * j - d * k,
                c * i + a * w + b * k - d * j,
                c * j - a * k + b * w + d * i,
                c * k + a * j - b * i + d * w,
            )
        out[row, 0], out[row, 1], out[row, 2] = x, y, z
        out[row, 3], out[row, 4], out[row, 5], out[row, 6] = w, i, j, k
