"""`orca`: robots go to places of their own and avoid each other by halves (ORCA).

python -m coopsim.features.laws.orca --robots robot1 robot2 --goals across

Two that meet share the effort: each changes its velocity by half of what is needed, which it may count on the other
to do as well. A robot that finds no velocity counts as standing: then one always exists. What does not move, or is not
known to avoid, is avoided alone. Each pair gives a half-plane of velocities; the choice within all of them is a linear
programme. Where all stand still in a perfectly regular crowd that choice may be to stay: so the wanted way turns to the
right the nearer a teammate ahead is, and crowds turn like a roundabout.

Source: van den Berg, Guy, Lin, Manocha, "Reciprocal n-body collision avoidance", ISRR 2009 (Springer STAR 70, 2011).
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from coopsim.features.laws.going import GoalParameters, Situation, run
from coopsim.features.laws.nearby import nearest, pairs_within
from coopsim.geometry import Bools, Floats, Ints
from coopsim.interfaces import parameters_of, setting

_SUMMARY = "Robots go to places of their own and avoid each other by halves (ORCA)."
_RECOVERY = 0.5
"""Time in which those that are too near part [s]."""
_NARROWED = 16
"""How often the interval of the smallest common violation is halved."""
_PARALLEL = 1e-9  # lines that are parallel but for rounding have no crossing


@dataclass(frozen=True, slots=True)
class OrcaParameters(GoalParameters):
    """Parameters of the law `orca`."""

    horizon: float = setting(5.0, "s", 0.1, 60.0, "time for which no teammate may be touched")
    obstacle_horizon: float = setting(1.5, "s", 0.1, 60.0, "time for which no obstacle may be touched")
    neighbours: int = setting(10, "1", 1, 100, "how many of the nearest teammates count")
    keep_right: float = setting(1.0, "rad", 0.0, 1.5, "turn of the wanted way where a teammate ahead is touched")


PARAMETERS = parameters_of(OrcaParameters)


class HalfPlanes(NamedTuple):
    """Allowed velocities of n robots: those with normals · (v - points) >= 0; shapes (n, k, 2)."""

    points: Floats
    normals: Floats


def orca(at: Situation, law: OrcaParameters) -> Floats:
    """Return the velocities of n robots, shape (n, 2) [m/s].

    Args:
        at: What they know.
        law: The parameters.
    """
    wanted = to_the_right(at, law.keep_right)
    planes, velocities, is_free = _without_jams(at, law, wanted)
    jammed = np.flatnonzero(~is_free)
    if len(jammed):
        mine = HalfPlanes(planes.points[jammed], planes.normals[jammed])
        velocities[jammed] = _least_violating(mine, wanted[jammed], at.fastest)
    return velocities


def _without_jams(at: Situation, law: OrcaParameters, wanted: Floats) -> tuple[HalfPlanes, Floats, Bools]:
    """Return half-planes, the best velocities within them, and for which robots there is one.

    A robot without an allowed velocity counts as standing, for itself and for the others; if that is not enough, so do
    those who forbid it to stand. Of two that count as standing, and are apart, none forbids the other to stand: so all
    that are apart find a velocity.
    """
    standing, grown = np.zeros((2, len(wanted)), np.bool_)
    while True:
        now = replace(at, velocities=np.where(grown[:, np.newaxis], 0.0, at.velocities)) if grown.any() else at
        standing, planes = grown, half_planes(now, law)
        velocities, is_free = nearest_allowed(planes, wanted, at.fastest)
        grown = standing | ~is_free | _forbidding(planes, _nearest_mates(at, law)[1], standing & ~is_free)
        if (grown == standing).all():
            return planes, velocities, is_free


def _forbidding(planes: HalfPlanes, near: Ints, whom: Bools) -> Bools:
    """Return which robots forbid one of `whom` to stand, shape (n,)."""
    forbids = (planes.points * planes.normals).sum(axis=-1)[:, planes.points.shape[1] - near.shape[1] :] > 0.0
    is_near = np.zeros(len(whom), np.bool_)
    is_near[near[forbids & whom[:, np.newaxis]]] = True
    return is_near


def to_the_right(at: Situation, most: float) -> Floats:
    """Return the wanted velocities, turned to the right where teammates are near ahead, shape (n, 2)."""
    # who is four radii away is not turned for
    whose, mates = pairs_within(at.positions, at.positions, 4.0 * at.radius)
    ways, wanted = at.positions[mates] - at.positions[whose], at.wanted[whose]
    away, speeds = np.linalg.norm(ways, axis=-1), np.linalg.norm(at.wanted, axis=1)[whose]
    ahead = (ways * wanted).sum(axis=-1) / np.maximum(away * speeds, 1e-9)
    touching = np.clip(2.0 - away / (2.0 * at.radius), 0.0, 1.0) * np.clip(ahead, 0.0, 1.0)
    nearest_touch = np.zeros(len(at.positions))
    np.maximum.at(nearest_touch, whose, touching)
    angles = most * nearest_touch
    cos, sin = np.cos(angles), np.sin(angles)
    x, y = at.wanted.T
    return np.column_stack([cos * x + sin * y, cos * y - sin * x])


def half_planes(at: Situation, law: OrcaParameters) -> HalfPlanes:
    """Return what each may do for the sake of its nearest teammates and of what it sees."""
    ways, near = _nearest_mates(at, law)
    mates = _planes(ways, at.velocities[:, np.newaxis], at.velocities[near], 2.0 * at.radius, law.horizon, share=0.5)
    seen = at.obstacles - at.positions[:, np.newaxis]
    still = _planes(seen, at.velocities[:, np.newaxis], np.zeros_like(seen), at.radius, law.obstacle_horizon, share=1.0)
    # what does not move comes first: nobody else will give way there
    return HalfPlanes(*(np.concatenate(pair, axis=1) for pair in zip(still, mates, strict=True)))


def _nearest_mates(at: Situation, law: OrcaParameters) -> tuple[Floats, Ints]:
    """Return the ways to the nearest teammates, shape (n, k, 2) [m], and who they are, shape (n, k)."""
    near = nearest(at.positions, law.neighbours)
    return at.positions[near] - at.positions[:, np.newaxis], near


def _planes(ways: Floats, mine: Floats, theirs: Floats, reach: float, horizon: float, *, share: float) -> HalfPlanes:
    """Return half-planes of velocities by which pairs part, all allowed where the way is NaN, shapes (n, k, 2).

    Args:
        ways: From me to the other [m].
        mine: My velocities [m/s].
        theirs: Those of the others [m/s].
        reach: Distance from which we touch [m].
        horizon: Time for which we must not touch [s].
        share: Of the change that is mine.
    """
    relative = mine - theirs
    distance = np.linalg.norm(ways, axis=-1)
    is_apart = distance > reach
    time = np.where(is_apart, horizon, _RECOVERY)[..., np.newaxis]
    # the forbidden relative velocities: a disc at ways / time, and the cone behind it
    centre, radius = ways / time, reach / time[..., 0]
    offset = relative - centre
    length = np.linalg.norm(offset, axis=-1)
    along = (offset * ways).sum(axis=-1)
    is_round = ~is_apart | ((along < 0.0) & (along**2 > (reach * length) ** 2))
    outward = offset / np.maximum(length, 1e-12)[..., np.newaxis]
    round_change = (radius - length)[..., np.newaxis] * outward
    normal, flat_change = _leg(ways, relative, offset, distance, reach)
    normals = np.where(is_round[..., np.newaxis], outward, normal)
    changes = np.where(is_round[..., np.newaxis], round_change, flat_change)
    is_known = np.isfinite(ways).all(axis=-1, keepdims=True)
    free = np.broadcast_to(np.array([1.0, 0.0]), ways.shape)
    return HalfPlanes(np.where(is_known, mine + share * changes, -1e6 * free), np.where(is_known, normals, free))


def _leg(ways: Floats, relative: Floats, offset: Floats, distance: Floats, reach: float) -> tuple[Floats, Floats]:
    """Return the outward normal of the nearer side of the cone, and the change of velocity that leads to it."""
    square = np.maximum(distance**2, 1e-12)
    leg = np.sqrt(np.maximum(distance**2 - reach**2, 0.0))
    is_left = ways[..., 0] * offset[..., 1] - ways[..., 1] * offset[..., 0] > 0.0
    side = np.where(is_left, 1.0, -1.0)
    x, y = ways[..., 0], ways[..., 1]
    # the side as a direction away from me, and its normal out of the cone
    direction = np.stack([x * leg - side * y * reach, side * x * reach + y * leg], axis=-1) / square[..., np.newaxis]
    normal = side[..., np.newaxis] * np.stack([-direction[..., 1], direction[..., 0]], axis=-1)
    change = (relative * direction).sum(axis=-1, keepdims=True) * direction - relative
    return normal, change


def nearest_allowed(planes: HalfPlanes, wanted: Floats, fastest: float) -> tuple[Floats, Bools]:
    """Return the allowed velocities nearest to what is wanted, and for which robots there is one.

    One half-plane after the other is added; where it forbids the best velocity so far, the best one lies on its edge.

    Args:
        planes: What each may do.
        wanted: Shape (n, 2) [m/s].
        fastest: Largest speed [m/s].
    """
    speeds = np.linalg.norm(wanted, axis=1, keepdims=True)
    best = wanted * np.minimum(1.0, fastest / np.maximum(speeds, 1e-12))
    is_free = np.ones(len(wanted), np.bool_)
    for number in range(planes.points.shape[1]):
        point, normal = planes.points[:, number], planes.normals[:, number]
        bad = np.flatnonzero(is_free & (((best - point) * normal).sum(axis=1) < 0.0))
        if len(bad):
            earlier = HalfPlanes(planes.points[bad, :number], planes.normals[bad, :number])
            best[bad], is_free[bad] = _on_edge(point[bad], normal[bad], earlier, wanted[bad], fastest)
    return best, is_free


def _on_edge(
    point: Floats, normal: Floats, earlier: HalfPlanes, wanted: Floats, fastest: float
) -> tuple[Floats, Bools]:
    """Return the allowed velocity on the edge of a half-plane nearest to what is wanted, and whether there is one."""
    along = np.column_stack([normal[:, 1], -normal[:, 0]])
    middle = (point * along).sum(axis=1)
    room = middle**2 + fastest**2 - (point**2).sum(axis=1)
    half = np.sqrt(np.maximum(room, 0.0))
    low, high = -middle - half, -middle + half
    slope = (along[:, np.newaxis] * earlier.normals).sum(axis=-1)
    height = ((earlier.points - point[:, np.newaxis]) * earlier.normals).sum(axis=-1)
    is_flat = np.abs(slope) < _PARALLEL
    bound = height / np.where(is_flat, 1.0, slope)
    low = np.maximum(low, np.where(~is_flat & (slope > 0.0), bound, -np.inf).max(axis=1, initial=-np.inf))
    high = np.minimum(high, np.where(~is_flat & (slope < 0.0), bound, np.inf).min(axis=1, initial=np.inf))
    is_free = (room >= 0.0) & (low <= high) & ~(is_flat & (height > 0.0)).any(axis=1)
    place = np.clip(((wanted - point) * along).sum(axis=1), low, np.maximum(low, high))
    return point + place[:, np.newaxis] * along, is_free


def _least_violating(planes: HalfPlanes, wanted: Floats, fastest: float) -> Floats:
    """Return velocities for robots without an allowed one: those that pass every bound by as little as can be."""
    worst = (planes.points * planes.normals).sum(axis=-1).max(axis=1, initial=0.0)
    low, high = np.zeros(len(wanted)), np.maximum(worst, 0.0) + 1e-6
    best = np.zeros_like(wanted)
    for _ in range(_NARROWED):
        middle = 0.5 * (low + high)
        moved = planes.points - middle[:, np.newaxis, np.newaxis] * planes.normals
        velocity, is_free = nearest_allowed(HalfPlanes(moved, planes.normals), wanted, fastest)
        best[is_free] = velocity[is_free]
        low, high = np.where(is_free, low, middle), np.where(is_free, middle, high)
    return best


def main(arguments: Sequence[str] | None = None) -> int:
    """Drive robots to their places; return the exit code: 0 = they are there, or the run has ended."""
    return run("orca", _SUMMARY, OrcaParameters, PARAMETERS, orca, arguments)


if __name__ == "__main__":
    sys.exit(main())
