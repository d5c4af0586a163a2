"""The state of a planar engine as bytes: the neutral description and the arrays."""

from dataclasses import astuple
from typing import Any

import msgpack
import numpy as np

from coopsim.engines.contract import BodySpec, ShapeSpec, WorldSpec
from coopsim.errors import EngineCannot
from coopsim.geometry import Floats
from coopsim.scene import Span

_FORMAT = "coopsim planar 1"


def pack(world: WorldSpec, names: tuple[str, ...], planar: Floats, wrench: Floats) -> bytes:
    """Return the world with all its bodies as bytes; rows of the arrays belong to `names`."""
    bodies = [astuple(body) for body in world.bodies]
    arrays = planar.astype("<f8").tobytes(), wrench.astype("<f8").tobytes()
    return bytes(msgpack.packb([_FORMAT, bodies, list(world.floor), list(names), *arrays]))


def unpack(snapshot: bytes) -> tuple[WorldSpec, tuple[str, ...], Floats, Floats]:
    """Return what `pack` was given.

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


def _rows(data: bytes, count: int) -> Floats:
    return np.frombuffer(data, "<f8").reshape(count, 6).astype(np.float64)


def _body(name: str, pose: Any, mass: float, shapes: Any, rolling: float, span: Any) -> BodySpec:
    return BodySpec(name, tuple(pose), mass, tuple(ShapeSpec(*shape) for shape in shapes), rolling, Span(*span))
