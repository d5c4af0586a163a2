"""Readers of what all bodies in files have: shape, size, place, friction."""

from coopsim.geometry import Vector3
from coopsim.scene import values
from coopsim.scene.values import FARTHEST, SMALLEST

SHAPES = ("box", "cylinder", "sphere")
POLYGON = "polygon"
"""Shape that has corners of its own."""

SIZE = values.vector("length width height", (SMALLEST, SMALLEST, SMALLEST), FARTHEST, "m")
POSITION = values.vector("x y z", (-FARTHEST, -FARTHEST, -FARTHEST), FARTHEST, "m")
FRICTION = values.number(0.0, 10.0)


def misshapen(shape: str, size: Vector3) -> str:
    """Return why a shape cannot have this size, "" if it can; a size is the bounding box."""
    length, width, height = size
    if shape in ("cylinder", "capsule", "cone") and length != width:
        return f"size: length and width of a {shape} are its diameter, they must be equal; got {length:g} {width:g}"
    if shape == "sphere" and not length == width == height:
        return f"size: a sphere's three sizes are its diameter, they must be equal; got {length:g} {width:g} {height:g}"
    return ""
