"""The force a pymunk joint exerts, as a vector.

pymunk tells how strong the impulse of a joint was, but not where it pointed. The solver's own vector lies in the memory
of the joint; where, is found out once by joints whose impulse is known.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pymunk
from pymunk._chipmunk_cffi import ffi

from coopsim.errors import EngineCannot
from coopsim.geometry import Floats, Ints

_DT = 0.01  # s; any step shows the same pair of numbers
_NUMBER = 8
"""Bytes of a number."""
_FORCES = ((3.0, -5.0), (-7.0, 11.0))  # two that share no number: what matches both by chance is no constant


def impulse_of(joint: Any, *, is_pivot: bool) -> int:
    """Return the address of the impulse x y on the second body in the last step [N s].

    Args:
        joint: A pivot or a groove joint of Chipmunk.
        is_pivot: Which of both.

    Raises:
        EngineCannot: This version of pymunk keeps it elsewhere.
    """
    return int(ffi.cast("uintptr_t", joint)) + _NUMBER * _impulse_index(is_pivot)


def side_by_side(impulses: Sequence[int]) -> tuple[Floats, Ints]:
    """Return one view of the memory with the impulses at these addresses, and their indices in it, shape (j, 2).

    Nothing but these numbers may be read in it: what lies between them belongs to others.
    """
    if not impulses:
        return np.zeros(0), np.zeros((0, 2), np.int64)
    addresses = np.array(impulses, np.int64)
    first = int(addresses.min())
    indices = ((addresses - first) // _NUMBER)[:, np.newaxis] + np.arange(2)
    length = _NUMBER * (int(indices.max()) + 1)
    return np.frombuffer(ffi.buffer(ffi.cast("char *", first), length), np.float64), indices


@cache
def _impulse_index(is_pivot: bool) -> int:
    """Return the index of the impulse in the memory of a pivot or a groove joint."""
    places = set.intersection(*(_matches(is_pivot, np.array(force)) for force in _FORCES))
    if len(places) != 1:
        raise EngineCannot(f"joints cannot be measured with pymunk {pymunk.version}; install pymunk 7.3")
    return places.pop()


def _matches(is_pivot: bool, force: Floats) -> set[int]:
    """Return where in the memory of a joint that holds a body against `force` its impulse may be."""
    space, body = pymunk.Space(), pymunk.Body(1.0, 1.0)
    ends, expected = (space.static_body, body), -_DT * force
    # how many numbers of 8 bytes the memory of a joint has at least
    joint: Any = pymunk.PivotJoint(*ends, (0.0, 0.0), (0.0, 0.0))
    size = 29
    if not is_pivot:
        joint, size = pymunk.GrooveJoint(*ends, (-4.0, -8.0), (4.0, 8.0), (0.0, 0.0)), 36
        across = np.array([-2.0, 1.0]) / np.sqrt(5.0)
        expected = (expected @ across) * across
    space.add(body, joint)
    body.force = force[0], force[1]
    space.step(_DT)
    # all neighbouring pairs of the joint's memory: the impulse is one of them
    memory = ffi.cast("char *", joint._constraint)  # noqa: SLF001 - pymunk gives out addresses of bodies alone
    numbers = np.frombuffer(ffi.buffer(memory, _NUMBER * size), np.float64)
    pairs = np.stack([numbers[:-1], numbers[1:]], axis=1)
    return set(np.flatnonzero(np.isclose(pairs, expected, rtol=1e-9, atol=0.0).all(axis=1)).tolist())
