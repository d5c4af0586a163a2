"""Bodies seen from above: what a planar world needs to know of a shape."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from coopsim.engines.contract import BodySpec, ShapeSpec
from coopsim.engines.rotations import matrix
from coopsim.errors import EngineCannot
from coopsim.geometry import UNTURNED, heading, quaternion
from coopsim.scene import MOST_CORNERS, Span
from coopsim.scene.measures import POLYGON
from coopsim.scene.polygons import Point, edges, moments, signed_area

FARTHEST = 1e6  # m; beyond it a planar engine loses the micrometre
_SMALLEST = 1e-9  # m; of a side
_SPIN = 0.4  # moment of inertia of a ball, as a part of its mass times its radius squared
LAYERS = 32  # bits of pymunk's categories
LAYER_HEIGHT = 0.1  # m; robots are a few layers high, so that 32 of them reach over every one
_UPRIGHT = 1.0 - 1e-9  # cosine of a lean of 45 microradians
LINE = 1e-9  # m; half the width of an edge: rays meet it to a nanometre, and edges overlap in their corners
_KINDS = 1024  # of bodies whose shapes are kept: thousands of robots are of a few types
_NEARLY = 1e-9  # for the rounding of shares that a file gives in decimals


@dataclass(frozen=True, slots=True)
class Footprint:
    """A shape seen from above, in the frame of its body.

    Attributes:
        x: Of its middle [m].
        y: Of its middle [m].
        half_length: Along x; the radius of a circle [m].
        half_width: Along y; 0 = a circle [m].
        low: Its lower end above the base of the body [m].
        high: Its upper end above the base of the body [m].
        share: Its part of the mass of the body.
        gyration: Square of its radius of gyration about its own vertical axis [m2].
        arm: Mean distance of the floor under it from its own vertical axis [m].
        cos: Cosine of its heading.
        sin: Sine of its heading.
    """

    x: float
    y: float
    half_length: float
    half_width: float
    low: float
    high: float
    share: float
    gyration: float
    arm: float
    cos: float = 1.0
    sin: float = 0.0

    @property
    def bound(self) -> float:
        """Radius of the circle around its middle that holds it [m]."""
        return math.hypot(self.half_length, self.half_width)


def footprints(body: BodySpec) -> tuple[Footprint, ...]:
    """Return the shapes of `body` from above; the body has passed `check_planar`."""
    return _prints(body.shapes)


@lru_cache(_KINDS)
def _prints(shapes: tuple[ShapeSpec, ...]) -> tuple[Footprint, ...]:
    # shapes with a share of their own leave the rest to the others, by volume
    volumes = [0.0 if shape.share else _volume(shape) for shape in shapes]
    total, left = math.fsum(volumes), 1.0 - math.fsum(shape.share for shape in shapes)
    pairs = zip(shapes, volumes, strict=True)
    return tuple(_footprint(shape, shape.share or left * (volume / total)) for shape, volume in pairs)


def corners_of(shape: ShapeSpec) -> list[Point]:
    """Return the corners of a polygon [m]."""
    points = shape.points or ()
    return list(zip(points[::2], points[1::2], strict=True))


def with_edges(body: BodySpec) -> BodySpec:
    """Return a body with edges, as boxes as thin as a line, in the place of its polygons: for who knows no polygons."""
    if all(shape.kind != POLYGON for shape in body.shapes):
        return body
    return replace(body, shapes=tuple(edge for shape in body.shapes for edge in _edges(shape)))


def _edges(shape: ShapeSpec) -> list[ShapeSpec]:
    if shape.kind != POLYGON:
        return [shape]
    boxes = []
    for (x, y), (u, v) in edges(corners_of(shape)):
        turn = quaternion(0.0, 0.0, math.atan2(v - y, u - x))
        size = (math.hypot(u - x, v - y) + 2.0 * LINE, 2.0 * LINE, shape.size[2])
        middle = ((x + u) / 2.0, (y + v) / 2.0, shape.position[2])
        boxes.append(replace(shape, kind="box", size=size, position=middle, turn=turn, points=None, share=0.0))
    return boxes


def _volume(shape: ShapeSpec) -> float:
    if shape.kind == POLYGON:
        return abs(signed_area(corners_of(shape))) * shape.size[2]
    return _VOLUMES[shape.kind](*shape.size)


def lowest(shape: ShapeSpec) -> float:
    """Return how high the lower end of a shape is above the base of its body [m]; it may be unchecked still."""
    if is_upright(shape):
        return shape.position[2]
    (_, _, z), (_, _, c) = _extent(shape)
    return z - c


def is_upright(shape: ShapeSpec) -> bool:
    """Return whether a shape is turned about the vertical axis of its body alone."""
    _, x, y, _ = shape.turn
    return 1.0 - 2.0 * (x * x + y * y) >= _UPRIGHT


def planar_pose(body: BodySpec) -> tuple[float, float, float]:
    """Return x, y and heading of a body [m, rad]."""
    x, y, _, *rotation = body.pose
    return x, y, heading(*rotation)


@lru_cache(_KINDS)
def centre(prints: tuple[Footprint, ...]) -> tuple[float, float]:
    """Return the centre of mass in the frame of the body [m]."""
    return math.fsum(p.share * p.x for p in prints), math.fsum(p.share * p.y for p in prints)


@lru_cache(_KINDS)
def inertia(mass: float, prints: tuple[Footprint, ...]) -> float:
    """Return the moment of inertia about the vertical axis through the centre of mass [kg m2]."""
    x, y = centre(prints)
    return mass * math.fsum(p.share * (p.gyration + (p.x - x) ** 2 + (p.y - y) ** 2) for p in prints)


def rolls(body: BodySpec) -> bool:
    """Return whether a body rolls on the floor rather than slides."""
    return len(body.shapes) == 1 and body.shapes[0].kind == "sphere" and body.mass > 0.0


def moved_mass(body: BodySpec) -> float:
    """Return the mass that a push has to move; what rolls must be set spinning, too [kg]."""
    return (1.0 + _SPIN if rolls(body) else 1.0) * body.mass


def grip(body: BodySpec) -> float:
    """Return the largest force with which the floor brakes a body [N]."""
    return body.rolling * body.mass * _gravity()


def turning_grip(body: BodySpec, prints: tuple[Footprint, ...]) -> float:
    """Return the largest torque with which the floor brakes its turning; the patch under a ball slides [N m]."""
    sliding = min(shape.friction for shape in body.shapes) if rolls(body) else body.rolling
    return sliding * body.mass * _gravity() * friction_arm(prints)


def _gravity() -> float:
    from coopsim.kernels.constants import GRAVITY  # hosts read shapes, too, and need nothing that is compiled

    return GRAVITY


@lru_cache(_KINDS)
def friction_arm(prints: tuple[Footprint, ...]) -> float:
    """Return the mean lever of the floor's friction about the centre of mass [m]."""
    x, y = centre(prints)
    return math.fsum(p.share * math.hypot(p.arm, p.x - x, p.y - y) for p in prints)


