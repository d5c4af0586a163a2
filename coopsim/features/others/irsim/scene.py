"""A world of IR-SIM as a scenario whose robots do at once what they are told, as they do there."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from coopsim.features.others.irsim.behaviours import DASH
from coopsim.features.others.worlds.command import read_plan
from coopsim.features.others.worlds.plan import CAR, DIFFERENTIAL, OMNI, RobotKind, SensorPlan, SolidPlan, WorldPlan
from coopsim.features.others.worlds.writing import texts

TRACKER, BUMPERS, LASER = "tracker", "bumpers", "laser"
_STEM = "irsim"
_STRONG: Final = (("max_force", "1000000"), ("grip", "10"))
"""Motors and tyres that give any velocity within a tick."""
_AT_ONCE: Final = {
    DIFFERENTIAL: (*_STRONG, ("gain", "10000000")),
    OMNI: (*_STRONG, ("max_turn", "100")),
    CAR: (*_STRONG, ("steering_rate", "1000")),
}
_FOR_LAWS = {"sonars", "odometry", "drive_odometry"}


def read_scene(file: Path) -> WorldPlan:
    """Return what a world holds, its robots as strong as those of IR-SIM.

    Raises:
        BadFile: It has mistakes.
        NoSuchPlugin: PyYAML is not installed.
    """
    plan = read_plan(file)
    plan.step = plan.step_asked
    plan.laws = []
    plan.floor_plans = [
        replace(floor_plan, image=str(Path(floor_plan.image).resolve())) for floor_plan in plan.floor_plans
    ]
    behaviour = {agent.name: agent.behaviour for agent in plan.agents}
    seeing = {robot.kind for robot in plan.robots if behaviour[robot.name] not in {"", DASH}}
    plan.kinds = [_strong(kind, sees=kind.name in seeing) for kind in plan.kinds]
    return plan


def _strong(kind: RobotKind, *, sees: bool) -> RobotKind:
    settings = {**dict(kind.settings), **dict(_AT_ONCE[kind.drive])}
    if kind.drive == OMNI:
        # the largest of each direction there, of the whole here; what is asked for is bounded before
        settings["max_speed"] = f"{2.0 * float(settings['max_speed']):g}"
    # of its sensors control laws need sonars alone; where robots are, the tracker tells
    devices = [device for device in kind.devices if device.kind not in _FOR_LAWS or (sees and device.kind == "sonars")]
    more = SensorPlan("pose", TRACKER), SensorPlan("bumpers", BUMPERS)
    return replace(kind, settings=tuple(settings.items()), devices=(*devices, *more))


def write_scene(plan: WorldPlan, folder: Path) -> Path:
    """Write the files of a plan into a folder; return the scenario."""
    files = texts(plan, _STEM)
    scenario = f"{_STEM}.scenario"
    files[scenario] = files[scenario].replace("[SIMULATION]\n", "[SIMULATION]\nmode lockstep\nengine kinematic\n")
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder / scenario


def entity_names(solids: Sequence[SolidPlan]) -> list[str]:
    """Return what solids are called in the simulation; lines, which are several walls, have no name: ""."""
    names, count = list[str](), 0
    for solid in solids:
        count += solid.kind != "line"
        names.append("" if solid.kind == "line" else solid.name or f"object_{count}")
    return names
