"""The attitude loop of a quadrotor in whole numbers, as it runs on a microcontroller.

It reckons with fixed point: a number with q bits after the point is kept as its multiple of 2^-q. It knows nothing but
the measurements of its inertial measurement unit and what the position loop asks for. What is written here is compiled
for the simulator and written out in C for a board (`coopsim generate firmware`), so it keeps to integers, `if`, and the
operators that both languages share; all numbers fit 64 bits on the way and 32 bits in arrays.

Source: SwarmSimX, section 3.1 (an inner loop in integers on a fixed-point microcontroller, fed by the onboard unit).
"""

from coopsim.geometry import Ints
from coopsim.kernels import compiled
from coopsim.kernels.constants import GRAVITY

GYRO_BITS, FORCE_BITS, UP_BITS, STEP_BITS = 11, 8, 24, 20
"""Bits after the point of rates of turn [rad/s], specific forces [m/s2], directions [1] and the period [s]."""
THRUST_BITS, ATTITUDE_BITS, RATE_BITS, YAW_BITS = 10, 8, 13, 13
"""Bits of thrusts [N], of the attitude gain [1/s] and of the rate gains [N s/rad]."""
UP_X, UP_Y, UP_Z, IS_READY = range(4)
"""State: the direction of up in the frame of the robot, and whether it was ever set."""
WANTED_X, WANTED_Y, WANTED_TURN, WANTED_THRUST = range(4)
"""Command: where up should be in the frame of the robot (x, y), rate of turn about z, thrust of all rotors."""
STEP, LEVEL, ATTITUDE, RATE, YAW, MAX_RATE, MAX_THRUST = range(7)
"""Settings: the period, share of the accelerometer in each period, gains, limits of rates and of a thrust."""
STATES, COMMANDS, SETTINGS = 4, 4, 7  # widths of the arrays that compiled code gets

_ONE = 1 << UP_BITS  # 1.0 in fixed point, as the flight controller's firmware has it
_FORCE_TO_UP = round(2.0**UP_BITS / (GRAVITY * 2.0**FORCE_BITS))
_ERROR_BITS = 15  # of an error, so that its product with a gain stays within 32 bits


@compiled
def limited(value: int, limit: int) -> int:
    """Return the value within -limit and limit."""
    if value > limit:
        return limit
    if value < -limit:
        return -limit
    return value


@compiled
def positive(value: int, limit: int) -> int:
    """Return the value within 0 and limit."""
    if value > limit:
        return limit
    if value < 0:
        return 0
    return value


@compiled
def estimate_up(gyro: Ints, force: Ints, settings: Ints, state: Ints) -> None:
    """Turn the direction of up with the robot, and draw it a little to where the accelerometer feels it.

    Args:
        gyro: Rate of turn about x, y, z, shape (3,).
        force: Specific force along x, y, z, shape (3,).
        settings: Shape (SETTINGS,).
        state: Changed, shape (STATES,).
    """
    felt_x = force[0] * _FORCE_TO_UP
    felt_y = force[1] * _FORCE_TO_UP
    felt_z = force[2] * _FORCE_TO_UP
    if state[IS_READY] == 0:
        state[IS_READY] = 1
        state[UP_X] = limited(felt_x, _ONE)
        state[UP_Y] = limited(felt_y, _ONE)
        state[UP_Z] = limited(felt_z, _ONE)
    x = state[UP_X]
    y = state[UP_Y]
    z = state[UP_Z]
    a = (gyro[0] * settings[STEP]) >> (GYRO_BITS + STEP_BITS - UP_BITS)
    b = (gyro[1] * settings[STEP]) >> (GYRO_BITS + STEP_BITS - UP_BITS)
    c = (gyro[2] * settings[STEP]) >> (GYRO_BITS + STEP_BITS - UP_BITS)
    u = x + ((y * c - z * b) >> UP_BITS) + (((felt_x - x) * settings[LEVEL]) >> STEP_BITS)
    v = y + ((z * a - x * c) >> UP_BITS) + (((felt_y - y) * settings[LEVEL]) >> STEP_BITS)
    w = z + ((x * b - y * a) >> UP_BITS) + (((felt_z - z) * settings[LEVEL]) >> STEP_BITS)
    # one step of Newton's method brings the length back to 1
    scale = (3 * _ONE - ((u * u + v * v + w * w) >> UP_BITS)) >> 1
    state[UP_X] = limited((u * scale) >> UP_BITS, 2 * _ONE)
    state[UP_Y] = limited((v * scale) >> UP_BITS, 2 * _ONE)
    state[UP_Z] = limited((w * scale) >> UP_BITS, 2 * _ONE)


@compiled
def inner_loop(gyro: Ints, command: Ints, settings: Ints, state: Ints, thrusts: Ints) -> None:
    """Write the thrusts that turn the robot as the position loop asks.

    Args:
        gyro: Rate of turn about x, y, z, shape (3,).
        command: Shape (COMMANDS,).
        settings: Shape (SETTINGS,).
        state: Shape (STATES,).
        thrusts: Written: of the rotors at the front, left, rear and right, shape (4,).
    """
    error_x = (command[WANTED_Y] - state[UP_Y]) >> (UP_BITS - _ERROR_BITS)
    error_y = (state[UP_X] - command[WANTED_X]) >> (UP_BITS - _ERROR_BITS)
    shift = ATTITUDE_BITS + _ERROR_BITS - GYRO_BITS
    turn_x = limited((settings[ATTITUDE] * error_x) >> shift, settings[MAX_RATE])
    turn_y = limited((settings[ATTITUDE] * error_y) >> shift, settings[MAX_RATE])
    turn_z = limited(command[WANTED_TURN], settings[MAX_RATE])
    shift = RATE_BITS + GYRO_BITS - THRUST_BITS
    base = command[WANTED_THRUST] >> 2
    roll = (settings[RATE] * (turn_x - gyro[0])) >> shift
    pitch = (settings[RATE] * (turn_y - gyro[1])) >> shift
    # tilt matters more than heading: what turns about z leaves three quarters of the thrust to the others
    yaw = limited((settings[YAW] * (turn_z - gyro[2])) >> shift, base >> 2)
    thrusts[0] = positive(base - pitch + yaw, settings[MAX_THRUST])
    thrusts[1] = positive(base + roll - yaw, settings[MAX_THRUST])
    thrusts[2] = positive(base + pitch + yaw, settings[MAX_THRUST])
    thrusts[3] = positive(base - roll - yaw, settings[MAX_THRUST])