@lru_cache(_KINDS)
def layers(low: float, high: float) -> int:
    """Return the heights a shape takes up, one bit for each 0.1 m above the floor, the last for all above 3.1 m.

    Two shapes meet where they share a bit, so that a robot passes under a beam.
    """
    # 0.1 um of a layer: what stands exactly on a boundary, but for rounding, is not in both layers
    first = _layer(low / LAYER_HEIGHT + 1e-6)
    last = _layer(math.ceil(high / LAYER_HEIGHT - 1e-6) - 1)
    return int(sum(1 << layer for layer in range(first, max(first, last) + 1)))


def located(span: Span) -> str:
    """Return how an error begins: the place in a file, or nothing for what came from no file."""
    return f"{span}: " if span.line else ""


def check_planar(body: BodySpec, engine: str = "pymunk") -> None:
    """Refuse what has no planar image.

    Args:
        body: What is asked for.
        engine: Name of the engine that would hold it.

    Raises:
        EngineCannot: A value out of range, an unknown or elliptic shape, a body that is not upright, or one that is
            lighter or heavier than numbers can be, or a node of a cloth or a soft body.
    """
    check_body(body, engine)
    refuse_soft(body, engine)
    if body.mass > 0.0 and not 0.0 < inertia(body.mass, footprints(body)) < math.inf:
        raise _cannot(body, engine, f"with {body.mass:g} kg at this size it has no moment of inertia")
    _, x, y, _ = body.pose[3:]
    if 1.0 - 2.0 * (x * x + y * y) < _UPRIGHT:
        raise _cannot(
            body,
            engine,
            "it is tilted; a planar engine turns bodies about the vertical axis alone, so set "
            "the first two angles of its orientation to 0",
        )
    if not all(map(is_upright, body.shapes)):
        raise _cannot(
            body,
            engine,
            "a part of it is tilted; a planar engine turns parts about the vertical axis alone, so set the first two "
            "angles behind its 'orientation' to 0",
        )


