"""A shape that is one body with an object."""

from dataclasses import dataclass

from coopsim.geometry import Vector3

MOST_PARTS = 32
"""Of one object."""


@dataclass(frozen=True, slots=True)
class ObjectPart:
    """Part of an object, from a `part_n` line.

    Attributes:
        shape: "box", "cylinder" or "sphere".
        size: Bounding box: length, width, height [m].
        position: The middle of its base, in the frame of the object [m].
        number: That of its line; 0 = the object's own shape.
        mass: Of it alone [kg]; None = by its volume, of what the others leave.
        friction: None = the object's.
        color: None = the object's.
        orientation: Rotations about the x, y and z axes of the object, in that order [rad]; the middle of its base
            stays where it is.
        points: Corners of its convex hull, or of a polygon, see `ShapeSpec`; None = it is what `shape` and `size` say.
    """

    shape: str
    size: Vector3
    position: Vector3 = (0.0, 0.0, 0.0)
    number: int = 0
    mass: float | None = None
    friction: float | None = None
    color: Vector3 | None = None
    orientation: Vector3 = (0.0, 0.0, 0.0)
    points: tuple[float, ...] | None = None
