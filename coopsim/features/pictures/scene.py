"""Scene of a top view: the entities of a run, and the robots that drive in formation."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from coopsim.errors import DamagedRecording
from coopsim.features.pictures.lights import last_colors
from coopsim.geometry import Vector3
from coopsim.recording import Recording
from coopsim.replay.run_json import spec_of
from coopsim.robots import RunSpec
from coopsim.robots.entities import rows_of, springs_of
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
