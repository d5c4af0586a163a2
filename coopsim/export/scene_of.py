"""Who was in a recording, as a scenario that can be drawn."""

import math
from dataclasses import replace

from coopsim.errors import BadFile, DamagedRecording
from coopsim.geometry import Vector3
from coopsim.recording import Recording
from coopsim.replay.run_json import spec_of
from coopsim.robots import RobotBlueprint, RunSpec
from coopsim.robots.plain import from_plain
from coopsim.scene import Floor, Object, RobotPlacement, Scenario, Target, World
from coopsim.state import EntityRow
from coopsim.state.plain import unpack


def scene_of(recording: Recording) -> RunSpec:
    """Return everybody who ever was in a recording, where they stood first.

    What was run is asked for as far as the recording says it; a recording that does not is drawn all the same.
    """
    spec = _said(recording)
    layouts = [recording.layout(generation) for generation in recording.generations]
    rows: dict[str, EntityRow] = {}
    for layout in layouts:
        for row in layout.entities:
            rows.setdefault(row.name, row)
    found = {
        kind: [row for row in rows.values() if row.kind == kind] for kind in ("floor", "object", "target", "robot")
    }
    known = {each.name: each for each in spec.scenario.world.objects}
    world = World(
        next((Floor(row.size, row.color) for row in found["floor"]), Floor()),
        tuple(known.get(row.name) or _object(row) for row in found["object"]),
    )
    targets = tuple(Target(row.name, _position(row), row.color) for row in found["target"])
    robots = tuple(
        RobotPlacement(row.name, row.type, _position(row), _angles(row), row.color) for row in found["robot"]
    )
    file = spec.scenario.file or recording.path.name
    scenario = replace(spec.scenario, world=world, targets=targets, robots=robots, file=file)
    types = {row.type: _blueprint(row) for row in found["robot"]}
    return RunSpec(scenario, {**types, **spec.types, **robot_types(recording)})


def robot_types(recording: Recording) -> dict[str, RobotBlueprint]:
    """Return the robot types that the last key frame knows; none if it cannot be read."""
    frame = recording.keyframe(len(recording) - 1) if len(recording) else None
    try:
        types: dict[str, RobotBlueprint] = from_plain(unpack(frame.state)["types"]) if frame else {}
    except (ValueError, KeyError, TypeError, BadFile):
        return {}  # of another version
    return types


def _said(recording: Recording) -> RunSpec:
    try:
        return spec_of(recording)
    except DamagedRecording:
        return RunSpec(Scenario())


def _object(row: EntityRow) -> Object:
    is_wall = row.body < 0 and row.type == "box" and row.name.startswith("wall")
    place = (row.size, _position(row), _angles(row), row.mass, row.color, row.friction)
    return Object(row.name, row.type, *place, is_wall=is_wall)


def _blueprint(row: EntityRow) -> RobotBlueprint:
    shape = "cylinder" if math.isclose(row.size[0], row.size[1]) else "box"
    return RobotBlueprint(row.type, "", shape, row.size, row.mass, row.friction, ())


def _position(row: EntityRow) -> Vector3:
    return row.pose[0], row.pose[1], row.pose[2]


def _angles(row: EntityRow) -> Vector3:
    """Return the rotations about the fixed x, y and z axes that make the row's quaternion."""
    w, x, y, z = row.pose[3:]
    phi = math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    psi = math.asin(max(-1.0, min(1.0, 2.0 * (w * y - z * x))))
    theta = math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    return phi, psi, theta
