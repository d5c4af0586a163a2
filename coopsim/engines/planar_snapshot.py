"""The state of a planar engine as bytes: the neutral description and the arrays."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgpack
import numpy as np

from coopsim.engines.contract import BodySpec, ShapeSpec, WorldSpec
from coopsim.errors import EngineCannot
from coopsim.geometry import Floats, Vector3
from coopsim.scene import Span

_FORMAT = "coopsim planar 1"


def describe(bodies: Iterable[BodySpec]) -> bytes:
    """Return what of a snapshot changes only when bodies come or go."""
    return bytes(msgpack.packb([_content(body) for body in bodies]))


def pack(described: bytes, floor: Vector3, names: Sequence[str], planar: Floats, wrench: Floats) -> bytes:
    """Return everything as bytes.

    Args:
        described: What `describe` said of the bodies.
        floor: Its size.
        names: Whose the rows of the arrays are.
        planar: Positions and velocities, shape (n, 6).
        wrench: Forces that wait for the next step, shape (n, 6).
    """
    arrays = planar.astype("<f8").tobytes(), wrench.astype("<f8").tobytes()
    rest = [msgpack.packb(each) for each in (list(floor), list(names), *arrays)]
    return b"".join((msgpack.Packer().pack_array_header(2 + len(rest)), msgpack.packb(_FORMAT), described, *rest))


def unpack(snapshot: bytes) -> tuple[WorldSpec, tuple[str, ...], Floats, Floats]:
    """Return the world, and whose rows the two arrays hold.

    Raises:
        EngineCannot: The bytes are no snapshot of this engine.
    """
    try:
        mark, bodies, floor, names, planar, wrench = msgpack.unpackb(snapshot, use_list=False)
        if mark != _FORMAT:
            raise EngineCannot(f"expected a snapshot marked {_FORMAT!r}, got {mark!r}")
        world = WorldSpec(tuple(_body(*body) for body in bodies), floor=tuple(floor))
        return world, names, _rows(planar, len(names)), _rows(wrench, len(names))
    except (TypeError, ValueError, msgpack.UnpackException) as error:
        raise EngineCannot(f"these {len(snapshot)} bytes are no snapshot of the pymunk engine: {error}") from error


def _content(body: BodySpec) -> tuple[Any, ...]:
    shapes = [(it.kind, it.size, it.friction, it.restitution, it.position) for it in body.shapes]
    span = body.span.file, body.span.line, body.span.column, body.span.length
    return body.name, body.pose, body.mass, shapes, body.rolling, span


def _rows(data: bytes, count: int) -> Floats:
    return np.frombuffer(data, "<f8").reshape(count, 6).astype(np.float64)


def _body(name: str, pose: Any, mass: float, shapes: Any, rolling: float, span: Any) -> BodySpec:
    return BodySpec(name, tuple(pose), mass, tuple(ShapeSpec(*shape) for shape in shapes), rolling, span=Span(*span))
