"""The state of a planar engine as bytes: the neutral description and the arrays."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, get_type_hints

import msgpack
import numpy as np

from coopsim.engines.contract import BodySpec, JointSpec, ShapeSpec, WorldSpec
from coopsim.engines.planar.bindings import PlanarAnchors, State
from coopsim.errors import EngineCannot
from coopsim.geometry import UNTURNED, Floats, Vector3
from coopsim.scene import Span
from coopsim.scene.measures import POLYGON
from coopsim.state.plain import check
from coopsim.state.plain import unpack as unpack_plain

PYMUNK = "coopsim planar 1"
KINEMATIC = "coopsim kinematic 1"


def describe(bodies: Iterable[BodySpec]) -> bytes:
    """Return what of a snapshot changes only when bodies come or go."""
    return bytes(msgpack.packb([_content(body) for body in bodies]))


def describe_joints(joints: Iterable[tuple[JointSpec, PlanarAnchors, State | None]]) -> bytes:
    """Return joints, how they hold, and where the carriage of a support is."""
    return bytes(msgpack.packb([(_joint(spec), grip, state) for spec, grip, state in joints]))


def pack(
    mark: str,
    described: bytes,
    floor: Vector3,
    names: Sequence[str],
    planar: Floats,
    wrench: Floats,
    joints: bytes = b"",
) -> bytes:
    """Return everything as bytes.

    Args:
        mark: Of the engine.
        described: What `describe` returned for the bodies.
        floor: Its size.
        names: Whose the rows of the arrays are.
        planar: Positions and velocities, shape (n, 6).
        wrench: Forces that wait for the next step, shape (n, 6).
        joints: What `describe_joints` returned, if there are any.
    """
    arrays = planar.astype("<f8").tobytes(), wrench.astype("<f8").tobytes()
    rest = [msgpack.packb(part) for part in (list(floor), list(names), *arrays)]
    if joints:
        rest.append(joints)
    return b"".join((msgpack.Packer().pack_array_header(2 + len(rest)), msgpack.packb(mark), described, *rest))


def unpack(
    mark: str, snapshot: bytes
) -> tuple[WorldSpec, tuple[str, ...], Floats, Floats, list[tuple[JointSpec, PlanarAnchors, State | None]]]:
    """Return the world without its joints, whose rows the two arrays hold, the arrays, and the joints.

    Raises:
        EngineCannot: The bytes are no snapshot of this engine.
    """
    try:
        version, bodies, floor, names, planar, wrench, *joints = unpack_plain(snapshot, use_list=False)
        if version != mark:
            raise EngineCannot(f"expected a snapshot marked {mark!r}, got {version!r}")
        world = WorldSpec(tuple(_body(*body) for body in bodies), floor=tuple(floor))
        check(world, WorldSpec)
        _check_names(world, names)
        held = [
            (_joint_of(*spec), _grip(grip), None if state is None else _state(state))
            for joint in joints
            for spec, grip, state in joint
        ]
        return world, names, _rows(planar, len(names)), _rows(wrench, len(names)), held
    except (TypeError, ValueError, OverflowError) as error:
        raise EngineCannot(f"these {len(snapshot)} bytes are no snapshot of this engine: {error}") from error


def _check_names(world: WorldSpec, names: Any) -> None:
    """Check that the rows are those of the bodies that move."""
    check(names, tuple[str, ...], "names")
    moving = sorted(body.name for body in world.bodies if body.mass > 0.0)
    if sorted(names) != moving:
        raise ValueError("its rows and its moving bodies have different names")


def _grip(content: Any) -> PlanarAnchors:
    check(content, tuple[tuple(get_type_hints(PlanarAnchors).values())], "grip")  # type: ignore[misc]
    return PlanarAnchors(*content)


def _state(content: Any) -> State:
    check(content, State, "state")
    return tuple(content)


def _content(body: BodySpec) -> tuple[Any, ...]:
    shapes = [_shape(shape) for shape in body.shapes]
    return body.name, body.pose, body.mass, shapes, body.rolling, _span_key(body.span)


def _shape(shape: ShapeSpec) -> tuple[Any, ...]:
    # left out where there is none: snapshots of older versions stay the same bytes
    turn = () if shape.turn == UNTURNED and shape.kind != POLYGON else (shape.turn,)
    points = (shape.points,) if shape.kind == POLYGON else ()
    return shape.kind, shape.size, shape.friction, shape.restitution, shape.position, shape.share, *turn, *points


def _joint(joint: JointSpec) -> tuple[Any, ...]:
    numbers = joint.limit, joint.stiffness, joint.damping, joint.carriage
    # as above: only springs have them
    springy = (joint.far_anchor, joint.length) if joint.kind == "spring" else ()
    return (
        joint.name,
        joint.kind,
        joint.a,
        joint.b,
        joint.anchor,
        joint.axis,
        *numbers,
        _span_key(joint.span),
        joint.lower,
        joint.upper,
        *springy,
    )


def _span_key(span: Span) -> tuple[Any, ...]:
    return span.file, span.line, span.column, span.length


def _rows(data: bytes, count: int) -> Floats:
    rows = np.frombuffer(data, "<f8").reshape(count, 6).astype(np.float64)
    if not np.isfinite(rows).all():
        raise ValueError("expected finite positions and velocities")
    return rows


def _body(name: str, pose: Any, mass: float, shapes: Any, rolling: float, span: Any) -> BodySpec:
    return BodySpec(name, tuple(pose), mass, tuple(ShapeSpec(*shape) for shape in shapes), rolling, span=Span(*span))


def _joint_of(name: str, kind: str, a: str, b: str, anchor: Any, axis: Any, *rest: Any) -> JointSpec:
    limit, stiffness, damping, carriage, span, *more = rest
    ends, springy = more[:2], more[2:] or (None, None)
    spec = JointSpec(name, kind, a, b, tuple(anchor), tuple(axis), 1.0, stiffness, damping, carriage, Span(*span))
    far, length = springy
    spec = replace(spec, far_anchor=None if far is None else tuple(far), length=length)
    # limits may be infinite, which the check of plain numbers refuses
    check(replace(spec, lower=0.0, upper=0.0), JointSpec)
    lower, upper = ends or (spec.lower, spec.upper)
    return replace(spec, limit=float(limit), lower=float(lower), upper=float(upper))  # which may be infinite
