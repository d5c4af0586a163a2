"""Neutral bodies as pymunk bodies, shapes and floor joints."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
import pymunk
from numpy.typing import NDArray
from pymunk._chipmunk_cffi import ffi, lib

from coopsim.engines.contract import BodySpec, ShapeSpec
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
    """A body in pymunk; a fixed one is shapes of the static body, or has one of its own for joints."""

    spec: BodySpec
    body: pymunk.Body
    shapes: tuple[pymunk.Shape, ...]
    joints: tuple[pymunk.Constraint, ...] = ()

    @property
    def moves(self) -> bool:
        """Whether the body has mass."""
        return self.spec.mass > 0.0


def add_floor(space: pymunk.Space) -> pymunk.Body:
    """Add a fixed body without shapes, on which the floor brakes all others, and return it.

    Chipmunk looks at all joints of a body when one of its shapes meets another: on the body of all walls the joints of
    the floor would be looked at by each robot beside a wall.
    """
    floor = pymunk.Body(body_type=pymunk.Body.STATIC)
    space.add(floor)
    return floor


def add_body(floor: pymunk.Body, space: pymunk.Space, spec: BodySpec, *, for_joints: bool = False) -> BodyShapes:
    """Add a body that has passed `check_planar`, with its shapes and what brakes it on the floor.

    Args:
        floor: What `add_floor` returned.
        space: Where.
        spec: What.
        for_joints: Whether a fixed body shall have a pymunk body of its own: joints keep pairs of those apart.
    """
    prints = footprints(spec)
    if spec.mass > 0.0:
        place = _moving(floor, space, spec, prints)
    else:
        place = _joinable(space, spec, prints) if for_joints else _fixed(space, spec, prints)
    space.add(*place.shapes, *place.joints)
    return place


def remove_body(space: pymunk.Space, place: BodyShapes) -> None:
    """Take away all that `add_body` added."""
    space.remove(*place.joints, *place.shapes)
    if place.body is not space.static_body:  # that one is every fixed body's, and stays
        space.remove(place.body)


def _moving(floor: pymunk.Body, space: pymunk.Space, spec: BodySpec, prints: tuple[Footprint, ...]) -> BodyShapes:
    body = pymunk.Body(moved_mass(spec), inertia(spec.mass, prints))
    x, y, yaw = planar_pose(spec)
    # thousands are made at a time: the attributes of pymunk do the same, and take three times as long
    address = body._body  # noqa: SLF001 - as above
    lib.cpBodySetCenterOfGravity(address, centre(prints))
    lib.cpBodySetAngle(address, yaw)
    lib.cpBodySetPosition(address, (x, y))
    space.add(body)
    return BodyShapes(spec, body, _shapes(body, spec, prints, _IN_PLACE), _floor_joints(floor, spec, body, prints))


def _fixed(space: pymunk.Space, spec: BodySpec, prints: tuple[Footprint, ...]) -> BodyShapes:
    x, y, yaw = planar_pose(spec)
    place = pymunk.Transform.translation(x, y).rotated(yaw)
    return BodyShapes(spec, space.static_body, _shapes(space.static_body, spec, prints, place))


def _joinable(space: pymunk.Space, spec: BodySpec, prints: tuple[Footprint, ...]) -> BodyShapes:
    body = pymunk.Body(body_type=pymunk.Body.STATIC)
    x, y, body.angle = planar_pose(spec)
    body.position = x, y
    space.add(body)
    return BodyShapes(spec, body, _shapes(body, spec, prints, _IN_PLACE))


def _shapes(
    body: pymunk.Body, spec: BodySpec, prints: tuple[Footprint, ...], place: pymunk.Transform
) -> tuple[pymunk.Shape, ...]:
    pairs = zip(spec.shapes, prints, strict=True)
    return tuple(
        _finished(outline, spec.pose[2], shape, seen)
        for shape, seen in pairs
        for outline in _outlines(body, shape, seen, place)
    )


def _outlines(body: pymunk.Body, spec: ShapeSpec, seen: Footprint, place: pymunk.Transform) -> tuple[pymunk.Shape, ...]:
    shape: pymunk.Shape
    if spec.kind == POLYGON:
        return tuple(pymunk.Poly(body, part, place) for part in convex_parts(corners_of(spec)))
    if seen.half_width == 0.0:
        shape = pymunk.Circle(body, seen.half_length, place @ pymunk.Vec2d(seen.x, seen.y))
    else:
        shape = pymunk.Poly(body, _corners(seen), place)
    return (shape,)


@lru_cache(_KINDS)
def _corners(seen: Footprint) -> Any:
    """Return the corners of a rectangle in the frame of its body, as Chipmunk wants them [m]."""
    sides = [(i * seen.half_length, j * seen.half_width) for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    c, s = seen.cos, seen.sin
    return ffi.new("cpVect[]", [(seen.x + (c * u - s * v), seen.y + (s * u + c * v)) for u, v in sides])


def _finished(shape: pymunk.Shape, base: float, spec: ShapeSpec, seen: Footprint) -> pymunk.Shape:
    address = shape._shape  # noqa: SLF001 - as in `_moving`
    lib.cpShapeSetFriction(address, spec.friction)
    lib.cpShapeSetElasticity(address, spec.restitution)
    lib.cpShapeSetFilter(address, _filter(layers(base + seen.low, base + seen.high)))
    return shape


@lru_cache(_KINDS)
def _filter(heights: int) -> pymunk.ShapeFilter:
    """Return the heights as both what a shape is and what it meets: two collide where they share a layer."""
    return pymunk.ShapeFilter(categories=heights, mask=heights)


def _floor_joints(
    floor: pymunk.Body, spec: BodySpec, body: pymunk.Body, prints: tuple[Footprint, ...]
) -> tuple[pymunk.Constraint, ...]:
    """Brake sliding and turning by no more than the floor can, and never pull the body back."""
    if spec.rolling == 0.0:
        return ()
    slide = pymunk.PivotJoint(floor, body, (0.0, 0.0), centre(prints))
    turn = pymunk.GearJoint(floor, body, 0.0, 1.0)
    # no bias: the joint brakes a velocity and does not pull back to where it was made
    for joint, most in ((slide, grip(spec)), (turn, turning_grip(spec, prints))):
        address = joint._constraint  # noqa: SLF001 - as in `_moving`
        lib.cpConstraintSetMaxBias(address, 0.0)
        lib.cpConstraintSetMaxForce(address, most)
    return slide, turn


def put_body(space: pymunk.Space, body: pymunk.Body, values: Sequence[float]) -> None:
    """Put a body elsewhere: x y yaw vx vy w."""
    x, y, yaw, vx, vy, w = values
    # the position follows from the angle where the centre of mass is off the origin
    body.angle = yaw
    body.position = x, y
    body.velocity = vx, vy
    body.angular_velocity = w
    space.reindex_shapes_for_body(body)


def body_addresses(bodies: Sequence[pymunk.Body], listed: NDArray[np.uintp], order: Ints) -> Ints:
    """Return where pymunk keeps bodies, given the names it lists and their order."""
    ids = np.array([body.id for body in bodies], np.uintp)
    return order[np.searchsorted(listed, ids, sorter=order)].astype(np.int64)
