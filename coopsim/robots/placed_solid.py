"""Solids as files place them, and how deep two of them lie within each other."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from coopsim.geometry import Floats, Vector3, rotation_matrix
from coopsim.scene import LinkSpec, Object, ObjectPart, RobotPlacement, Span
from coopsim.scene.polygons import convex_parts, edges

_Placed: TypeAlias = Object | RobotPlacement | LinkSpec
_NEARLY = 1e-9  # cross products of parallel edges vanish but for rounding
_UPRIGHT = 0.999  # cosine of 2.6 degrees; along the vertical, bodies side by side overlap by their height


@dataclass(frozen=True, slots=True)
class PlacedSolid:
    """A box, cylinder or sphere somewhere.

    Attributes:
        half: Half of its bounding box, in its own frame [m].
        middle: Where its middle is, shape (3,) [m].
        turn: Its axes in the columns, shape (3, 3).
        is_fixed: Whether it never moves.
        outline: Corners of a convex polygon around the middle, shape (n, 2) [m]; None = it is none.
    """

    name: str
    shape: str
    half: Vector3
    middle: Floats
    turn: Floats
    is_fixed: bool
    span: Span
    outline: Floats | None = None

    @classmethod
    def of(
        cls, name: str, shape: str, size: Vector3, position: Vector3, turn: Vector3, span: Span, *, is_fixed: bool
    ) -> "PlacedSolid":
        """Return what stands with the middle of its base at `position`."""
        axes = rotation_matrix(*turn)
        return cls(name, shape, _half(size), _middle(position, axes, size), axes, is_fixed, span)

    @classmethod
    def all_of(cls, thing: Object, *, is_fixed: bool) -> "list[PlacedSolid]":
        """Return the shapes of an object."""
        return [solid for shape in thing.shapes for solid in cls.all_of_part(thing, shape, is_fixed=is_fixed)]

    @classmethod
    def all_of_part(cls, thing: _Placed, shape: ObjectPart, *, is_fixed: bool) -> "list[PlacedSolid]":
        """Return one of its shapes, a polygon as its convex parts."""
        axes = rotation_matrix(*thing.orientation)
        base = axes @ np.array(shape.position) + thing.position
        turn = axes @ rotation_matrix(*shape.orientation) if any(shape.orientation) else axes
        if shape.points:
            return list(cls._of_polygon(thing, shape, (base, turn), is_fixed=is_fixed))
        place = (_half(shape.size), _middle(base, turn, shape.size), turn)
        return [cls(thing.name, shape.shape, *place, is_fixed, thing.span)]

    @classmethod
    def _of_polygon(
        cls, thing: _Placed, shape: ObjectPart, place: tuple[Floats, Floats], *, is_fixed: bool
    ) -> "Iterator[PlacedSolid]":
        """Yield the convex parts of a polygon, each around the mean of its corners."""
        (base, turn), points = place, shape.points or ()
        for part in convex_parts(list(zip(points[::2], points[1::2], strict=True))):
            centre = np.mean(part, axis=0)
            outline = np.array(part) - centre
            half = (*np.abs(outline).max(axis=0).tolist(), shape.size[2] / 2)
            middle = _middle(base + turn @ np.array([*centre, 0.0]), turn, shape.size)
            yield cls(thing.name, "box", half, middle, turn, is_fixed, thing.span, outline)

    @property
    def reach(self) -> Floats:
        """Half of the box along the axes of the world that holds it [m]."""
        if self.shape == "sphere":
            return np.array(self.half)
        if self.shape == "box":
            return np.asarray(np.abs(self.turn) @ np.array(self.half))
        axis = self.turn[:, 2]
        return self.half[0] * np.sqrt(np.maximum(0.0, 1.0 - axis**2)) + self.half[2] * np.abs(axis)

    @property
    def is_standing_cylinder(self) -> bool:
        """Whether it is a cylinder whose axis points up."""
        return self.shape == "cylinder" and self.turn[2, 2] == 1.0

    def extent(self, directions: Floats) -> Floats:
        """Return how far it goes from its middle along unit vectors, shape (n, 3) [m]."""
        if self.shape == "sphere":
            return np.full(len(directions), self.half[0])
        if self.outline is not None:
            local = directions @ self.turn
            return np.asarray((local[:, :2] @ self.outline.T).max(axis=1) + np.abs(local[:, 2]) * self.half[2])
        local = np.abs(directions @ self.turn)
        if self.shape == "box":
            return np.asarray(local @ np.array(self.half))
        return np.asarray(self.half[0] * np.hypot(local[:, 0], local[:, 1]) + self.half[2] * local[:, 2])

    def nearest(self, point: Floats) -> Floats:
        """Return the point of it that is nearest to another one, or to its own axis where it is round."""
        local = (point - self.middle) @ self.turn
        bound = np.array(self.half)
        if self.shape != "box":
            across = math.hypot(local[0], local[1])
            bound[:2] = np.abs(local[:2]) * min(1.0, self.half[0] / across) if across else 0.0
        return np.asarray(self.middle + self.turn @ np.clip(local, -bound, bound))


def _half(size: Vector3) -> Vector3:
    return size[0] / 2, size[1] / 2, size[2] / 2


def _middle(base: ArrayLike, axes: Floats, size: Vector3) -> Floats:
    return np.asarray(np.asarray(base) + axes[:, 2] * (size[2] / 2))


def overlap(one: PlacedSolid, other: PlacedSolid) -> float:
    """Return the shortest way that parts two solids, 0 where they do not overlap [m].

    Up or down counts only where one stands on the other: what stands beside it is pushed aside. Exact for boxes, for
    spheres, and for whatever stands upright; for leaning cylinders at most too long.
    """
    if one.is_standing_cylinder and other.is_standing_cylinder:
        return _standing_overlap(one, other)
    directions = _directions(one, other)
    between = directions @ (other.middle - one.middle)
    # from the first towards the second: a polygon goes as far to one side alone
    directions = np.where(between[:, np.newaxis] < 0.0, -directions, directions)
    depth = one.extent(directions) + other.extent(-directions) - np.abs(between)
    is_beside = (np.abs(directions[:, 2]) > _UPRIGHT) & (depth > min(one.reach[2], other.reach[2]))
    return max(0.0, float(depth[~is_beside].min()))


def _standing_overlap(one: PlacedSolid, other: PlacedSolid) -> float:
    """Return what `overlap` does of cylinders that stand upright, of which a crowd has thousands of pairs."""
    x, y, z = (other.middle - one.middle).tolist()
    beside, up = one.half[0] + other.half[0] - math.hypot(x, y), one.half[2] + other.half[2] - abs(z)
    return max(0.0, beside if up > min(one.half[2], other.half[2]) else min(beside, up))


def _directions(one: PlacedSolid, other: PlacedSolid) -> Floats:
    """Return the unit vectors along which two solids may be apart."""
    faces = np.vstack([one.turn.T, other.turn.T, *(_sides(solid) for solid in (one, other))])
    crossed = np.cross(one.turn.T[:, None], other.turn.T[None]).reshape(-1, 3)
    towards = [_between(one, other), _between(other, one)]
    directions = np.vstack([faces, crossed, *towards])
    length = np.linalg.norm(directions, axis=1)
    directions, length = directions[length > _NEARLY], length[length > _NEARLY]
    return np.asarray(directions / length[:, np.newaxis])


def _between(one: PlacedSolid, other: PlacedSolid) -> Floats:
    """Return the ways to a round solid from what of the other is nearest to it, and from the corners of that."""
    if one.shape == "box":
        return np.zeros((0, 3))
    points = np.vstack([other.nearest(one.middle), other.middle, _corners(other)])
    ways = one.middle - points
    if one.shape == "cylinder":
        axis = one.turn[:, 2]
        ways = ways - np.outer(ways @ axis, axis)
    return np.asarray(ways)


def _sides(solid: PlacedSolid) -> Floats:
    """Return the normals of the sides of a polygon, none of other solids."""
    if solid.outline is None:
        return np.zeros((0, 3))
    normals = [(v - y, x - u, 0.0) for (x, y), (u, v) in edges([(x, y) for x, y in solid.outline.tolist()])]
    return np.asarray(np.array(normals) @ solid.turn.T)


def _corners(solid: PlacedSolid) -> Floats:
    if solid.shape != "box":
        return np.zeros((0, 3))
    if solid.outline is not None:
        solid_corners = [(*corner, z) for corner in solid.outline.tolist() for z in (-solid.half[2], solid.half[2])]
        return np.asarray(solid.middle + np.array(solid_corners) @ solid.turn.T)
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    return np.asarray(solid.middle + (signs * np.array(solid.half)) @ solid.turn.T)
