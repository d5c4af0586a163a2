"""Entities of a scene as rows of a layout, with their looks."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeAlias

from coopsim.geometry import ORIGIN, quaternion
from coopsim.robots.blueprint import RobotBlueprint, RunSpec
from coopsim.robots.visuals import robot_visuals
from coopsim.scene import Area, Floor, Object, RobotPlacement, SoftNode, TargetSpec
from coopsim.scene.area_spec import AREA_KINDS, COLORS
from coopsim.state import EntityRow, Visual, default_visuals

Entity: TypeAlias = Floor | Object | TargetSpec | RobotPlacement | Area
_TARGET_SIZE = (0.3, 0.3, 0.5)  # m; a column that is seen above robots
_FIXED = -1  # no moving body has this row
_THICKNESS = 0.005
"""Of the kind of area that is drawn first [m]."""


def entity_rows(
    entities: Iterable[Entity],
    types: Mapping[str, RobotBlueprint],
    rows: Mapping[str, int],
) -> tuple[EntityRow, ...]:
    """Return the rows of entities, in their order.

    Args:
        entities: Robots one by one.
        types: Of the robots, by name.
        rows: Row among the bodies by name; others do not move.
    """
    looks = {name: robot_visuals(kind, kind.extent) for name, kind in types.items()}
    return tuple(_row(entity, types, looks, rows.get(entity.name, _FIXED)) for entity in entities)


def former_rows(rows: Iterable[EntityRow], types: Mapping[str, RobotBlueprint]) -> tuple[EntityRow, ...]:
    """Return rows as earlier versions wrote them: of a robot with links they said size and mass of its body alone."""
    return tuple(_former_row(row, types[row.type]) if row.kind == "robot" else row for row in rows)


def _former_row(row: EntityRow, kind: RobotBlueprint) -> EntityRow:
    return replace(row, size=kind.size, mass=kind.mass, visuals=robot_visuals(kind, kind.size))


def rows_of(spec: RunSpec) -> tuple[EntityRow, ...]:
    """Return the entities that a run begins with; none of them has a row among the bodies yet."""
    scenario = spec.scenario
    entities: tuple[Entity, ...] = (
        scenario.world.floor,
        *scenario.world.objects,
        *scenario.targets,
        *scenario.robots,
        *scenario.world.areas,
        *scenario.areas,
    )
    return entity_rows(entities, spec.types, {})


def _row(
    entity: Entity,
    types: Mapping[str, RobotBlueprint],
    looks: Mapping[str, tuple[Visual, ...]],
    body: int,
) -> EntityRow:
    match entity:
        case Floor(name=name, size=size, color=color, texture=texture):
            pose = (0.0, 0.0, 0.0, *quaternion(*entity.orientation))
            visuals = default_visuals("floor", "box", size, texture)
            return EntityRow(name, "floor", "box", _FIXED, pose, size, 0.0, color, 0.0, visuals=visuals)
        case TargetSpec(name=name, color=color):
            pose = (*entity.position, 1.0, 0.0, 0.0, 0.0)
            visuals = default_visuals("target", "", _TARGET_SIZE)
            return EntityRow(name, "target", name, _FIXED, pose, _TARGET_SIZE, 0.0, color, 0.0, visuals=visuals)
        case Object(name=name, shape=shape, size=size, mass=mass, color=color, friction=friction):
            pose = (*entity.position, *quaternion(*entity.orientation))
            visuals = _object_visuals(entity)
            row = EntityRow(name, "object", shape, body, pose, size, mass, color, friction, entity.is_wall, visuals)
            return replace(row, whole=entity.soft.whole, cell=_cell(entity.soft)) if entity.soft else row
        case Area():
            return _area(entity)
        case RobotPlacement(name=name, type=type_name, color=color):
            kind, visuals = types[type_name], looks[type_name]
            pose = (*entity.position, *quaternion(*entity.orientation))
            size, mass, friction = kind.extent, kind.total_mass, kind.friction
            return EntityRow(name, "robot", type_name, body, pose, size, mass, color, friction, visuals=visuals)


def _cell(node: SoftNode) -> tuple[int, ...]:
    """Return the place of a node, of a cloth without the layer, which there is one of."""
    return node.cell[: node.dimension]


def _area(entity: Area) -> EntityRow:
    """Return the row of an area: a flat polygon, the thicker the later its kind is drawn."""
    left, low, right, high = entity.box
    x, y = (left + right) / 2.0, (low + high) / 2.0
    size = (right - left, high - low, _THICKNESS * (1 + AREA_KINDS.index(entity.kind)))
    points = tuple(corner - (y if place % 2 else x) for place, corner in enumerate(entity.corners))
    color = entity.color or COLORS[entity.kind]
    pose = (x, y, 0.0, *ORIGIN[3:])
    visuals = (Visual("polygon", points=points),)
    return EntityRow(entity.name, "area", entity.kind, _FIXED, pose, size, 0.0, color, 0.0, visuals=visuals)


def _object_visuals(thing: Object) -> tuple[Visual, ...]:
    """Return what an object looks like; its mesh stands for all of it."""
    if thing.mesh:
        return (Visual("mesh", texture=thing.texture, mesh=thing.mesh),)
    own = default_visuals("object", thing.shape, thing.size, thing.texture)
    own = (replace(own[0], points=thing.shapes[0].points or ()),) if thing.points else own
    parts = (
        Visual(
            part.shape,
            part.size,
            (*part.position, *quaternion(*part.orientation)),
            part.color,
            points=part.points or (),
        )
        for part in thing.parts
    )
    return (*own, *(replace(part, texture=thing.texture) for part in parts))
