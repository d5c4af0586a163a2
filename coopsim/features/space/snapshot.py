"""The state of an engine in space as bytes: the neutral description and the arrays."""

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from typing import Any, NamedTuple

import msgpack
import numpy as np
from numpy.typing import NDArray

from coopsim.engines.contract import BodySpec, JointSpec, ShapeSpec, WorldSpec
from coopsim.errors import EngineCannot
from coopsim.features.space.free_flight import AWAKE, INTEGRATORS
from coopsim.features.space.grips import SpatialAnchors, SpatialJoint
from coopsim.features.space.kernels import NEVER
from coopsim.features.space.solids import Solid, solids_of
from coopsim.features.space.state import SpatialState
from coopsim.geometry import UNTURNED, Floats
from coopsim.scene import JointDynamics, SoftNode, Span, by_name
from coopsim.state.plain import check
from coopsim.state.plain import unpack as unpack_plain

_SPRINGY = ("far_anchor", "length")
"""Fields of a joint before its dynamics, the last one, which springs alone need."""
_ENDS = 6
"""Fields of a joint behind its span, where nothing resists it."""
_RIGID = 4
"""Fields of a body behind its span, where it is no node of a cloth or a soft body."""
MUJOCO, FLIGHT = "coopsim mujoco 1", "coopsim flight 1"
_FORMER, _NEWEST = INTEGRATORS[1], INTEGRATORS[0]
_WORDS = "loops", "loose", "together", "coupled", "grounded", "rubbing", "bolted", "catching"
"""Of a mark behind its integrator, in the order of its fields: one for each that is so."""
_ARRAYS = len(fields(SpatialState)) - 1
"""Of a state: all its fields but the names."""
_OWN_COLUMNS = 13
"""Of a body in MuJoCo's own numbers: place, quaternion, velocity, angular velocity."""


class EngineMark(NamedTuple):
    """Engine that made a snapshot, as the snapshot says it.

    Attributes:
        integrator: Name of one of `free_flight.INTEGRATORS`, or `AWAKE`.
        weighs_once: Whether a link that closes a loop weighs what it weighs; for earlier versions it weighed more,
            by the part of its mass that the joint of the loop carries.
        is_loose: Whether motors know of joints that nothing drives, and that these give way; earlier versions took
            them for rigid.
        is_together: Whether all motors of a robot are reckoned in one where they would swing up otherwise; in earlier
            versions those of each module counted the others, and a free base, as at rest.
        is_coupled: Whether joints that follow each other share their damping, and a motor before one of them knows the
            others; in earlier versions followers swung about a light leader, and its motor did not bear them. With it,
            motors that swing up in any posture are reckoned in one; before, where they did with all joints at 0.
        is_grounded: Whether motors of a robot on a free base know what it touches, see `grounded_motors`; in earlier
            versions that was left to the integral part of their servos, too weak for a robot with light legs.
        is_rubbing: Whether MuJoCo's own friction brakes such robots however fast they slide, and their motors know the
            stops of joints and the parts of a step. In earlier versions feet that slid were braked as if nothing hung
            on them, and servos wound up against what they did not know.
        holds_bolted: Whether the engine `flight` holds bodies that are bolted down; in earlier versions they fell.
        is_catching: Whether what hits something on MuJoCo, links aside, is caught in short steps as in those of 5 ms.
            In earlier versions, at 1 ms, it was thrown back with 0.14 of its speed.
    """

    integrator: str
    weighs_once: bool = False
    is_loose: bool = False
    is_together: bool = False
    is_coupled: bool = False
    is_grounded: bool = False
    is_rubbing: bool = False
    holds_bolted: bool = False
    is_catching: bool = False


class Unpacked(NamedTuple):
    """A snapshot as an engine takes it, everything in sorted order of the names.

    Attributes:
        world: Of the floor, without its joints.
        solids: All bodies.
        holds: How joints hold, by name.
        state: What moves.
        own: What the solver goes on from, see `Mirror.own`, shape (n, 13); None where it goes on from `state`.
        mark: Of the engine.
    """

    world: WorldSpec
    solids: dict[str, Solid]
    holds: dict[str, SpatialJoint]
    state: SpatialState
    own: Floats | None
    mark: EngineMark


