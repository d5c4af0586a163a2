"""Looks of an entity: shapes and meshes, a tree in which each is placed relative to its parent."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from coopsim.geometry import ORIGIN, Pose, Vector3, within

SHAPES = ("box", "cylinder", "sphere", "capsule", "cone", "arrow", "mesh")
POLYGON = "polygon"
"""Shape of an area: as thick as its box is high, with corners of its own."""
# each costs room in the layout and a shape to draw in every window; a foreign file may name any number
MOST_VISUALS = 500
"""Of one entity."""
ROOT = -1
"""Parent of a visual that is placed relative to its body."""
_DARK: Vector3 = (0.1, 0.1, 0.1)  # an arrow that shows on light and coloured hulls
_MARK: Vector3 = (0.3, 0.3, 0.02)  # m; flat: a mark on the floor that nobody runs into
# wide enough to be seen from above, narrow enough to leave the colour of the robot in view
_ARROW_WIDTH = 0.2
"""Of the arrow on a robot, as a share of the robot's."""


@dataclass(frozen=True, slots=True)
class Visual:
    """A shape of an entity, drawn into a box of its size.

    Cylinders, capsules and cones stand upright. An arrow lies along x, from its tail to its tip. A mesh is scaled to
    the box.

    Attributes:
        shape: One of `SHAPES`, or `POLYGON`.
        size: Length, width, height [m]; None = the entity's.
        pose: The middle of its base, of an arrow its tail, relative to the parent's.
        color: Red, green, blue, 0 to 1; None = the entity's.
        parent: Index of an earlier visual of the entity, `ROOT` = the body.
        body: Name of the body within a robot that it sits on, "" = the first.
        texture: File of the picture on it, "" = none.
        mesh: File of the mesh, "" where the shape is none.
        points: Numbers x and y of each corner of a polygon, in its frame [m]; other shapes have none.
    """

    shape: str
    size: Vector3 | None = None
    pose: Pose = ORIGIN
    color: Vector3 | None = None
    parent: int = ROOT
    body: str = ""
    texture: str = ""
    mesh: str = ""
    points: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class PlacedVisual:
    """A visual as it is drawn: with a size and a colour, placed relative to its body."""

    shape: str
    size: Vector3
    pose: Pose
    color: Vector3
    body: str
    texture: str
    mesh: str
    points: tuple[float, ...] = ()

    @property
    def corners(self) -> list[tuple[float, float]]:
        """Corners of a polygon, in its frame [m]."""
        return list(zip(self.points[::2], self.points[1::2], strict=True))


def default_visuals(kind: str, shape: str, size: Vector3, texture: str = "") -> tuple[Visual, ...]:
    """Return what an entity looks like that says nothing of it: its body; a robot also has an arrow to the front.

    Args:
        kind: "floor", "object", "target", "robot" or "area".
        shape: Of its body. Where that is not known a robot is round if it is as long as wide, as in old recordings.
        size: Length, width, height of its body [m].
        texture: File of the picture on its body.
    """
    length, width, height = size
    match kind:
        case "floor":
            return (Visual("box", pose=(0.0, 0.0, -height, *ORIGIN[3:]), texture=texture),)
        case "target":
            return (Visual("cylinder", _MARK),)
        case "robot":
            shape = shape if shape in SHAPES else "cylinder" if math.isclose(length, width) else "box"
            thick = _ARROW_WIDTH * width
            front = Visual("arrow", (length / 2, thick, thick), (0.0, 0.0, height, *ORIGIN[3:]), _DARK)
            return (Visual(shape, texture=texture), front)
        case _:
            return (Visual(shape, texture=texture),)


def positioned(visuals: Sequence[Visual], size: Vector3, color: Vector3) -> tuple[PlacedVisual, ...]:
    """Return visuals with sizes and colours of their own, each placed relative to its body.

    Args:
        visuals: Parents stand before their children.
        size: For those that have none.
        color: For those that have none.
    """
    placed: list[PlacedVisual] = []
    for visual in visuals:
        pose = visual.pose if visual.parent == ROOT else within(placed[visual.parent].pose, visual.pose)
        paint = visual.color or color
        placed.append(
            PlacedVisual(
                visual.shape, visual.size or size, pose, paint, visual.body, visual.texture, visual.mesh, visual.points
            )
        )
    return tuple(placed)