def check_body(body: BodySpec, engine: str) -> None:
    """Refuse what no engine can hold.

    Args:
        body: What is asked for.
        engine: Name of the engine that would hold it.

    Raises:
        EngineCannot: A value out of range, or an unknown or elliptic shape.
    """
    try:
        _check_numbers(body)
        _check_shapes(body.shapes)
    except EngineCannot as why:
        raise _cannot(body, engine, str(why)) from None


@lru_cache(_KINDS)
def _check_shapes(shapes: tuple[ShapeSpec, ...]) -> None:
    if not shapes:
        raise EngineCannot("it has no shape; give it at least one")
    for shape in shapes:
        _check_shape(shape)
    _check_shares(shapes)


def refuse_soft(body: BodySpec, engine: str) -> None:
    """Refuse a node of a cloth or a soft body, for engines without the ability "soft".

    Raises:
        EngineCannot: It is one.
    """
    if body.soft is not None:
        why = f"it is a node of {body.soft.whole!r}, and this engine has neither cloths nor soft bodies"
        raise _cannot(body, engine, f"{why}; choose an engine that has, as mujoco, or remove them")


def _cannot(body: BodySpec, engine: str, why: str) -> EngineCannot:
    return EngineCannot(f"{located(body.span)}the {engine} engine cannot hold {body.name!r}: {why}")


def _check_numbers(body: BodySpec) -> None:
    if not (math.isfinite(body.mass) and body.mass >= 0.0):
        raise EngineCannot(f"its mass is {body.mass!r} kg; expected 0 (fixed) or more")
    if not (math.isfinite(body.rolling) and body.rolling >= 0.0):
        raise EngineCannot(f"its rolling resistance is {body.rolling!r}; expected 0 or more")
    if not all(abs(value) <= FARTHEST for value in body.pose):
        raise EngineCannot(f"its pose is {body.pose}; expected finite numbers within {FARTHEST:g} m")
    if abs(sum(part * part for part in body.pose[3:]) - 1.0) > 1e-6:
        raise EngineCannot(f"its orientation {body.pose[3:]} is no unit quaternion")


def _check_shape(shape: ShapeSpec) -> None:
    if shape.kind == POLYGON:
        _check_corners(shape)
    elif shape.kind not in _VOLUMES:
        raise EngineCannot(f"shape {shape.kind!r} is unknown; expected {', '.join(_VOLUMES)}, {POLYGON}")
    if not all(_SMALLEST <= side <= FARTHEST for side in shape.size):
        raise EngineCannot(f"its size is {shape.size}; expected lengths above 0, from {_SMALLEST:g} to {FARTHEST:g} m")
    if not all(abs(value) <= FARTHEST for value in shape.position):
        raise EngineCannot(f"a shape of it is at {shape.position}; expected finite numbers")
    if not abs(sum(part * part for part in shape.turn) - 1.0) <= 1e-6:
        raise EngineCannot(f"the turn {shape.turn} of a shape of it is no unit quaternion")
    length, width, _ = shape.size
    if shape.kind not in ("box", POLYGON) and abs(length - width) > 1e-9:
        raise EngineCannot(f"a {shape.kind} of {length:g} by {width:g} m is not round; give it one diameter")
    if not (0.0 <= shape.friction <= FARTHEST and 0.0 <= shape.restitution <= 1.0):
        raise EngineCannot(
            f"friction {shape.friction!r} is expected to be 0 or more, restitution "
            f"{shape.restitution!r} within 0 and 1",
        )


def _check_corners(shape: ShapeSpec) -> None:
    """Refuse a polygon out of a foreign file that no reader has seen."""
    points = shape.points or ()
    if len(points) % 2 or not 3 <= len(points) // 2 <= MOST_CORNERS:
        raise EngineCannot(f"a polygon has {len(points)} numbers; expected x and y of 3 to {MOST_CORNERS} corners")
    if not all(abs(value) <= FARTHEST for value in points) or signed_area(corners_of(shape)) == 0.0:
        raise EngineCannot(f"the corners of a polygon are {points[:6]}...; expected finite numbers around an area")
    if shape.turn != UNTURNED or shape.position[:2] != (0.0, 0.0):
        raise EngineCannot("a polygon is moved within its body; move its corners instead")