def marked(name: str, mark: EngineMark) -> str:
    """Return the first words of snapshots of an engine; earlier versions, which knew one way, had its name alone."""
    integrator = [] if mark.integrator == _FORMER else [mark.integrator]
    if name == MUJOCO and mark.integrator in (_NEWEST, AWAKE):
        # the newest alone was the word of a version in which nothing lay still
        integrator = [_NEWEST, "lying"] if mark.integrator == _NEWEST else [_NEWEST]
    said = (word for is_so, word in zip(mark[1:], _WORDS, strict=True) if is_so)
    return " ".join([name, *integrator, *said])


def _mark_in(words: object, name: str) -> EngineMark | None:
    said = str(words).split()
    ways = [word in said for word in _WORDS]
    every = (EngineMark(integrator, *ways) for integrator in (*INTEGRATORS, AWAKE))
    return next((mark for mark in every if words == marked(name, mark)), None)


def mark_of(snapshot: bytes, name: str) -> EngineMark | None:
    """Return what bytes say of their engine, None where they are no snapshot of such an engine."""
    try:
        unpacker = msgpack.Unpacker(max_buffer_size=len(snapshot))
        unpacker.feed(snapshot)
        words = unpacker.unpack() if unpacker.read_array_header() else None
    except (ValueError, msgpack.UnpackException):
        return None
    return _mark_in(words, name)


def describe(bodies: Iterable[BodySpec]) -> bytes:
    """Return what of a snapshot changes only when bodies come or go."""
    return bytes(msgpack.packb([_plain(body) for body in bodies]))


def pack(
    described: bytes,
    world: WorldSpec,
    joints: Iterable[SpatialJoint],
    state: SpatialState,
    mark: tuple[str, EngineMark],
    own: Floats | None = None,
) -> bytes:
    """Return everything as bytes.

    Args:
        described: What `describe` returned for the bodies.
        world: World of the floor; its bodies and joints are not used.
        joints: How they hold.
        state: What moves.
        mark: Name of the engine, and what else a snapshot says of it.
        own: What the solver goes on from, shape (n, 13); None where that is `state`.
    """
    floor = _plain(replace(world, bodies=(), joints=()))
    holds = [(_plain(joint.spec), joint.grip, joint.carriage.astype("<f8").tobytes()) for joint in joints]
    if mark[1].integrator == _FORMER:  # that integrator knows of no flight
        state = replace(state, rest=np.maximum(state.rest, NEVER))
    arrays = [getattr(state, field.name) for field in fields(state) if field.name != "names"]
    arrays += [] if own is None else [own]
    # lowest byte first, on every machine
    raw = [array.astype(array.dtype.newbyteorder("<")).tobytes() for array in arrays]
    rest = [msgpack.packb(part) for part in (floor, holds, state.names, raw)]
    return b"".join((msgpack.Packer().pack_array_header(2 + len(rest)), msgpack.packb(marked(*mark)), described, *rest))


def unpack_sorted(snapshot: bytes) -> Unpacked:
    """Return what a snapshot of the MuJoCo engine holds.

    Raises:
        EngineCannot: The bytes are no snapshot of this engine.
    """
    world, joints, state, own, mark = unpack(snapshot)
    solids = solids_of(world)
    order = sorted(range(len(state.names)), key=lambda row: by_name(state.names[row]))
    holds = {joint.spec.name: joint for joint in sorted(joints, key=lambda joint: by_name(joint.spec.name))}
    if [state.names[row] for row in order] != [name for name, solid in solids.items() if solid.moves]:
        raise EngineCannot(
            "this snapshot of the mujoco engine is damaged: its rows and its moving bodies have different names"
        )
    return Unpacked(world, solids, holds, state.rows_of(order), own if own is None else own[order], mark)


