"""Shapes and colours of IR-SIM."""

import math
from dataclasses import dataclass, replace
from pathlib import Path

from coopsim.errors import BadFile
from coopsim.features.others.worlds.plan import PlanPoint, PlanPose, SolidPlan, WorldPlan, why_no_polygon
from coopsim.features.others.worlds.yaml_tree import YamlKeys, YamlValue, row
from coopsim.features.pictures.svg import hull
from coopsim.scene import MOST_CORNERS
from coopsim.scene.colors import color_named

HEIGHT = 0.5  # m; IR-SIM is flat
_THIN = 0.05  # m; of the walls along a line, and around what is no simple polygon
_LETTERS = {
    "k": "black",
    "b": "blue",
    "g": "green",
    "r": "red",
    "c": "cyan",
    "m": "magenta",
    "y": "yellow",
    "w": "white",
}
"""One-letter colours of matplotlib."""


@dataclass(frozen=True)
class IrsimShape:
    """Outline of a body around its state.

    Attributes:
        kind: `disc`, `box`, `line` or `polygon`.
        length: Or diameter [m].
        width: [m].
        wheelbase: Of a car [m], 0 = not said.
        points: Of a line, or of a polygon, which is closed.
        closed: Whether it is a polygon.
        parts: Of a compound, in its frame.
        shift: Of the middle, in the frame of the state.
    """

    kind: str
    length: float = 0.4
    width: float = 0.4
    wheelbase: float = 0.0
    points: tuple[PlanPoint, ...] = ()
    closed: bool = False
    parts: tuple["IrsimShape", ...] = ()
    shift: PlanPose = (0.0, 0.0, 0.0)

    @property
    def bounds(self) -> tuple[float, float]:
        """Length and width of the box around it [m]."""
        if not self.points:
            return self.length, self.width
        xs, ys = zip(*self.points, strict=True)
        return max(max(xs) - min(xs), 0.05), max(max(ys) - min(ys), 0.05)


_ROUND = 32  # corners in the place of a circle: 0.5 % too far at most
DISC = IrsimShape("disc")
"""What is taken where a file says nothing."""


def read(entry: YamlValue, file: Path, plan: WorldPlan) -> IrsimShape | None:
    """Return a shape, None if it has no counterpart, which is said.

    Raises:
        BadFile: A value is no number, or no length.
    """
    keys = YamlKeys(entry, file, plan)
    name = str(keys.plain("name", "circle"))
    shape: IrsimShape | None = None
    if name == "circle":
        across = 2.0 * _length(keys, "radius", 0.2, file)
        shape = IrsimShape("disc", across, across, shift=_shift(keys, "center", file))
        keys.lose("random_shape", "left out: a circle of this radius")
    elif name == "rectangle":
        length, width = _length(keys, "length", 1.0, file), _length(keys, "width", 1.0, file)
        shape = IrsimShape("box", length, width, keys.number("wheelbase", 0.0), shift=_shift(keys, "pose", file))
    elif name in {"polygon", "linestring"} and keys.get("vertices") is not None:
        shape = _outlined(keys, file, is_closed=name == "polygon")
    elif name == "polygon":
        shape = _regular(keys, file)
    elif name == "compound":
        parts = keys.get("parts")
        shapes = [read(part, file, plan) for part in parts.items()] if parts is not None else []
        known_parts = [part for part in shapes if part is not None]
        shape = replace(known_parts[0], parts=tuple(known_parts[1:])) if known_parts else None
    else:
        keys.lose("name", "left out: expected circle, rectangle, linestring, compound, or a polygon with vertices")
        return None
    if shape is None or shape.kind != "disc":
        keys.lose("random_shape", "left out: its vertices hold")
    keys.leave()
    return shape


def solids(shape: IrsimShape, state: PlanPose, color: str) -> list[SolidPlan]:
    """Return what stands at a state."""
    pose = moved(state, shape.shift)
    if shape.kind in {"line", "polygon"}:
        points = tuple(moved(state, (x, y, 0.0))[:2] for x, y in shape.points)
        return [SolidPlan(shape.kind, (0.0, _THIN, HEIGHT), points=points, closed=shape.closed, color=color)]
    kind = "cylinder" if shape.kind == "disc" else "box"
    first = SolidPlan(kind, (shape.length, shape.width, HEIGHT), pose, color=color)
    return [first, *(solid for part in shape.parts for solid in solids(part, state, color))]


def joined(shape: IrsimShape) -> IrsimShape:
    """Return the convex polygon around all parts of a compound, any other shape as it is."""
    if not shape.parts:
        return shape
    corners = [corner for part in (replace(shape, parts=()), *shape.parts) for corner in _corners(part)]
    return replace(shape, kind="polygon", points=tuple(hull(corners)), closed=True, parts=(), shift=(0.0, 0.0, 0.0))


