"""Gaps between robots and everything else at their height, from hull to hull, seen from above."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from coopsim.geometry import UNTURNED, Bools, Floats, Pose, Vector3, quaternion, within
from coopsim.metrics.arrays import RunArrays
from coopsim.scene.polygons import edges
from coopsim.state import EntityRow, PlacedVisual

TOUCHING = 0.002
"""Smaller gaps count as contact [m]."""
_ROUNDING = 1e-6  # m; boxes are rounded otherwise than gaps
_ROUND = {"cylinder", "sphere", "capsule", "cone"}
Pair: TypeAlias = frozenset[str]
"""Names of two entities."""
_CORNERS = np.array([(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)])


@dataclass(frozen=True)
class Gaps:
    """Smallest gaps of robots to anything.

    Attributes:
        least: The smallest gap of any of them at each time, infinity = there is nothing else, shape (k,) [m].
        contacts: How often one came to touch something, those that touch at the beginning among them.
        touching_first: Pairs that touch at the first time.
        touching_last: Pairs that touch at the last time.
    """

    least: Floats
    contacts: int
    touching_first: frozenset[Pair]
    touching_last: frozenset[Pair]


def gaps(run: RunArrays, robots: tuple[str, ...], *, with_each_other: bool = True) -> Gaps:
    """Return how near robots came to one another and to everything else that has a body.

    What lies above them, such as the bar that they carry, does not count.

    Args:
        run: Says where everything was.
        robots: Their names.
        with_each_other: Whether they count for one another.
    """
    bodies = {row.name: _hulls(run, row) for row in run.entities.values() if row.kind in {"robot", "object"}}
    least, contacts = np.full(len(run.times), np.inf), 0
    first, last = set[Pair](), set[Pair]()
    for pair, one, second in _pairs(robots, bodies, () if with_each_other else robots, least):
        touches = np.zeros(len(least) + 1, np.bool_)
        for hull in second:
            _measure(one, hull, least, touches)
        contacts += int((touches[1:] & ~touches[:-1]).sum())
        first |= {pair} if touches[1] else set()
        last |= {pair} if touches[-1] else set()
    return Gaps(least, contacts, frozenset(first), frozenset(last))


def _measure(one: "_Body", other: "_Body", least: Floats, touches: Bools) -> None:
    """Note smaller gaps between two hulls, and when they touch: one place later than the time."""
    bound = one.apart(other)
    near = np.flatnonzero(((bound < least) | (bound < TOUCHING)) & one.is_level_with(other))
    if near.size:
        gap = one.at(near).gap(other.at(near))
        least[near] = np.fmin(least[near], gap)
        touches[near + 1] |= gap < TOUCHING


def _pairs(
    robots: tuple[str, ...], bodies: "dict[str, list[_Body]]", without: tuple[str, ...], least: Floats
) -> "Iterator[tuple[Pair, _Body, list[_Body]]]":
    """Yield each robot with each other entity once, the nearest first, but who was always farther than `least`."""
    names, done = [*bodies], set(without)
    boxes = np.array([np.max([hull.box for hull in hulls], axis=0) for hulls in bodies.values()]).reshape(-1, 4)
    lows, by_low = np.sort(-boxes[:, 2]), np.argsort(-boxes[:, 2])
    widest = float((boxes[:, 0] + boxes[:, 2]).max(initial=0.0)) + 2.0 * _ROUNDING
    for robot in robots:
        if robot in bodies:
            done.add(robot)
            one = bodies[robot][0]
            # thousands stand side by side: of these alone distances are looked at
            ends = -one.box[2] - one.limit(least) - widest, one.box[0] + one.limit(least) + widest
            rows = by_low[slice(*np.searchsorted(lows, ends))]
            # sums of the far side of one and the near side of the other
            beside = np.maximum(-np.roll(boxes[rows], 2, axis=1) - one.box, 0.0)
            apart = np.hypot(*np.maximum(beside[:, :2], beside[:, 2:]).T) - _ROUNDING
            near = np.flatnonzero(apart < one.limit(least))
            for place in near[np.argsort(apart[near])].tolist():
                name = names[rows[place]]
                if apart[place] < one.limit(least) and name not in done:
                    yield frozenset((robot, name)), one, bodies[name]


def _hulls(run: RunArrays, row: EntityRow) -> "list[_Body]":
    """Return the hulls of an entity, that of its first shape first."""
    drawn, poses = row.drawn(), run.poses(row.name)
    shape = drawn[0].shape if row.kind == "robot" else row.type
    parts = [] if row.kind == "robot" else drawn[1:]
    own = [_Body(poses, shape, row.size)] if row.kind == "robot" or not drawn[0].points else [*_edges(poses, drawn[0])]
    return [
        *own,
        *(_Body(_shape_poses(poses, part.pose), part.shape, part.size) for part in parts),
    ]


def _edges(poses: Floats, polygon: PlacedVisual) -> "Iterator[_Body]":
    """Yield the edges of a polygon, boxes without a width: what is in it has crossed one of them."""
    for (x, y), (u, v) in edges(polygon.corners):
        middle = ((x + u) / 2.0, (y + v) / 2.0, 0.0, *quaternion(0.0, 0.0, math.atan2(v - y, u - x)))
        size = (math.hypot(u - x, v - y), 0.0, polygon.size[2])
        yield _Body(_shape_poses(poses, within(polygon.pose, middle)), "box", size)


def _shape_poses(poses: Floats, place: Pose) -> Floats:
    """Return where a shape is that sits somewhere on a body, shape (k, 7)."""
    moved = poses.copy()
    w, axis, local = poses[:, 3:4], poses[:, 4:], np.array(place[:3])
    twice = 2.0 * np.cross(axis, local)
    moved[:, :3] += local + w * twice + np.cross(axis, twice)
    if place[3:] != UNTURNED:
        own, about = place[3], np.array(place[4:])
        moved[:, 3:4] = w * own - (axis @ about)[:, np.newaxis]
        moved[:, 4:] = w * about + own * axis + np.cross(axis, about)
    return moved


class _Body:
    """The hull of a shape over time: a circle or a rectangle.

    Args:
        poses: Where the middle of its base was, shape (k, 7).
        shape: Of which kind it is.
        size: Its bounding box [m].

    Attributes:
        box: Around all of its way: largest x and y, and the negative of the smallest ones [m].
    """

    def __init__(self, poses: Floats, shape: str, size: Vector3) -> None:
        length, width, height = size
        self.radius = max(length, width) / 2 if shape in _ROUND else 0.0
        self.half = np.zeros(2) if self.radius else np.array([length, width]) / 2
        self.reach = self.radius or float(np.hypot(*self.half))
        self.middle = poses[:, :2]
        both_ways = np.hstack((self.middle, -self.middle))
        self.box = np.fmax.reduce(both_ways, axis=0, initial=-np.inf) + self.reach
        w, x, y, z = poses[:, 3:].T
        self.heading = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
        upright = 1.0 - 2.0 * (x * x + y * y)
        self.level = poses[:, 2] + upright * height / 2
        lying = np.sqrt(np.maximum(1.0 - upright**2, 0.0))
        self.half_height = np.abs(upright) * height / 2 + lying * np.hypot(length, width) / 2

    def at(self, rows: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> "_Body":
        """Return it at some of the times."""
        body: _Body = object.__new__(_Body)
        body.radius, body.half, body.reach = self.radius, self.half, self.reach
        body.middle, body.heading = self.middle[rows], self.heading[rows]
        return body

    def limit(self, least: Floats) -> float:
        """Return from what gap on others neither touch it nor are nearer than `least` while it is there [m]."""
        return max(float(least[~np.isnan(self.middle[:, 0])].max(initial=0.0)), TOUCHING)

    def is_level_with(self, other: "_Body") -> Bools:
        """Return when neither lies above the other, shape (k,)."""
        above = np.abs(self.level - other.level) - self.half_height - other.half_height
        return np.asarray(~(above >= 0.0))

    def apart(self, other: "_Body") -> Floats:
        """Return what the gap cannot be smaller than, shape (k,) [m]."""
        away: Floats = np.hypot(*(self.middle - other.middle).T) - self.reach - other.reach
        return away

    def gap(self, other: "_Body") -> Floats:
        """Return the gap, 0 where both overlap, shape (k,) [m]."""
        if self.radius and other.radius:
            return np.maximum(self.apart(other), 0.0)
        if self.radius or other.radius:
            circle, box = (self, other) if self.radius else (other, self)
            return np.maximum(box.distance(circle.middle) - circle.radius, 0.0)
        mine = [other.distance(corner) for corner in self.corners()]
        theirs = [self.distance(corner) for corner in other.corners()]
        # two that cross, as the bars of a plus sign, have no corner in one another
        least: Floats = np.where(self.crosses(other), 0.0, np.min([*mine, *theirs], axis=0))
        return least

    def crosses(self, other: "_Body") -> Bools:
        """Return when two rectangles overlap: when their shadows do on the axes of both, shape (k,)."""
        turn = other.heading - self.heading
        cosine, sine = np.abs(np.cos(turn)), np.abs(np.sin(turn))
        overlaps = np.ones(len(turn), np.bool_)
        for body, half in ((self, other.half), (other, self.half)):
            x, y = body.axes(self.middle - other.middle)
            overlaps &= np.abs(x) <= body.half[0] + cosine * half[0] + sine * half[1]
            overlaps &= np.abs(y) <= body.half[1] + sine * half[0] + cosine * half[1]
        return overlaps

    def axes(self, away: Floats) -> tuple[Floats, Floats]:
        """Return vectors, shape (k, 2), along the axes of the body, shape (k,) each [m]."""
        cosine, sine = np.cos(self.heading), np.sin(self.heading)
        return cosine * away[:, 0] + sine * away[:, 1], cosine * away[:, 1] - sine * away[:, 0]

    def corners(self) -> list[Floats]:
        """Return its corners, each of shape (k, 2) [m]."""
        cosine, sine = np.cos(self.heading), np.sin(self.heading)
        return [
            self.middle + np.column_stack((cosine * x - sine * y, sine * x + cosine * y))
            for x, y in (_CORNERS * self.half).tolist()
        ]

    def distance(self, points: Floats) -> Floats:
        """Return how far points are from the rectangle, 0 inside, shape (k,) [m]."""
        x, y = self.axes(points - self.middle)
        x, y = np.abs(x) - self.half[0], np.abs(y) - self.half[1]
        distances: Floats = np.hypot(np.maximum(x, 0.0), np.maximum(y, 0.0))
        return distances
