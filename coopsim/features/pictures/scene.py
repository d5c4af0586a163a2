"""Scene of a top view: the entities of a run, and the robots that drive in formation."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from coopsim.engines.rotations import back, minus, turned
from coopsim.errors import DamagedRecording
from coopsim.features.pictures.lights import last_colors
from coopsim.geometry import Pose, Vector3
from coopsim.recording import Recording
from coopsim.replay.run_json import spec_of
from coopsim.robots import RunSpec, world_spec
from coopsim.robots.entities import rows_of
from coopsim.scene import Controller, Scenario
from coopsim.state import EntityRow, JointRow


@dataclass(frozen=True)
class DrawnScene:
    """A scene as pictures need it.

    Attributes:
        entities: All entities that ever existed, as each began.
        teams: Names of robots that drive in a shape.
        springs: Those at the end, with the places where they are held.
        lights: Colours of the lamps as they shine at the end, by name.
    """

    title: str
    entities: tuple[EntityRow, ...]
    teams: tuple[tuple[str, ...], ...] = ()
    springs: tuple[JointRow, ...] = ()
    lights: Mapping[str, Vector3] = field(default_factory=dict)

    def of_kind(self, kind: str) -> list[EntityRow]:
        """Return all floors, objects, targets, robots or areas."""
        return [row for row in self.entities if row.kind == kind]


def scene_of_run(spec: RunSpec) -> DrawnScene:
    """Return what a run begins with."""
    scenario = spec.scenario
    title = Path(scenario.file).stem or "scenario"
    return DrawnScene(title, rows_of(spec), _teams(scenario.controllers), springs_of(spec))


def scene_of_recording(recording: Recording) -> DrawnScene:
    """Return all entities that ever were in a recording, as they stood first.

    What was run is asked for as far as the recording says it; a recording that does not is drawn all the same.
    """
    scenario, walls = _said(recording), walls_of(recording)
    rows: dict[str, EntityRow] = {}
    springs: dict[str, JointRow] = {}
    for layout in map(recording.layout, recording.generations):
        for row in layout.entities:
            rows.setdefault(row.name, row)
        springs = {joint.name: joint for joint in layout.joints if joint.anchor is not None}
    entities = tuple(replace(row, is_wall=row.is_wall or row.name in walls) for row in rows.values())
    title = Path(scenario.file or recording.path.name).stem
    teams, lights = _teams(scenario.controllers), last_colors(recording)
    return DrawnScene(title, entities, teams, tuple(springs.values()), lights)


def walls_of(recording: Recording) -> frozenset[str]:
    """Return the names of the walls that a run began with: layouts of older versions do not say what is a wall."""
    return frozenset(entity.name for entity in _said(recording).world.objects if entity.is_wall)


def _teams(controllers: Iterable[Controller]) -> tuple[tuple[str, ...], ...]:
    """Return the robots of each controller that keeps a shape."""
    return tuple(
        controller.robots
        for controller in controllers
        if controller.run == "formation" or "shape" in dict(controller.arguments)
    )


def _said(recording: Recording) -> Scenario:
    try:
        return spec_of(recording).scenario
    except DamagedRecording:
        return Scenario()


def springs_of(spec: RunSpec) -> tuple[JointRow, ...]:
    """Return the springs that a run begins with, and where they are held."""
    world = world_spec(spec)
    poses = {body.name: body.pose for body in world.bodies}
    springs = (joint for joint in world.joints if joint.kind == "spring" and {joint.a, joint.b} <= poses.keys())
    return tuple(
        JointRow(
            spring.name,
            spring.kind,
            spring.a,
            spring.b,
            _local(poses[spring.a], spring.anchor),
            _local(poses[spring.b], spring.far),
        )
        for spring in springs
    )


def _local(pose: Pose, place: Vector3) -> Vector3:
    """Return a place in the world as seen from a body [m]."""
    x, y, z, *turn = pose
    return turned(back((turn[0], turn[1], turn[2], turn[3])), minus(place, (x, y, z)))
