"""Bodies in three dimensions: where their mass is, and how they stand on wheels. Density is the same throughout."""

import math
import os
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from coopsim.engines.contract import BodySpec, ShapeSpec, WorldSpec
from coopsim.engines.plane.footprints import Footprint, check_body, corners_of, footprints, located, refuse_soft
from coopsim.engines.rotations import matrix
from coopsim.errors import BadArgument, EngineCannot
from coopsim.features.space.soft_checks import wholes
from coopsim.geometry import UNTURNED, Floats, Vector3
from coopsim.scene import by_name
from coopsim.scene.measures import POLYGON
from coopsim.scene.polygons import convex_parts, moments

MOST_BODIES = 65_000
"""MuJoCo numbers the two bodies of a contact with 16 bits each; carriages of joints and the world count, too."""
MOST_TOGETHER = 20_000
"""Bodies that are compiled as one piece: MuJoCo takes a time for that which grows with their square.

Four thousand robots of four bodies take 24 s; a slip of a digit ends in an error instead.
"""
_ARENA, _ARENA_PER_BODY = 64 << 20, 128 << 10  # bytes
_LEAST_PER_BODY, _PER_PAIR = 32 << 10, 4
"""Bytes in larger worlds: MuJoCo keeps room for all pairs of bodies, twice, of four bytes for each two."""
LIGHTEST = 1e-12  # kg and kg m2; below it a body is lost in the rounding of others
CLEARANCE = 0.01  # m; of the chassis of a robot on wheels above the floor
_FOOT = 0.02  # m; radius
_KINDS = 1024  # of bodies whose inertia is kept: thousands of robots are of a few types
_STEADY = 100.0  # m; radius of gyration of what friction shall not roll


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """A body and its mass.

    Attributes:
        centre: Centre of mass in the frame of the body; of a fixed body its origin [m].
        inertia: Tensor about the centre of mass along the axes of the body, shape (3, 3) [kg m2].
    """

    spec: BodySpec
    centre: Vector3
    inertia: Floats

    @property
    def moves(self) -> bool:
        """Whether the body has mass."""
        return self.spec.mass > 0.0


@dataclass(frozen=True, slots=True)
class Foot:
    """A ball under a robot on wheels, which slides without friction: motors and tyres are a servo's business.

    Attributes:
        position: Of its middle in the frame of the body [m].
        radius: [m].
    """

    position: Vector3
    radius: float


def solid(body: BodySpec, engine: str) -> Solid:
    """Return a body with its mass.

    Raises:
        EngineCannot: No engine in three dimensions can hold it.
    """
    check_body(body, engine)
    refuse_soft(body, engine)
    if body.mass == 0.0:
        return Solid(body, (0.0, 0.0, 0.0), np.zeros((3, 3)))
    centre, inertia, least = _mass_properties(body.shapes, footprints(body), body.mass, body.centre, body.tensor)
    if body.mass < LIGHTEST or least < LIGHTEST:
        raise EngineCannot(
            f"{located(body.span)}the {engine} engine cannot hold {body.name!r}: with {body.mass:g} kg at this size it "
            f"is too light; its mass and its moments of inertia must be above {LIGHTEST:g}"
        )
    return Solid(body, centre, inertia)


@lru_cache(_KINDS)
def _mass_properties(
    shapes: tuple[ShapeSpec, ...],
    prints: tuple[Footprint, ...],
    mass: float,
    given_centre: Vector3 | None,
    tensor: tuple[float, ...] | None,
) -> tuple[Vector3, Floats, float]:
    """Return centre of mass, tensor of inertia and its least moment about any axis [m, kg m2]."""
    centre = given_centre or (
        math.fsum(p.share * p.x for p in prints),
        math.fsum(p.share * p.y for p in prints),
        math.fsum(p.share * 0.5 * (p.low + p.high) for p in prints),
    )
    inertia = mass * np.sum([_inertia(s, p, centre) for s, p in zip(shapes, prints, strict=True)], axis=0)
    if tensor is not None:
        xx, yy, zz, xy, xz, yz = tensor
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    inertia.flags.writeable = False  # robots of a type share it
    return centre, inertia, float(np.linalg.eigvalsh(inertia)[0])


