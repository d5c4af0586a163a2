"""Neutral bodies as bodies, shapes and floor joints of Chipmunk."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
import pymunk
from numpy.typing import NDArray
from pymunk._chipmunk_cffi import ffi, lib

from coopsim.engines.contract import BodySpec, ShapeSpec
from coopsim.engines.planar.space import PlanarBody, PlanarSpace
from coopsim.engines.plane.footprints import (
    Footprint,
    centre,
    corners_of,
    footprints,
    grip,
    inertia,
    layers,
    moved_mass,
    planar_pose,
    turning_grip,
)
from coopsim.geometry import Ints
from coopsim.scene.measures import POLYGON
from coopsim.scene.polygons import convex_parts

_IN_PLACE: Final = pymunk.Transform.identity()
_KINDS = 1024
"""Shapes whose corners are kept: thousands of robots are of a few types."""


@dataclass(frozen=True, slots=True, eq=False)
class BodyShapes:
    """A body in Chipmunk, its shapes, and what brakes it on the floor; a fixed one may be shapes of `walls` alone."""

    spec: BodySpec
    body: PlanarBody
    shapes: tuple[Any, ...]
    joints: tuple[Any, ...] = ()

    @property
    def moves(self) -> bool:
        """Whether the body has mass."""
        return self.spec.mass > 0.0


def add_body(space: PlanarSpace, spec: BodySpec, *, for_joints: bool = False) -> BodyShapes:
    """Add a body that has passed `check_planar`, with its shapes and what brakes it on the floor.

    Args:
        space: Where.
        spec: What.
        for_joints: Whether a fixed body shall have a body of Chipmunk of its own: joints keep pairs of those apart.
    """
    prints = footprints(spec)
    if spec.mass > 0.0:
        place = _moving(space.floor, spec, prints)
    else:
        place = _joinable(spec, prints) if for_joints else _fixed(space, spec, prints)
    space.add(_own_body(space, place), place.shapes, place.joints)
    return place


def remove_body(space: PlanarSpace, place: BodyShapes) -> None:
    """Take away all that `add_body` added."""
    space.remove(_own_body(space, place), place.shapes, place.joints)


def _own_body(space: PlanarSpace, place: BodyShapes) -> PlanarBody | None:
    return None if place.body is space.walls else place.body  # that one is every fixed body's, and stays


def _moving(floor: PlanarBody, spec: BodySpec, prints: tuple[Footprint, ...]) -> BodyShapes:
    body = PlanarBody(lib.cpBodyNew(moved_mass(spec), inertia(spec.mass, prints)))
    x, y, yaw = planar_pose(spec)
    lib.cpBodySetCenterOfGravity(body.pointer, centre(prints))
    lib.cpBodySetAngle(body.pointer, yaw)
    lib.cpBodySetPosition(body.pointer, (x, y))
    joints = _floor_joints(floor, spec, body, prints)
    return BodyShapes(spec, body, _shapes(body, spec, prints, _IN_PLACE), joints)


def _fixed(space: PlanarSpace, spec: BodySpec, prints: tuple[Footprint, ...]) -> BodyShapes:
    x, y, yaw = planar_pose(spec)
    place = pymunk.Transform.translation(x, y).rotated(yaw)
    return BodyShapes(spec, space.walls, _shapes(space.walls, spec, prints, place))


def _joinable(spec: BodySpec, prints: tuple[Footprint, ...]) -> BodyShapes:
    body = PlanarBody(lib.cpBodyNewStatic())
    body.put(planar_pose(spec), (0.0, 0.0, 0.0))
    return BodyShapes(spec, body, _shapes(body, spec, prints, _IN_PLACE))


def _shapes(
    body: PlanarBody, spec: BodySpec, prints: tuple[Footprint, ...], place: pymunk.Transform
) -> tuple[Any, ...]:
    pairs = zip(spec.shapes, prints, strict=True)
    return tuple(
        _finished(outline, spec.pose[2], shape, seen)
        for shape, seen in pairs
        for outline in _outlines(body, shape, seen, place)
    )


def _outlines(body: PlanarBody, spec: ShapeSpec, seen: Footprint, place: pymunk.Transform) -> tuple[Any, ...]:
    if spec.kind == POLYGON:
        return tuple(_polygon(body, part, place) for part in convex_parts(corners_of(spec)))
    if seen.half_width != 0.0:
        return (_polygon(body, _corners(seen), place),)
    circle = lib.cpCircleShapeNew(body.pointer, seen.half_length, place @ pymunk.Vec2d(seen.x, seen.y))
    lib.cpShapeSetUserData(circle, circle)  # see `is_circle`: polygons have none
    return (circle,)


def is_circle(shape: Any) -> bool:
    """Return whether a shape is a circle; Chipmunk itself does not say it."""
    return bool(lib.cpShapeGetUserData(shape) != ffi.NULL)


def _polygon(body: PlanarBody, corners: Any, place: pymunk.Transform) -> Any:
    return lib.cpPolyShapeNew(body.pointer, len(corners), corners, place, 0.0)


@lru_cache(_KINDS)
def _corners(seen: Footprint) -> Any:
    """Return the corners of a rectangle in the frame of its body, as Chipmunk wants them [m]."""
    sides = [(i * seen.half_length, j * seen.half_width) for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    c, s = seen.cos, seen.sin
    return ffi.new("cpVect[]", [(seen.x + (c * u - s * v), seen.y + (s * u + c * v)) for u, v in sides])


def _finished(shape: Any, base: float, spec: ShapeSpec, seen: Footprint) -> Any:
    lib.cpShapeSetFriction(shape, spec.friction)
    lib.cpShapeSetElasticity(shape, spec.restitution)
    lib.cpShapeSetFilter(shape, _filter(layers(base + seen.low, base + seen.high)))
    return shape


@lru_cache(_KINDS)
def _filter(heights: int) -> pymunk.ShapeFilter:
    """Return the heights as both what a shape is and what it meets: two collide where they share a layer."""
    return pymunk.ShapeFilter(categories=heights, mask=heights)


def _floor_joints(
    floor: PlanarBody, spec: BodySpec, body: PlanarBody, prints: tuple[Footprint, ...]
) -> tuple[Any, ...]:
    """Brake sliding and turning by no more than the floor can, and never pull the body back."""
    if spec.rolling == 0.0:
        return ()
    slide = lib.cpPivotJointNew2(floor.pointer, body.pointer, (0.0, 0.0), centre(prints))
    turn = lib.cpGearJointNew(floor.pointer, body.pointer, 0.0, 1.0)
    # no bias: the joint brakes a velocity and does not pull back to where it was made
    for joint, most in ((slide, grip(spec)), (turn, turning_grip(spec, prints))):
        lib.cpConstraintSetMaxBias(joint, 0.0)
        lib.cpConstraintSetMaxForce(joint, most)
    return slide, turn


def put_body(space: PlanarSpace, body: PlanarBody, values: Sequence[float]) -> None:
    """Put a body elsewhere: x y yaw vx vy w."""
    x, y, yaw, vx, vy, w = values
    body.put((x, y, yaw), (vx, vy, w))
    lib.cpSpaceReindexShapesForBody(space.pointer, body.pointer)


def rows_of_bodies(bodies: Sequence[PlanarBody], listed: NDArray[np.uintp], order: Ints) -> Ints:
    """Return where Chipmunk keeps bodies, given the addresses it lists and their order."""
    ids = np.array([body.address for body in bodies], np.uintp)
    return order[np.searchsorted(listed, ids, sorter=order)].astype(np.int64)
