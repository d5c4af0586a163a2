"""Bodies in space as an engine wants them that knows the plane alone."""

import math

from coopsim.engines import BodySpec
from coopsim.engines.plane.footprints import LAYER_HEIGHT
from coopsim.engines.rotations import minus, plus, turned
from coopsim.geometry import Vector3, heading, quaternion
from coopsim.simulation.joined import Pose

_STRAIGHTENED = math.radians(1.0)
"""What leans less is set upright."""
_SUNK = 0.005
"""So near to the boundary of a layer a body lies on it [m]: what stands on others sinks into them a little."""


def flattened(body: BodySpec, pose: Pose) -> Pose:
    """Return where a body is, upright if it leans a little or is a ball, which looks the same however it has rolled.

    Heights are kept but for what a body has sunk into others, since those in the plane meet layer by layer.

    Args:
        body: What it is.
        pose: Where it is.
    """
    turn = pose[3], pose[4], pose[5], pose[6]
    if len(body.shapes) == 1 and body.shapes[0].kind == "sphere":
        x, y, z = body.shapes[0].position
        middle: Vector3 = (x, y, z + 0.5 * body.shapes[0].size[2])
        place = plus((pose[0], pose[1], pose[2]), turned(turn, middle))
        turn = quaternion(0.0, 0.0, heading(*turn))
        pose = (*minus(place, turned(turn, middle)), *turn)
    elif 0.0 < 2.0 * math.hypot(turn[1], turn[2]) < _STRAIGHTENED:
        turn = quaternion(0.0, 0.0, heading(*turn))
    return (pose[0], pose[1], _raised(pose[2]), *turn)


def _raised(z: float) -> float:
    layer = round(z / LAYER_HEIGHT) * LAYER_HEIGHT
    return layer if layer > 0.0 and abs(z - layer) < _SUNK else z