def _corners(shape: IrsimShape) -> list[PlanPoint]:
    """Return points in the frame of a state whose convex hull holds a shape, its parts among them."""
    if shape.kind == "disc":
        turns = [2.0 * math.pi * k / _ROUND for k in range(_ROUND)]
        far = 0.5 * shape.length / math.cos(math.pi / _ROUND)  # the edges touch the circle
        points = tuple((far * math.cos(turn), far * math.sin(turn)) for turn in turns)
    elif shape.points:
        points = shape.points
    else:
        x, y = 0.5 * shape.length, 0.5 * shape.width
        points = (x, y), (-x, y), (-x, -y), (x, -y)
    own = [moved(shape.shift, (x, y, 0.0))[:2] for x, y in points]
    return own + [corner for part in shape.parts for corner in _corners(part)]


def moved(state: PlanPose, shift: PlanPose) -> PlanPose:
    """Return the pose that has a shift in the frame of a state."""
    turn = math.radians(state[2])
    x = state[0] + shift[0] * math.cos(turn) - shift[1] * math.sin(turn)
    y = state[1] + shift[0] * math.sin(turn) + shift[1] * math.cos(turn)
    return x, y, state[2] + shift[2]


def color(name: str) -> str:
    """Return a colour of matplotlib or CSS in the words of a file, empty if it is unknown."""
    name = _LETTERS.get(name, name)
    if not name or color_named(name) is not None:
        return name
    from PIL import ImageColor

    try:
        return " ".join(str(part) for part in ImageColor.getrgb(name)[:3])
    except ValueError:
        return ""


def _outlined(keys: YamlKeys, file: Path, *, is_closed: bool) -> IrsimShape:
    """Return what has these vertices: a polygon, or a line, which also stands for what is no simple polygon."""
    points = _points(keys, file)
    if not is_closed:
        return IrsimShape("line", points=points)
    flaw = why_no_polygon(points)
    if flaw:
        keys.lose("vertices", f"walls along its edges: it {flaw}")
    return IrsimShape("line" if flaw else "polygon", points=points, closed=True)


def _regular(keys: YamlKeys, file: Path) -> IrsimShape:
    """Return a polygon in the place of one by chance: regular, with the means of its ranges."""
    radius, corners = (_mean(keys, *named, file) for named in (("avg_radius_range", 0.5), ("num_vertices_range", 7.0)))
    count = min(max(round(corners), 3), MOST_CORNERS)
    turns = [2.0 * math.pi * k / count for k in range(count)]
    points = tuple((radius * math.cos(turn), radius * math.sin(turn)) for turn in turns)
    keys.lose("name", "a regular polygon of the mean radius: there it is drawn by chance")
    for key in ("irregularity_range", "spikeyness_range", "center_range", "is_convex"):
        keys.lose(key, "left out, as all of its chance")
    return IrsimShape("polygon", points=points, closed=True)


def _mean(keys: YamlKeys, name: str, usual: float, file: Path) -> float:
    entry = keys.get(name)
    values = row(entry, name, file) if entry is not None else [usual]
    mean = sum(values) / max(len(values), 1)
    if not 0.0 < mean <= 1000.0:
        raise BadFile(f"{file}:{keys.line}: {name}: expected numbers above 0 and at most 1000, got {values}")
    return mean


def _length(keys: YamlKeys, name: str, usual: float, file: Path) -> float:
    value = keys.number(name, usual)
    if not 0.0 < value <= 1000.0:
        raise BadFile(f"{file}:{keys.line}: {name}: expected more than 0 and at most 1000 m, got {value:g}")
    return value


def _shift(keys: YamlKeys, name: str, file: Path) -> PlanPose:
    entry = keys.get(name)
    if entry is None:
        return 0.0, 0.0, 0.0
    values = row(entry, name, file)
    if len(values) < 2:
        raise BadFile(f"{file}:{entry.line}: {name}: expected x y, and a heading if it has one, got {values}")
    x, y, *turn = values
    return x, y, math.degrees(turn[0]) if turn else 0.0


def _points(keys: YamlKeys, file: Path) -> tuple[PlanPoint, ...]:
    entry = keys.get("vertices")
    assert entry is not None  # noqa: S101 - the caller has looked
    points = [row(part, "vertices", file) for part in entry.items()]
    if len(points) < 2 or any(len(point) < 2 for point in points):
        raise BadFile(f"{file}:{entry.line}: vertices: expected two or more points x y")
    return tuple((point[0], point[1]) for point in points)