def _check_shares(shapes: Sequence[ShapeSpec]) -> None:
    given = [shape.share for shape in shapes if shape.share]
    together = math.fsum(given)
    is_whole = abs(together - 1.0) <= _NEARLY if len(given) == len(shapes) else together < 1.0
    if not (all(share > 0.0 for share in given) and is_whole):
        raise EngineCannot(
            f"its shapes have {given} of its mass, {together:g} together; expected shares above 0, together 1, or less "
            "where a shape has none of its own"
        )


def _layer(value: float) -> int:
    return int(min(max(math.floor(value), 0), LAYERS - 1))


def _footprint(shape: ShapeSpec, share: float) -> Footprint:
    if not is_upright(shape):
        return _rectangle_around(shape, share)
    length, width, height = shape.size
    x, y, z = shape.position
    if shape.kind == POLYGON:
        return _polygon_print(shape, share)
    if shape.kind == "box":
        gyration, arm = (length**2 + width**2) / 12.0, _mean_distance(length, width)
    else:
        gyration, arm = _ROUND[shape.kind](length / 2.0)
    half_width = width / 2.0 if shape.kind == "box" else 0.0
    is_turned = shape.turn != UNTURNED and half_width > 0.0
    yaw = heading(*shape.turn) if is_turned else 0.0
    ends = z, z + height
    return Footprint(x, y, length / 2.0, half_width, *ends, share, gyration, arm, math.cos(yaw), math.sin(yaw))


def _polygon_print(shape: ShapeSpec, share: float) -> Footprint:
    """Return the rectangle around the centre of mass that holds a polygon, with the moments of the polygon."""
    corners, whole = corners_of(shape), moments(corners_of(shape))
    x, y = whole.centre
    half_length, half_width = (max(abs(corner[k] - whole.centre[k]) for corner in corners) for k in (0, 1))
    ends = shape.position[2], shape.position[2] + shape.size[2]
    return Footprint(x, y, half_length, half_width, *ends, share, whole.xx + whole.yy, whole.arm)


def _rectangle_around(shape: ShapeSpec, share: float) -> Footprint:
    """Return the upright box around a tilted shape; its middle and its share in the mass are those of the shape."""
    (x, y, z), (a, b, c) = _extent(shape)
    # a ball stays a circle, which is a half width of 0
    width = 0.0 if shape.kind == "sphere" else b
    return Footprint(x, y, a, width, z - c, z + c, share, (a * a + b * b) / 3.0, _mean_distance(2.0 * a, 2.0 * b))


def _extent(shape: ShapeSpec) -> tuple[list[float], list[float]]:
    """Return the middle of a tilted shape, and half of the upright box around it."""
    half = 0.5 * np.array(shape.size)
    axes = matrix(shape.turn)
    middle: list[float] = (np.array(shape.position) + axes[:, 2] * half[2]).tolist()
    if shape.kind == "box":
        return middle, (np.abs(axes) @ half).tolist()
    if shape.kind == "cylinder":
        lying = np.sqrt(np.maximum(0.0, 1.0 - axes[:, 2] ** 2))
        return middle, (half[0] * lying + half[2] * np.abs(axes[:, 2])).tolist()
    return middle, [float(half[0])] * 3


def _mean_distance(a: float, b: float) -> float:
    """Mean distance of the points of a rectangle from its middle."""
    # closed form of the integral of the distance over the rectangle, divided by its area
    d = math.hypot(a, b)
    return d / 6.0 + a * a / (12.0 * b) * math.log((b + d) / a) + b * b / (12.0 * a) * math.log((a + d) / b)


_VOLUMES: dict[str, Callable[[float, float, float], float]] = {
    "box": lambda length, width, height: length * width * height,
    "cylinder": lambda length, width, height: math.pi / 4.0 * length * width * height,
    "sphere": lambda length, width, height: math.pi / 6.0 * length * width * height,
}
# a solid ball touches the floor with a small patch: a tenth of its radius
_ROUND: dict[str, Callable[[float], tuple[float, float]]] = {
    "cylinder": lambda radius: (radius**2 / 2.0, radius * 2.0 / 3.0),
    "sphere": lambda radius: (radius**2 * 0.4, radius * 0.1),
}