def solid_or_node(body: BodySpec) -> Solid:
    """Return a body with its mass; what touches a node of a cloth or a soft body does not turn it.

    Raises:
        EngineCannot: MuJoCo cannot hold it.
    """
    if body.soft is None:
        return solid(body, "mujoco")
    check_body(body, "mujoco")
    if body.mass < LIGHTEST or [shape.kind for shape in body.shapes] != ["sphere"]:
        raise EngineCannot(
            f"{located(body.span)}the mujoco engine cannot hold {body.name!r}: a node of a cloth or a soft body is one "
            f"sphere with a mass above {LIGHTEST:g} kg; got {body.mass:g} kg"
        )
    middle = footprints(body)[0]
    return Solid(body, (middle.x, middle.y, 0.5 * (middle.low + middle.high)), body.mass * _STEADY**2 * np.eye(3))


def feet(body: Solid) -> tuple[Foot, ...]:
    """Return the three feet of a robot on wheels, around its centre of mass, so that they bear alike."""
    prints = footprints(body.spec)
    x, y, _ = body.centre
    # the nearer end counts: feet around the centre of mass bear alike
    ahead = min(max(p.x + p.half_length for p in prints) - x, x - min(p.x - p.half_length for p in prints))
    aside = min(max(p.y + _side(p) for p in prints) - y, y - min(p.y - _side(p) for p in prints))
    low, high = min(p.low for p in prints), max(p.high for p in prints)
    # small robots get small feet, so that these stay within the shape
    radius = min(_FOOT, 0.2 * (high - low), 0.15 * ahead, 0.15 * aside)
    # corners of a triangle around the centre, equally far apart on a round robot; 0.8 leaves them under the chassis
    ahead, aside = 0.8 * ahead, 0.8 * math.sqrt(0.75) * aside
    places = ((x + ahead, y), (x - 0.5 * ahead, y + aside), (x - 0.5 * ahead, y - aside))
    return tuple(Foot((u, v, low + radius), radius) for u, v in places)


def raised(body: BodySpec, shape: ShapeSpec) -> tuple[Vector3, Vector3]:
    """Return size and position of a shape, of a robot on wheels without what is nearer to the floor than its feet."""
    (length, width, height), (x, y, z) = shape.size, shape.position
    if not body.wheeled or shape.kind == "sphere":
        return shape.size, shape.position
    low = min(shape.position[2] for shape in body.shapes)
    lifted = max(z, low + min(CLEARANCE, 0.1 * height))
    return (length, width, z + height - lifted), (x, y, lifted)


def _side(seen: Footprint) -> float:
    return seen.half_width or seen.half_length


def _inertia(shape: ShapeSpec, seen: Footprint, centre: Vector3) -> Floats:
    """Return the part of a shape in the tensor of a body of 1 kg."""
    own = _polygon_inertia(shape) if shape.kind == POLYGON else np.diag(_GYRATION[shape.kind](*shape.size))
    if shape.turn != UNTURNED:
        axes = matrix(shape.turn)
        own = axes @ own @ axes.T
    # parallel axis theorem (Steiner)
    arm = np.array([seen.x, seen.y, 0.5 * (seen.low + seen.high)]) - centre
    shifted: Floats = seen.share * (own + (arm @ arm) * np.eye(3) - np.outer(arm, arm))
    return shifted


def _polygon_inertia(shape: ShapeSpec) -> Floats:
    """Return the tensor of an upright prism of 1 kg about its centre of mass."""
    whole, upright = moments(corners_of(shape)), shape.size[2] ** 2 / 12.0
    return np.array(
        [
            [whole.yy + upright, -whole.xy, 0.0],
            [-whole.xy, whole.xx + upright, 0.0],
            [0.0, 0.0, whole.xx + whole.yy],
        ]
    )


