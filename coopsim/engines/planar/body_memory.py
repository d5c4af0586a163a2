"""Bodies in the memory of Chipmunk: forces are written into them and states read out of them, without calls.

Chipmunk's own functions are called once or twice for each number of each body, which takes a tenth of a step of many
bodies. Where the numbers lie is found out once, by a body whose numbers are known; for a version of pymunk that keeps
them otherwise, and for bodies whose centre of mass is not their middle, Chipmunk's functions are called.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np
import pymunk
from numpy.typing import NDArray
from pymunk._chipmunk_cffi import ffi

from coopsim.geometry import Floats, Ints
from coopsim.kernels import floats_at, inlined

_WORDS = 26
"""Numbers that are looked through: all up to the transform and the bias velocities; a body has more."""
_BYTES = 8  # of a number
# what no two numbers of a body have in common, so that what is equal is no chance
_POSITION, _VELOCITY, _FORCE, _CENTRE = (1.2345, -2.3456), (3.4567, -4.5678), (5.6789, -6.789), (0.0625, -0.8125)
_ANGLE, _SPIN, _TORQUE = 0.7654, -8.7654, 9.8765
# places in what `memory_of` returns; the addresses of bodies follow
_COUNT, _AT_POSITION, _AT_VELOCITY, _AT_FORCE, _AT_ANGLE, _AT_SPIN, _AT_TORQUE, _BODIES = range(8)


def memory_of(space: pymunk.Space, listed: NDArray[np.uintp]) -> Ints:
    """Return for `write_forces` and `read_bodies` where the bodies are; nothing where Chipmunk must be asked.

    Args:
        space: Whose bodies.
        listed: Their names (`pymunk.Body.id`) in the order of forces and states.
    """
    places = _places()
    if places is None:
        return np.zeros(0, np.int64)
    *found, centre = places
    # what stands fast has one body, which is visited as well
    address_of = {body.id: _address(body) for body in (*space.bodies, space.static_body)}
    bodies = [address_of[name] for name in listed.tolist()]
    # positions are those of centres of mass
    if any(_numbers(body)[centre : centre + 2].any() for body in bodies):
        return np.zeros(0, np.int64)
    return np.array([len(bodies), *found, *bodies], np.int64)


def _address(body: pymunk.Body) -> int:
    return int(ffi.cast("uintptr_t", body._body))  # noqa: SLF001 - pymunk gives it out in bulk alone


def _numbers(address: int) -> Floats:
    """Return the first numbers of a body as a live view."""
    return np.frombuffer(ffi.buffer(ffi.cast("char *", address), _BYTES * _WORDS), np.float64)


@cache
def _places() -> tuple[int, ...] | None:
    """Return which numbers of a body are its position, velocity, force, angle, spin, torque and centre of mass."""
    body, shifted = pymunk.Body(2.0, 3.0), pymunk.Body(2.0, 3.0)
    body.position, body.velocity, body.force = _POSITION, _VELOCITY, _FORCE
    body.angle, body.angular_velocity, body.torque = _ANGLE, _SPIN, _TORQUE
    shifted.center_of_gravity = _CENTRE
    numbers = _numbers(_address(body))
    vectors = [_matches(numbers, vector) for vector in (_POSITION, _VELOCITY, _FORCE)]
    scalars = [_matches(numbers, (scalar,)) for scalar in (_ANGLE, _SPIN, _TORQUE)]
    centres = _matches(_numbers(_address(shifted)), _CENTRE)
    # the position is the end of the transform, too: the first is what steps move
    if not vectors[0] or any(len(places) != 1 for places in (*vectors[1:], *scalars, centres)):
        return None
    return tuple(places[0] for places in (*vectors, *scalars, centres))


def _matches(numbers: Floats, pattern: Sequence[float]) -> list[int]:
    """Return where numbers follow each other as in a pattern."""
    last = numbers.size - len(pattern)
    return [k for k in range(last + 1) if numbers[k : k + len(pattern)].tolist() == list(pattern)]


@inlined
def write_forces(memory: Ints, forces: Floats) -> None:
    """Write force x, y and torque z of all bodies, shape (n, 3) [N, N m]."""
    at, at_torque = memory[_AT_FORCE], memory[_AT_TORQUE]
    for k in range(memory[_COUNT]):
        body = floats_at(memory[_BODIES + k], _WORDS)
        body[at], body[at + 1], body[at_torque] = forces[k, 0], forces[k, 1], forces[k, 2]


@inlined
def read_bodies(memory: Ints, states: Floats) -> None:
    """Read x y yaw vx vy w of all bodies, shape (n, 6)."""
    at, at_velocity = memory[_AT_POSITION], memory[_AT_VELOCITY]
    at_angle, at_spin = memory[_AT_ANGLE], memory[_AT_SPIN]
    for k in range(memory[_COUNT]):
        body = floats_at(memory[_BODIES + k], _WORDS)
        states[k, 0], states[k, 1], states[k, 2] = body[at], body[at + 1], body[at_angle]
        states[k, 3], states[k, 4], states[k, 5] = body[at_velocity], body[at_velocity + 1], body[at_spin]
