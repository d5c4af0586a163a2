"""Bodies in the memory of Chipmunk: forces are written into them and states read out of them, without calls.

Chipmunk's own functions are called once or twice for each number of each body, which takes a tenth of a step of many
bodies. For a version of pymunk that keeps the numbers elsewhere these functions are called.
"""

from functools import cache

import numpy as np
import pymunk
from numpy.typing import NDArray
from pymunk._chipmunk_cffi import ffi

from coopsim.geometry import Floats, Ints
from coopsim.kernels import floats_at, inlined

CENTRE, VELOCITY, FORCE, ANGLE, SPIN, TORQUE, TRANSFORM = 8, 10, 12, 14, 15, 16, 17
"""Numbers of a body, of 64 bits each: a transform has six, vectors have two.

Source: `chipmunk_structs.h` of Munk2D 2.0, which pymunk 7.3 holds.
"""
_WORDS = TRANSFORM + 6
"""Numbers of a body that are read here; it has more."""


def memory_of(listed: NDArray[np.uintp]) -> Ints:
    """Return addresses for `write_forces` and `read_bodies`, in this order; none where Chipmunk must be asked."""
    return listed.astype(np.int64) if is_known() else np.zeros(0, np.int64)


@cache
def is_known() -> bool:
    """Return whether this version of pymunk keeps the numbers of a body where they are expected."""
    # no two of these numbers are the same, so that what is equal is no chance
    body = pymunk.Body(2.0, 3.0)
    body.center_of_gravity, body.angle, body.position = (0.25, 0.5), 0.75, (5.0, 6.0)
    body.velocity, body.force, body.angular_velocity, body.torque = (3.5, -4.5), (5.25, -6.25), -8.75, 9.125
    address = ffi.cast("uintptr_t", body._body)  # noqa: SLF001 - pymunk gives it out in bulk alone
    numbers = floats_at(int(address), _WORDS)
    turn, centre = body.rotation_vector, body.local_to_world(body.center_of_gravity)
    moved = (*centre, *body.velocity, *body.force, body.angle, body.angular_velocity, body.torque)
    placed = (turn.x, turn.y, -turn.y, turn.x, *body.position)
    return tuple(numbers[CENTRE:TRANSFORM]) == moved and tuple(numbers[TRANSFORM:]) == placed


@inlined
def write_forces(memory: Ints, forces: Floats) -> None:
    """Write force x, y and torque z of all bodies, shape (n, 3) [N, N m]."""
    for k in range(memory.size):
        body = floats_at(memory[k], _WORDS)
        body[FORCE], body[FORCE + 1], body[TORQUE] = forces[k, 0], forces[k, 1], forces[k, 2]


@inlined
def read_bodies(memory: Ints, states: Floats) -> None:
    """Read x y yaw vx vy w of all bodies, shape (n, 6)."""
    for k in range(memory.size):
        body = floats_at(memory[k], _WORDS)
        for axis in range(2):
            states[k, axis] = origin(body, axis)
            states[k, 3 + axis] = body[VELOCITY + axis]
        states[k, 2], states[k, 5] = body[ANGLE], body[SPIN]


@inlined
def origin(body: Floats, axis: int) -> float:
    """Return where the origin of a body is, along x or y [m]."""
    # turned and moved as Chipmunk does it: a sum with zeros decides whether a place is 0.0 or -0.0
    place: float = body[TRANSFORM + axis] * 0.0 + body[TRANSFORM + 2 + axis] * 0.0 + body[TRANSFORM + 4 + axis]
    return place
