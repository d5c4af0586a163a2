"""Facts of a scene as the page gets them: JSON whose row numbers say where frames have the poses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from coopsim.features.pictures.drawn_sensors import DrawnSensors, RangeRing
from coopsim.geometry import Floats

if TYPE_CHECKING:
    from coopsim.client import State
    from coopsim.state import EntityRow
    from coopsim.state.layout import JointRow
    from coopsim.state.visuals import PlacedVisual

MOST_DRAWN_RAYS = 300
"""Robots of a type whose rays are drawn; of more they would hide everything else, as in the window."""
_DIGITS = 5
"""Of metres: a hundredth of a millimetre is less than a pixel at any distance."""


@dataclass(frozen=True, slots=True)
class RayGroup:
    """Rays of the same ring of all robots of a type.

    Attributes:
        type: Of the robots.
        ring: Their device.
        robots: Names, in the order of the readings.
    """

    type: str
    ring: RangeRing
    robots: tuple[str, ...]

    def ranges(self, state: "State") -> Floats:
        """Return what they read, shape (robots, rays) [m]."""
        module = getattr(state.readings.of(self.type), self.ring.module)
        return np.asarray(getattr(module, self.ring.field), float).reshape(len(self.robots), -1)


def ray_groups(state: "State", sensors: Mapping[str, DrawnSensors]) -> tuple[RayGroup, ...]:
    """Return the rays that can be drawn of a state."""
    readings = state.readings
    groups = []
    for kind in readings.types:
        robots = readings.of(kind).robots
        if len(robots) <= MOST_DRAWN_RAYS and kind in sensors:
            groups += [RayGroup(kind, ring, robots) for ring in sensors[kind].rings]
    return tuple(groups)


@dataclass(frozen=True, slots=True)
class SceneRows:
    """Contents of a layout, of a run or of a recording.

    Attributes:
        generation: Of the layout.
        bodies: Names, in the order of the rows of frames.
        types: Type of each robot by name.
        entities: All that there is.
        joints: Between bodies.
    """

    generation: int
    bodies: Sequence[str]
    types: Mapping[str, str]
    entities: "Sequence[EntityRow]"
    joints: "Sequence[JointRow]"


def scene_facts(scene: SceneRows, groups: Sequence[RayGroup]) -> dict[str, Any]:
    """Return everything that the page must know to draw the frames of a layout.

    Args:
        scene: What the layout holds.
        groups: Rays in frames.
    """
    rows = {name: row for row, name in enumerate(scene.bodies)}
    return {
        "generation": scene.generation,
        "bodies": len(rows),
        "entities": [_entity(entity, rows, scene.types) for entity in scene.entities],
        "joints": [_joint(joint, rows) for joint in scene.joints if joint.anchor is not None],
        "rays": [_rays(group, rows, scene) for group in groups],
    }


def _entity(entity: "EntityRow", rows: Mapping[str, int], robot_types: Mapping[str, str]) -> dict[str, Any]:
    row = rows.get(entity.name, -1) if entity.body >= 0 else -1
    shapes = [_shape(visual, rows.get(entity.body_name(visual.body), row)) for visual in entity.drawn()]
    return {
        "name": entity.name,
        "kind": entity.kind,
        "type": robot_types.get(entity.name, entity.type),
        "row": row,
        "pose": _rounded(entity.pose),
        "size": _rounded(entity.size),
        "color": _rounded(entity.color),
        "mass": float(entity.mass),
        "wall": entity.is_wall,
        "whole": entity.whole,
        "shapes": shapes,
    }


def _shape(visual: "PlacedVisual", row: int) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "shape": visual.shape,
        "size": _rounded(visual.size),
        "pose": _rounded(visual.pose),
        "color": _rounded(visual.color),
        "row": row,
    }
    if visual.texture:
        facts["texture"] = visual.texture
    if visual.mesh:
        facts["mesh"] = visual.mesh
    if visual.points:
        facts["points"] = _rounded(visual.points)
    return facts


def _joint(joint: "JointRow", rows: Mapping[str, int]) -> dict[str, Any]:
    assert joint.anchor is not None  # noqa: S101 - asked for by the caller
    assert joint.far_anchor is not None  # noqa: S101 - springs have both
    return {
        "kind": joint.kind,
        "rows": [rows.get(joint.a, -1), rows.get(joint.b, -1)],
        "anchors": [_rounded(joint.anchor), _rounded(joint.far_anchor)],
    }


def _rays(group: RayGroup, rows: Mapping[str, int], scene: SceneRows) -> dict[str, Any]:
    sizes = {entity.name: entity.size for entity in scene.entities}
    ring = group.ring
    robot_sizes = [sizes.get(name, (0.0, 0.0, 0.0)) for name in group.robots]
    return {
        "rows": [rows.get(name, -1) for name in group.robots],
        "radii": _rounded([0.5 * max(size[0], size[1]) if ring.mount is None else 0.0 for size in robot_sizes]),
        "mount": _rounded(ring.mount or (0.0, 0.0)),
        "heights": _rounded([ring.height or 0.5 * size[2] for size in robot_sizes]),
        "bearings": _rounded(ring.bearings.tolist()),
        "elevations": _rounded(ring.elevations.tolist()),
        "reach": float(min(ring.reach, 1e6)),
    }


def _rounded(values: Sequence[float]) -> list[float]:
    return [round(float(value), _DIGITS) for value in values]
