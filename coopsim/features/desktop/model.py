"""Scene to draw, as arrays: a row for each shape of each entity."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from coopsim.features.desktop.poses import turned, within
from coopsim.features.desktop.shapes import PRISM
from coopsim.features.desktop.surfaces import Skin, skins
from coopsim.features.pictures.drawing_model import is_named
from coopsim.geometry import ORIGIN, Floats, Ints, Pose, Vector3
from coopsim.state import EntityRow, JointRow, PlacedVisual

FIXED = -1  # no moving body has this row
_SHADES = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Look:
    """Properties that shapes drawn at once have in common.

    Attributes:
        shape: One of the shapes that a mesh is made for, or "mesh".
        mesh: File of the mesh, "" where the shape is none.
        texture: File of the picture on it, "" = none.
        is_floor: Whether a grid is drawn on it.
        points: Numbers x and y of each corner of a polygon, as shares of its box.
    """

    shape: str
    mesh: str = ""
    texture: str = ""
    is_floor: bool = False
    points: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class _Part:
    entity: int
    body: int
    look: Look
    pose: Pose
    size: Vector3
    color: Vector3


class SceneModel:
    """Scene model: all entities, and their poses.

    Args:
        entities: What there is.
        bodies: Names of the bodies in the order of the poses that `set_poses` takes.
        joints: Springs among them are drawn.

    Attributes:
        springs: Springs between bodies.
        entities: What there is, in the order of their numbers.
        numbers: Number of each entity by name.
        looks: What is drawn, each with the rows of its shapes.
        entity: Number of the entity that each shape belongs to, shape (n,).
        size: Of each shape's box, shape (n, 3) [m].
        color: Red, green, blue, opacity of each shape, shape (n, 4).
        poses: Where each shape is now, shape (n, 7).
        is_painted: Whether colours have changed since it was made.
    """

    is_painted = False

    def __init__(
        self, entities: Sequence[EntityRow], bodies: Sequence[str] = (), joints: Sequence[JointRow] = ()
    ) -> None:
        self.entities = tuple(entities)
        self.springs = tuple(joint for joint in joints if joint.anchor is not None)
        self._names, self._placed = tuple(bodies), np.zeros((0, 7))
        self.numbers = {row.name: number for number, row in enumerate(self.entities)}
        rows = {name: row for row, name in enumerate(bodies)}
        parts = [part for number, row in enumerate(self.entities) for part in _parts(number, row, rows)]
        self.looks = _grouped(parts)
        self.entity = np.array([part.entity for part in parts], np.int64)
        self.size = np.array([part.size for part in parts], float).reshape(-1, 3)
        shades = np.array([(*part.color, 1.0) for part in parts], float).reshape(-1, 4)
        self.color: _SHADES = np.rint(255.0 * np.clip(shades, 0.0, 1.0)).astype(np.uint8)
        self._body = np.array([part.body for part in parts], np.int64)
        self._local = np.array([part.pose for part in parts], float).reshape(-1, 7)
        self._moving = np.flatnonzero(self._body != FIXED)
        self._bodies, local = self._body[self._moving], self._local[self._moving]
        is_plain = (local == np.array(ORIGIN)).all(axis=1)
        self._offset = np.flatnonzero(~is_plain)
        self._offsets = local[self._offset]
        start = np.array([row.pose for row in self.entities], float).reshape(-1, 7)
        self.poses = within(start[self.entity], self._local)
        self.entity_poses = start
        entity_body = np.array([rows.get(row.name, FIXED) for row in self.entities], np.int64)
        self._is_limb = self._body != entity_body[self.entity]
        self._moving_entities = np.flatnonzero(entity_body != FIXED)
        self._moving_bodies = entity_body[self._moving_entities]
        self._middle = _middles(self.looks, len(parts))

    def set_poses(self, poses: Floats) -> None:
        """Move everything to where its body is.

        Args:
            poses: Of the bodies, shape (n, 7).
        """
        self._placed = poses
        poses_shown = poses.take(self._bodies, axis=0)
        if len(rows := self._offset):  # others are where their bodies are
            poses_shown[rows] = within(poses_shown.take(rows, axis=0), self._offsets)
        self.put(self._moving, poses_shown)
        self.entity_poses[self._moving_entities] = poses.take(self._moving_bodies, axis=0)

    def paint(self, colors: Mapping[str, Floats]) -> None:
        """Give entities other colours, red, green and blue as shares."""
        for name in colors.keys() & self.numbers.keys():
            shade = np.rint(255.0 * np.clip(colors[name], 0.0, 1.0))
            self.color[self.entity == self.numbers[name], :3] = shade
            self.is_painted = True

    def put(self, rows: Ints, poses: Floats) -> None:
        """Put some shapes elsewhere."""
        self.poses[rows] = poses
        self.__dict__.pop("middles", None)

    @property
    def body_poses(self) -> Mapping[str, Floats]:
        """Poses of bodies now, by name; of entities that do not move, those of the scene."""
        fixed = {name: self.entity_poses[number] for name, number in self.numbers.items()}
        return fixed | dict(zip(self._names, self._placed, strict=False))

    @cached_property
    def skins(self) -> tuple[Skin, ...]:
        """Skins that are drawn over the nodes of cloths and soft bodies, in place of them."""
        return skins(self.entities)

    @cached_property
    def is_covered(self) -> NDArray[np.bool_]:
        """Whether shapes are those of nodes under a skin, shape (n,)."""
        mask = np.zeros(len(self.entities), bool)
        for skin in self.skins:
            mask[skin.entities] = True
        return mask[self.entity]

    @cached_property
    def middles(self) -> Floats:
        """Middles of the boxes of all shapes, shape (n, 3) [m]."""
        return self.poses[:, :3] + turned(self.poses[:, 3:], self._middle * self.size)

    @cached_property
    def named(self) -> tuple[Ints, Floats]:
        """Numbers of robots and targets, whose names are shown, and their heights [m]."""
        named_entities = [(number, row.size[2]) for number, row in enumerate(self.entities) if is_named(row)]
        return np.array([number for number, _ in named_entities], np.int64), np.array(
            [height for _, height in named_entities], float
        )

    @cached_property
    def limbs(self) -> Ints:
        """Rows of the shapes of robots that move by themselves, as links of an arm do."""
        return np.flatnonzero(self._is_limb & np.isin(self.entity, self.named[0]))

    @cached_property
    def of_kind(self) -> Mapping[str, tuple[EntityRow, ...]]:
        """Entities by their kinds; a kind that nothing is of has none."""
        members: defaultdict[str, tuple[EntityRow, ...]] = defaultdict(tuple)
        for kind in {row.kind for row in self.entities}:
            members[kind] = tuple(row for row in self.entities if row.kind == kind)
        return members

    @cached_property
    def robot_counts(self) -> Mapping[str, int]:
        """Number of robots of each type."""
        return Counter(row.type for row in self.entities if row.kind == "robot")

    @cached_property
    def robot_colors(self) -> dict[str, Vector3]:
        """Colours of robots by their names."""
        return {row.name: row.color for row in self.entities if row.kind == "robot"}

    @cached_property
    def is_floor(self) -> NDArray[np.bool_]:
        """Whether shapes are those of floors, shape (n,)."""
        return np.array([row.kind == "floor" for row in self.entities], bool)[self.entity]

    @cached_property
    def radii(self) -> Floats:
        """Of spheres around the boxes of all shapes, shape (n,) [m]."""
        half_sizes: Floats = np.linalg.norm(self.size, axis=1) / 2.0
        return half_sizes

    @property
    def middle_shares(self) -> Floats:
        """Middles of the boxes in their own frames, as shares of their sizes, shape (n, 3)."""
        return self._middle

    def bounds(self) -> tuple[Floats, Floats]:
        """Return the least and the greatest corner of what spheres around all shapes but floors take [m]."""
        rows = self._solid
        if not len(rows):
            return np.full(3, -1.0), np.ones(3)
        columns, radii = self.middles[rows].T, self.radii[rows]  # one column after the other: faster than along them
        low, high = np.array([_reach(column, radii) for column in columns]).T
        return low, high

    @cached_property
    def _solid(self) -> Ints:
        """Rows of all shapes but floors; of floors where there is nothing else."""
        rows = np.flatnonzero(~self.is_floor)
        return rows if len(rows) else np.arange(len(self.entity))

    def corners(self, *, floor: bool = False) -> Floats:
        """Return corners of boxes along the axes around all shapes, shape (n, 3) [m].

        Args:
            floor: Whether the floor counts, too; it does where there is nothing else.
        """
        is_floor = self.is_floor
        rows = np.flatnonzero(~is_floor) if not floor and not is_floor.all() else np.arange(len(self.entity))
        if not len(rows):
            return np.array(list(product((-1.0, 1.0), (-1.0, 1.0), (0.0, 1.0))))
        middles, halves = self.middles[rows], self.size[rows] / 2.0
        visual_rows = [
            middles + turned(self.poses[rows, 3:], halves * np.array(signs)) for signs in product((-1, 1), repeat=3)
        ]
        return np.concatenate(visual_rows)


def _parts(number: int, row: EntityRow, bodies: dict[str, int]) -> Iterable[_Part]:
    """Yield the shapes of an entity."""
    for visual in row.drawn():
        body = bodies.get(row.body_name(visual.body), bodies.get(row.name, FIXED))
        for shape, pose, size in _solids(visual):
            # areas are flat, objects have sides
            has_sides = bool(visual.points) and row.kind != "area"
            look = Look(
                PRISM if has_sides else shape, visual.mesh, visual.texture, row.kind == "floor", _shares(visual)
            )
            yield _Part(number, body, look, pose, size, visual.color)


def _shares(visual: PlacedVisual) -> tuple[float, ...]:
    """Return the corners of a polygon as shares of its box."""
    return tuple(point / visual.size[place % 2] for place, point in enumerate(visual.points))


def _solids(visual: PlacedVisual) -> list[tuple[str, Pose, Vector3]]:
    """Return the shapes that a visual is drawn with: a capsule is a cylinder between two spheres."""
    if visual.shape != "capsule":
        return [(visual.shape, visual.pose, visual.size)]
    length, width, height = visual.size
    ball = (length, width, length)
    straight = max(0.0, height - length)
    ends = [("sphere", (0.0, 0.0, 0.0), ball), ("sphere", (0.0, 0.0, straight), ball)]
    tube = [("cylinder", (0.0, 0.0, length / 2.0), (length, width, straight))] if straight else []
    frame = np.array([visual.pose])
    return [
        (shape, tuple(within(frame, np.array([(*offset, *ORIGIN[3:])]))[0].tolist()), size)
        for shape, offset, size in ends + tube
    ]


def _grouped(parts: Sequence[_Part]) -> dict[Look, Ints]:
    rows: dict[Look, list[int]] = {}
    for row, part in enumerate(parts):
        rows.setdefault(part.look, []).append(row)
    return {look: np.array(row, np.int64) for look, row in rows.items()}


def _middles(looks: dict[Look, Ints], count: int) -> Floats:
    colors = np.tile([0.0, 0.0, 0.5], (count, 1))
    for look, rows in looks.items():
        if look.shape == "arrow":
            colors[rows] = 0.5, 0.0, 0.0
    return colors


def _reach(places: Floats, radii: Floats) -> tuple[float, float]:
    """Return the least and the greatest place that spheres take along an axis [m]."""
    return float((places - radii).min()), float((places + radii).max())
