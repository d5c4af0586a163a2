"""Layout of Chipmunk's structures in memory, as far as batches of worlds read and write them.

Source: `chipmunk_structs.h`, `cpBBTree.c`, `cpHashSet.c` and `cpSpaceStep.c` of Munk2D 2.0, which pymunk 7.3 holds. All
numbers are words of 64 bits. `check_layout` finds out whether they hold.
"""

import ctypes
import math
from collections.abc import Iterator
from functools import cache

import pymunk
from pymunk import _chipmunk
from pymunk._chipmunk_cffi import ffi

from coopsim.engines.planar.body_memory import is_known
from coopsim.errors import EngineCannot
from coopsim.geometry import Ints
from coopsim.kernels.foreign import floats_at, ints_at

# a body, besides what `body_memory` says
INVERSE_MASS, INVERSE_MOMENT = 3, 5
BODY = 34
# a space
STAMP, LAST_STEP, STATIC_SHAPES, DYNAMIC_SHAPES = 10, 11, 17, 18
CONTACTS, CACHED, FREE_ARBITERS, SPACE = 21, 22, 23, 24
# a tree of boxes
LEAVES, FREE_NODES, FREE_PAIRS, BUFFERS, TREE = 5, 7, 8, 9, 10
# a node of it: a leaf has a shape
SHAPE, BOX, PARENT, PAIRS, NODE = 0, 1, 5, 7, 8
# a pair of leaves: the two of them, and the next pair of each
FIRST_LEAF, NEXT_OF_FIRST, SECOND_LEAF, NEXT_OF_SECOND, PAIR = 1, 2, 4, 5, 7
# a set: entries and size in one word; its table of bins
ENTRIES, BINS, FREE_BINS, SET = 0, 3, 4, 6
ELEMENT, NEXT_BIN, BIN = 0, 2, 3
# a shape
SHAPE_BOX, SHAPE_DATA, SHAPE_WORDS = 8, 17, 24
# a pair that touches: in how many points, and where they are
POINTS, POINTS_AT, ARBITER = 13, 14, 23
# impulses of joints that hold a body on the floor: two numbers, one number
PIVOT_IMPULSE, GEAR_IMPULSE, _JOINT = 25, 18, 32
# a buffer of contacts: when it was begun, the next one, how many contacts
BEGUN, NEXT_BUFFER, FILLED, BUFFER_HEAD = 0, 1, 2, 3
# each contact; what the next step goes on from comes last: impulses, and by what it is known again
IMPULSES, CONTACT = 7, 12
LOW = 0xFFFFFFFF
"""Half of a word: the first of two numbers that share one."""


@cache
def address_of(name: str) -> int:
    """Return the address of a function of Chipmunk that pymunk does not declare, 0 where it is hidden."""
    function = getattr(ctypes.CDLL(_chipmunk.__file__), name, None)
    return 0 if function is None else ctypes.cast(function, ctypes.c_void_p).value or 0


def check_layout() -> None:
    """Look whether pymunk keeps its bodies, trees and contacts where batches of worlds look for them.

    Raises:
        EngineCannot: This version of pymunk keeps them elsewhere.
    """
    wrong = next((name for name, is_there in _looks() if not is_there), "")
    if wrong:
        raise EngineCannot(
            f"pymunk {pymunk.version} keeps {wrong} elsewhere than pymunk 7.3, so batches of worlds cannot use it"
        ).advise("Install pymunk 7.3, or use `SeparateWorlds`, which work with any version.")


def _looks() -> Iterator[tuple[str, bool]]:
    """Yield what is looked for in a small space, and whether it is there; addresses are followed one by one."""
    space, body = pymunk.Space(), pymunk.Body(2.0, 3.0)
    body.center_of_gravity, body.angle, body.position = (0.25, 0.5), 0.75, (5.0, 6.0)
    shape = pymunk.Circle(body, 0.5)
    wall = pymunk.Poly(space.static_body, [(5.55, 5.0), (7.0, 5.0), (7.0, 7.0), (5.55, 7.0)])
    pivot, gear = (
        pymunk.PivotJoint(space.static_body, body, (0, 0), (0, 0)),
        pymunk.GearJoint(space.static_body, body, 0, 1),
    )
    pivot.max_bias = gear.max_bias = pivot.max_force = gear.max_force = 0.125
    space.add(body, shape, wall, pivot, gear)
    body.velocity, body.angular_velocity = (0.125, -1.5), 0.0625
    space.step(0.5)
    # pymunk has no public way to its structures
    structures = body._body, shape._shape, pivot._constraint, gear._constraint, space._space  # noqa: SLF001
    body_at, shape_at, pivot_at, gear_at, space_at = (int(ffi.cast("uintptr_t", pointer)) for pointer in structures)
    floats = floats_at(body_at, BODY)
    yield "masses", (floats[INVERSE_MASS], floats[INVERSE_MOMENT]) == (1.0 / 2.0, 1.0 / 3.0)
    yield "bodies", is_known()
    box = tuple(floats_at(shape_at, SHAPE_WORDS)[SHAPE_BOX : SHAPE_BOX + 4])
    yield "boxes of shapes", box == (shape.bb.left, shape.bb.bottom, shape.bb.right, shape.bb.top)
    impulse, turning = floats_at(pivot_at, _JOINT), floats_at(gear_at, _JOINT)[GEAR_IMPULSE]
    braked = math.hypot(*impulse[PIVOT_IMPULSE : PIVOT_IMPULSE + 2])
    yield "joints", 0.0 < braked == pivot.impulse and 0.0 < abs(turning) == gear.impulse
    words = ints_at(space_at, SPACE)
    yield "its count of steps", words[STAMP] & LOW == 1 and floats_at(space_at, SPACE)[LAST_STEP] == 0.5
    yield "contacts", words[CONTACTS] != 0 and ints_at(words[CONTACTS], BUFFER_HEAD)[NEXT_BUFFER] == words[CONTACTS]
    touching = ints_at(words[CACHED], SET)
    yield "pairs that touch", touching[ENTRIES] & LOW == 1
    arbiter = ints_at(_only_element(touching), ARBITER)
    at = words[CONTACTS] + 8 * BUFFER_HEAD
    yield "points of pairs that touch", arbiter[POINTS] & LOW == 1 and arbiter[POINTS_AT] == at
    impulses = list[float]()
    body.each_arbiter(lambda pair: impulses.append(pair.total_impulse.length))
    yield "impulses of contacts", [floats_at(at, CONTACT)[IMPULSES]] == impulses and impulses[0] > 0.0
    leaves = ints_at(ints_at(words[DYNAMIC_SHAPES], TREE)[LEAVES], SET)
    yield "leaves", leaves[ENTRIES] & LOW == 1
    leaf = _only_element(leaves)
    yield "shapes of leaves", ints_at(leaf, NODE)[SHAPE] == shape_at
    outer = floats_at(leaf, NODE)[BOX : BOX + 4]
    yield "boxes of leaves", outer[0] < box[0] and outer[1] < box[1] and outer[2] > box[2] and outer[3] > box[3]
    pair = ints_at(leaf, NODE)[PAIRS]
    yield "pairs", pair != 0 and ints_at(pair, PAIR)[SECOND_LEAF] == leaf


def _only_element(entries: Ints) -> int:
    """Return the address of the only element of a set."""
    (first,) = (item for item in ints_at(entries[BINS], entries[ENTRIES] >> 32) if item)
    return int(ints_at(first, BIN)[ELEMENT])
