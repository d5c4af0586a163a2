"""Facts of a scene as the page gets them: JSON whose row numbers say where frames have the poses."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from coopsim.features.pictures.drawing_model import MOST_SENSED, hulls, is_named, ray_begins, style
from coopsim.features.pictures.drawn_sensors import HALVES, DrawnSensors, RangeRing, SightingTable
from coopsim.features.pictures.lights import FIELDS
from coopsim.geometry import Floats

if TYPE_CHECKING:
    from coopsim.client import State
    from coopsim.state import EntityRow
    from coopsim.state.layout import JointRow
    from coopsim.state.visuals import PlacedVisual

_DIGITS = 5
"""Of metres: a hundredth of a millimetre is less than a pixel at any distance."""


RAYS, SIGHTINGS, TOUCHES, LIGHTS = "rays", "sightings", "touches", "lights"


@dataclass(frozen=True, slots=True)
class SensorGroup:
    """Measurements of the same device of all robots of a type, as they are drawn.

    Attributes:
        kind: `RAYS`, `SIGHTINGS`, `TOUCHES` or `LIGHTS`.
        type: Of the robots.
        module: Of theirs.
        field: Reading that frames hold; of lights the first of all, which they hold.
        robots: Names, in the order of the readings.
        ring: Device of rays.
        table: Device of sightings.
        turn: Direction of the half of the hull that is touched [rad].
        width: Numbers of each robot.
    """

    kind: str
    type: str
    module: str
    field: str
    robots: tuple[str, ...]
    ring: RangeRing | None = None
    table: SightingTable | None = None
    turn: float = 0.0
    width: int = 0

    def values(self, state: "State") -> Floats:
        """Return what they read, shape (robots, width)."""
        module = getattr(state.readings.of(self.type), self.module)
        if self.kind == LIGHTS:
            return np.column_stack([getattr(module, field) for field in FIELDS])
        return np.asarray(getattr(module, self.field), float).reshape(len(self.robots), -1)


def groups_of_type(kind: str, sensors: DrawnSensors, robots: tuple[str, ...]) -> Iterator[SensorGroup]:
    """Yield what can be drawn of the robots of a type, without its width; of too many of them only their lights."""
    for module in sensors.lamps:
        yield SensorGroup(LIGHTS, kind, module, FIELDS[0], robots, width=len(FIELDS))
    if not 0 < len(robots) <= MOST_SENSED:
        return
    for ring in sensors.rings:
        yield SensorGroup(RAYS, kind, ring.module, ring.field, robots, ring)
    for table in sensors.sightings:
        yield SensorGroup(SIGHTINGS, kind, table.module, table.field, robots, table=table)
    for module in sensors.bumpers:
        for field, turn in HALVES.items():
            yield SensorGroup(TOUCHES, kind, module, field, robots, turn=turn)


def sensor_groups(state: "State", sensors: Mapping[str, DrawnSensors]) -> tuple[SensorGroup, ...]:
    """Return what can be drawn of the sensors in a state, lights first."""
    readings = state.readings
    groups = [
        group
        for kind in readings.types
        if kind in sensors
        for group in groups_of_type(kind, sensors[kind], tuple(readings.of(kind).robots))
    ]
    return lights_first([replace(group, width=group.values(state).shape[1]) for group in groups])


def lights_first(groups: Iterable[SensorGroup]) -> tuple[SensorGroup, ...]:
    """Return groups in the order of frames: those that are always drawn before those that may be asked for."""
    return tuple(sorted(groups, key=lambda group: group.kind != LIGHTS))


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


def scene_facts(scene: SceneRows, groups: Sequence[SensorGroup]) -> dict[str, Any]:
    """Return everything that the page must know to draw the frames of a layout.

    Args:
        scene: What the layout holds.
        groups: Of sensors, in the order in which frames hold what they read.
    """
    rows = {name: row for row, name in enumerate(scene.bodies)}
    return {
        "generation": scene.generation,
        "bodies": len(rows),
        "entities": [_entity(entity, rows, scene.types) for entity in scene.entities],
        "joints": [_joint(joint, rows) for joint in scene.joints if joint.anchor is not None],
        "sensors": [_sensors(group, rows, scene) for group in groups],
        "style": style(),
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
        "named": is_named(entity),
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


def _sensors(group: SensorGroup, rows: Mapping[str, int], scene: SceneRows) -> dict[str, Any]:
    of_entity = {entity.name: entity.size for entity in scene.entities}
    sizes = np.array([of_entity.get(name, (0.0, 0.0, 0.0)) for name in group.robots], float).reshape(-1, 3)
    radii, heights = hulls(sizes) if group.ring is None else ray_begins(group.ring, sizes)
    facts: dict[str, Any] = {
        "kind": group.kind,
        "rows": [rows.get(name, -1) for name in group.robots],
        "width": group.width,
        "radii": _rounded(radii.tolist()),
        "heights": _rounded(heights.tolist()),
    }
    if group.kind == LIGHTS:
        return {**facts, "robots": list(group.robots)}
    if group.table is not None:
        return {**facts, "columns": group.table.columns, "raised": group.table.is_raised}
    if group.ring is None:
        return {**facts, "turn": round(group.turn, _DIGITS)}
    ring = group.ring
    return {
        **facts,
        "mount": _rounded(ring.mount or (0.0, 0.0)),
        "bearings": _rounded(ring.bearings.tolist()),
        "elevations": _rounded(ring.elevations.tolist()),
        "reach": float(min(ring.reach, 1e6)),
    }


def _rounded(values: Sequence[float]) -> list[float]:
    return [round(float(value), _DIGITS) for value in values]