def unpack(
    snapshot: bytes, name: str = MUJOCO
) -> tuple[WorldSpec, tuple[SpatialJoint, ...], SpatialState, Floats | None, EngineMark]:
    """Return the world without its joints, how those hold, what moves, what the solver goes on from, and the mark.

    Raises:
        EngineCannot: The bytes are no snapshot of this engine.
    """
    try:
        words, bodies, floor, holds, names, raw = unpack_plain(snapshot, use_list=False)
        mark = _mark_in(words, name)
        if mark is None:
            raise EngineCannot(f"expected a snapshot marked {name!r}, got {words!r}")
        _, _, size, friction, orientation, span = floor
        world = WorldSpec(tuple(map(_body, bodies)), (), size, friction, orientation, Span(*span))
        check(world, WorldSpec)
        joints = tuple(
            SpatialJoint(_joint(spec), SpatialAnchors(*grip), _array(carriage, "<f8", (3, len(carriage) // 24)))
            for spec, grip, carriage in holds
        )
        # snapshots of earlier versions end with the state
        own = _array(raw[-1], "<f8", (len(names), _OWN_COLUMNS)) if len(raw) > _ARRAYS else None
        return world, joints, _state(names, raw[:_ARRAYS]), own, mark
    except (TypeError, ValueError, OverflowError) as error:
        raise EngineCannot(f"these {len(snapshot)} bytes are no snapshot of this engine: {error}") from error


def _state(names: tuple[str, ...], raw: Sequence[bytes]) -> SpatialState:
    positions, velocities, pushes, rest, wrench = raw
    count = len(names)
    return SpatialState(
        tuple(map(str, names)),
        _array(positions, "<f8", (count, 7)),
        _array(velocities, "<f8", (count, 6)),
        _array(pushes, "<f8", (count, 6)),
        _array(rest, "<i8", (count,)),
        _array(wrench, "<f8", (count, 6)),
    )


def _array(raw: bytes, kind: str, shape: tuple[int, ...]) -> NDArray[Any]:
    array = np.frombuffer(raw, kind).reshape(shape)
    return array.astype(array.dtype.newbyteorder("="))


def _plain(thing: Any) -> Any:
    """Return a spec as nested tuples."""
    # left out where there is none: snapshots of earlier versions are the same
    if isinstance(thing, ShapeSpec) and thing.points is None:
        left_out = ("points", "turn") if thing.turn == UNTURNED else ("points",)
        return tuple(_plain(getattr(thing, field.name)) for field in fields(thing) if field.name not in left_out)
    if isinstance(thing, JointSpec):
        # without the fields of springs, where there is none: snapshots of earlier versions are the same
        plain = [_plain(getattr(thing, field.name)) for field in fields(thing)]
        if thing.dynamics is None:
            plain = plain[:-1] if thing.kind == "spring" else plain[: -1 - len(_SPRINGY)]
        return tuple(plain)
    if isinstance(thing, BodySpec) and thing.soft is None:
        return tuple(_plain(getattr(thing, field.name)) for field in fields(thing) if field.name != "soft")
    if isinstance(thing, BodySpec | ShapeSpec | WorldSpec | Span | SoftNode | JointDynamics):
        return tuple(_plain(getattr(thing, field.name)) for field in fields(thing))
    return tuple(map(_plain, thing)) if isinstance(thing, tuple) else thing


def _body(plain: Any) -> BodySpec:
    name, pose, mass, shapes, rolling, wheeled, span, *whole = plain
    solid = tuple(ShapeSpec(*shape) for shape in shapes)
    # a body of a lattice has one field more
    if len(whole) > _RIGID:
        whole[-1] = SoftNode(*whole[-1])
    return BodySpec(name, pose, mass, solid, rolling, wheeled, Span(*span), *whole)


def _joint(plain: Any) -> JointSpec:
    name, kind, a, b, anchor, axis, limit, stiffness, damping, carriage, span, *ends = plain
    if len(ends) > _ENDS:
        ends[-1] = JointDynamics(*ends[-1])
    return JointSpec(name, kind, a, b, anchor, axis, limit, stiffness, damping, carriage, Span(*span), *ends)
