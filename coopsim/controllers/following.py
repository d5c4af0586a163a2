"""Leader and follower geometry out of what the robots see of one another; no common frame is needed.

Distances and angles come from the `target` modules. Two robots that see each other know the angle between their
headings from the two bearings alone, so a follower knows its place without any odometry.
"""

from functools import cache

import numpy as np

from coopsim.controllers.body import Body
from coopsim.controllers.shapes import Shape
from coopsim.geometry import Bools, Floats, Ints, pairs


def places_seen(sightings: Floats, occupants: Ints, robots: int) -> Floats:
    """Return where each robot sees each other one, in its own frame, shape (n, n, 2), NaN = not seen [m].

    Args:
        sightings: Distance [m], angle [rad] and seen (0 or 1) per slot, shape (n, slots, 3).
        occupants: Which robot of the team is in each slot, -1 = none of them, shape (n, slots).
        robots: How many robots the team has.
    """
    seen = np.full((robots, robots, 2), np.nan)
    lookers, slots = np.nonzero((occupants >= 0) & (sightings[..., 2] > 0.5))
    distance, angle = sightings[lookers, slots, 0], sightings[lookers, slots, 1]
    seen[lookers, occupants[lookers, slots]] = pairs(distance * np.cos(angle), distance * np.sin(angle))
    return seen


def headings_of_leader(mates: Floats, parents: Ints) -> Floats:
    """Return the heading of the leader, measured from that of each robot, shape (n,); NaN = not known [rad].

    If I see you at b and you see me at c, you head b + pi - c from my heading; from one to the next up to the leader.

    Args:
        mates: Where each sees the others, shape (n, n, 2) [m].
        parents: The robot that each follows, shape (n,).
    """
    me = np.arange(len(parents))
    seen, seen_back = mates[me, parents], mates[parents, me]
    angles = np.arctan2(seen[:, 1], seen[:, 0]) + np.pi - np.arctan2(seen_back[:, 1], seen_back[:, 0])
    angles[0] = 0.0
    for robot in range(1, len(parents)):
        angles[robot] += angles[parents[robot]]
    return (angles + np.pi) % (2.0 * np.pi) - np.pi


def turned(vectors: Floats, angles: Floats) -> Floats:
    """Return `vectors` (n, 2), each turned by its angle (n,) [rad]."""
    cosine, sine = np.cos(angles), np.sin(angles)
    x, y = vectors[:, 0], vectors[:, 1]
    return pairs(cosine * x - sine * y, sine * x + cosine * y)


def ways_to_places(mates: Floats, shape: Shape, marching: Floats) -> Floats:
    """Return the way of each follower to its place, in its own frame, shape (n, 2); 0 for the leader, NaN = not known.

    Args:
        mates: Where each sees the others, shape (n, n, 2) [m].
        shape: The formation.
        marching: Direction in which the formation marches, measured from the heading of each, shape (n,) [rad].
    """
    ways = mates[np.arange(len(marching)), shape.parents] + turned(shape.offsets, marching)
    ways[0] = 0.0
    return ways


def hide_mates(gaps: Floats, mates: Floats, *, body: Body, slack: float) -> Floats:
    """Return `gaps` with infinity where a sonar sees a teammate: formations keep that distance themselves.

    Args:
        gaps: From the hull to what is seen, shape (n, m) [m].
        mates: Where each sees the others, shape (n, n, 2), NaN = not seen [m].
        body: The robots.
        slack: How far a reading may lie before the teammate's hull [m].
    """
    distance = np.hypot(mates[..., 0], mates[..., 1])[:, :, np.newaxis]
    angle = np.arctan2(mates[..., 1], mates[..., 0])[:, :, np.newaxis]
    off = (body.bearings - angle + np.pi) % (2.0 * np.pi) - np.pi
    # a sector sees a teammate that only its edge meets
    half = np.arcsin(np.minimum(body.radius * 1.1 / np.maximum(distance, body.radius), 1.0)) + body.spread / 2.0
    centre = gaps[:, np.newaxis, :] + body.radius
    is_mate = (centre > distance - body.radius - slack) & (centre < distance + slack) & (np.abs(off) < half)
    return np.where(is_mate.any(axis=1), np.inf, gaps)


def gives_way(mates: Floats, stands: Bools, *, radius: float, room: float) -> Bools:
    """Return which followers must back off, shape (n,): they are in the way of one that stands and goes before them.

    Of two followers that block each other the one with the lower number goes first.

    Args:
        mates: Where each sees the others, shape (n, n, 2), NaN = not seen [m].
        stands: Which robots want to move and do not, shape (n,).
        radius: Of every robot [m].
        room: Gap from hull to hull at which one is out of the way [m].
    """
    blocks = _in_the_way(mates, radius, room) & stands[:, np.newaxis]
    blocks[0] = False
    # nobody backs into a teammate
    is_behind = (_gaps_between(mates, radius) < room / 2.0) & (mates[..., 0] < -radius)
    return np.asarray((blocks & ~_lower(len(stands), 0)).any(axis=0) & ~is_behind.any(axis=1))


def is_free_to_go(mates: Floats, wants: Bools, *, radius: float, room: float) -> Bools:
    """Return which robots want to move and need not wait for one that goes before them, shape (n,).

    Args:
        mates: Where each sees the others, shape (n, n, 2), NaN = not seen [m].
        wants: Which robots want to move, shape (n,).
        radius: Of every robot [m].
        room: Gap from hull to hull at which one is out of the way [m].
    """
    waits = _in_the_way(mates, radius, room) & wants & _lower(len(wants), -1)
    return np.asarray(wants & ~waits.any(axis=1))


@cache
def _lower(robots: int, diagonal: int) -> Bools:
    """Return a matrix that is true at and below a diagonal, shape (n, n); `np.tril` makes it anew each time."""
    found: Bools = np.tri(robots, k=diagonal, dtype=np.bool_)
    found.flags.writeable = False
    return found


def _in_the_way(mates: Floats, radius: float, room: float) -> Bools:
    """Return whether each robot has each other one close ahead, shape (n, n)."""
    is_ahead = (mates[..., 0] > 0.0) & (np.abs(mates[..., 1]) < 2.2 * radius)
    return np.asarray((_gaps_between(mates, radius) < room) & is_ahead)


def _gaps_between(mates: Floats, radius: float) -> Floats:
    gaps: Floats = np.hypot(mates[..., 0], mates[..., 1]) - 2.0 * radius
    return gaps