def hulls(shape: ShapeSpec) -> list[ShapeSpec]:
    """Return a polygon as the prisms over its convex parts, each with x y z of all corners."""
    return [
        replace(shape, kind="box", points=tuple(c for z in (0.0, shape.size[2]) for x, y in part for c in (x, y, z)))
        for part in convex_parts(corners_of(shape))
    ]


# squares of the radii of gyration about x, y, z
_GYRATION: dict[str, Callable[[float, float, float], Vector3]] = {
    "box": lambda a, b, c: ((b * b + c * c) / 12.0, (a * a + c * c) / 12.0, (a * a + b * b) / 12.0),
    "cylinder": lambda a, _, c: (a * a / 16.0 + c * c / 12.0, a * a / 16.0 + c * c / 12.0, a * a / 8.0),
    "sphere": lambda a, b, c: ((b * b + c * c) / 20.0, (a * a + c * c) / 20.0, (a * a + b * b) / 20.0),
}


def solids_of(world: WorldSpec) -> dict[str, Solid]:
    """Return the bodies of a world in sorted order of their names."""
    check_count(world.bodies)
    solids: dict[str, Solid] = {}
    for body in sorted(world.bodies, key=lambda body: by_name(body.name)):
        check_name(body, solids)
        solids[body.name] = solid_or_node(body)
    wholes(world.bodies, "mujoco")
    return solids


def with_more(solids: Mapping[str, Solid], bodies: Sequence[BodySpec]) -> dict[str, Solid]:
    """Return bodies by name with some more, which come last; raises what `add_all` of an engine does."""
    check_count([*(solid.spec for solid in solids.values()), *bodies])
    all_solids = dict(solids)
    for body in bodies:
        added = solid_or_node(body)
        check_name(body, all_solids)
        all_solids[body.name] = added
    wholes((solid.spec for solid in all_solids.values()), "mujoco")
    return all_solids


def check_name(body: BodySpec, taken: Container[str]) -> None:
    """Refuse a second body of a name.

    Raises:
        BadArgument: There is one.
    """
    if body.name in taken:
        raise BadArgument(f"{located(body.span)}there is already a body named {body.name!r}")


def reserved(bodies: int) -> int:
    """Return how much memory MuJoCo reserves in a world of so many bodies [bytes].

    It is not used up: contacts and forces of a step have room in it however many there are.
    """
    large = bodies * (_LEAST_PER_BODY + bodies * _PER_PAIR)
    return _ARENA + max(bodies * _ARENA_PER_BODY, large)


def most_bodies() -> int:
    """Return how many bodies the engine holds on this machine.

    Linux refuses to reserve more than a machine has. Worlds that are compiled as one piece are left to MuJoCo.
    """
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # not on Windows
        return MOST_BODIES
    # the larger root of what `reserved` says of large worlds
    root = math.sqrt(_LEAST_PER_BODY**2 + 4.0 * _PER_PAIR * max(memory - _ARENA, 0))
    return min(max(int((root - _LEAST_PER_BODY) / (2 * _PER_PAIR)), MOST_TOGETHER), MOST_BODIES)


def check_count(bodies: Sequence[BodySpec]) -> None:
    """Refuse more bodies than the engine holds.

    Raises:
        EngineCannot: There are more; it says how many robots would fit.
    """
    count, links, most = len(bodies), sum(bool(body.part_of) for body in bodies), most_bodies()
    if count <= most:
        return
    whose = "the mujoco engine holds" if most == MOST_BODIES else "the mujoco engine has memory on this machine for"
    text = f"{whose} at most {most} bodies, links included, got {count}"
    robots = count - links
    cure = f"; of {robots} such robots and objects about {most * robots // count} fit" if links else ""
    raise EngineCannot(text + cure)
