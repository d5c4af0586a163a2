"""Refusals of planar engines, with errors for the author."""

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from coopsim.engines.contract import BodySpec, WorldSpec
from coopsim.engines.plane.footprints import FARTHEST, check_planar, located
from coopsim.errors import BadArgument, EngineCannot
from coopsim.geometry import Floats, Ints

MOST_BODIES = 100_000  # more than a tick of a second could hold; a slip of a digit ends in an error, not without memory
_LEVEL = 1e-9  # rad; what rounding leaves of an angle that a file gives in degrees


def check_world(world: WorldSpec, bodies: Sequence[BodySpec], engine: str) -> None:
    """Refuse a world.

    Args:
        world: What is asked for.
        bodies: Its bodies, sorted by name.
        engine: Name of the engine that would hold it.

    Raises:
        EngineCannot: A tilted floor, too many bodies, or one that has no planar image.
        BadArgument: Two bodies have one name.
    """
    _check_floor(world, engine)
    if len(bodies) > MOST_BODIES:
        raise EngineCannot(f"the {engine} engine holds at most {MOST_BODIES} bodies, got {len(bodies)}")
    # sorted by name: equal ones are neighbours
    for body, following in pairwise(bodies):
        if body.name == following.name:
            raise BadArgument(f"{located(following.span)}there is already a body named {body.name!r}")
    for body in bodies:
        check_planar(body, engine)


def check_added(body: BodySpec, is_known: bool, count: int, engine: str) -> None:
    """Refuse a body that would join `count` others.

    Raises:
        EngineCannot: One too many, or it has no planar image.
        BadArgument: There is one of this name.
    """
    check_planar(body, engine)
    if is_known:
        raise BadArgument(f"{located(body.span)}there is already a body named {body.name!r}")
    if count >= MOST_BODIES:
        raise EngineCannot(f"{located(body.span)}the {engine} engine holds at most {MOST_BODIES} bodies")


def checked_state(rows: Ints, planar: Floats, count: int) -> tuple[Ints, Floats]:
    """Return rows and states as arrays.

    Args:
        rows: Shape (k,).
        planar: Shape (k, 6).
        count: How many rows there are.

    Raises:
        BadArgument: A row that does not exist, or a value that is not finite or out of range.
    """
    rows, planar = np.asarray(rows, np.int64), np.asarray(planar, np.float64)
    if planar.shape != (rows.size, 6) or rows.ndim != 1:
        raise BadArgument(f"expected k rows and planar of shape (k, 6), got {rows.shape} and {planar.shape}")
    if rows.size and not (rows.min() >= 0 and rows.max() < count):
        raise BadArgument(f"rows are 0 to {count - 1}, got {rows.min()} to {rows.max()}")
    # negated, so that what is no number is refused, too
    if not (np.abs(planar) <= FARTHEST).all():
        raise BadArgument(f"a body can be put within {FARTHEST:g} m of the origin, got {planar.tolist()}")
    return rows, planar


def _check_floor(world: WorldSpec, engine: str) -> None:
    phi, psi, _ = world.floor_orientation
    if not (abs(phi) <= _LEVEL and abs(psi) <= _LEVEL):
        raise EngineCannot(
            f"{located(world.floor_span)}the {engine} engine cannot tilt the floor, got {math.degrees(phi):g} and "
            f"{math.degrees(psi):g} degrees about x and y; set both to 0, or choose an engine in three dimensions"
        )
