"""Robots of Stage as types of coopsim."""

import itertools
import math

from coopsim.features.others.worlds.plan import CAR, DIFFERENTIAL, OMNI, RobotKind, SensorPlan, WorldPlan, proper_name
from coopsim.features.others.worlds.stage_blocks import outline
from coopsim.features.others.worlds.stage_text import StageModel

_SIZE = 0.4, 0.4, 0.3  # m; of a position of Stage that says nothing
_MASS = 10.0  # kg
_PUSH = 5.0  # N/kg; of a wheel, so that a robot has its speed within a tenth of a second
_GRIP = "3"  # of tyres: there nothing slips, and odometry counts what is driven
_SPEED, _TURN = 0.5, 90.0  # m/s, degrees/s; of the Pioneers
_RANGE = 5.0  # m; of a ranger that says nothing
_DRIVES = {"diff": DIFFERENTIAL, "omni": OMNI, "car": CAR}
_KNOWN = {"size", "pose", "name", "color", "mass", "drive", "velocity_bounds", "ctrl", "localization", "wheelbase"}
_SAME = {"localization_origin", "obstacle_return", "alwayson", "gui_nose", "watts"}
"""Keys that change nothing, or are as they are in Stage anyway."""
_ABOUT = {
    "odom_error": "see `noise` and `slip` of the odometry",
    "acceleration_bounds": "forces of motors and friction of tyres bound what a tick can change",
    "origin": "a robot turns about the middle of its body",
}
_SEEN = "gui_", "trail_", "ranger_return", "fiducial_return", "gripper_return", "blob_return"


def kind_of(model: StageModel, plan: WorldPlan) -> RobotKind:
    """Return the type of a robot.

    Raises:
        BadFile: A value is no number.
    """
    size = model.row("size", _SIZE)[:3]
    length, width, height = (min(max(value, 0.02), 100.0) for value in (*size, *_SIZE[len(size) :]))
    drive = _DRIVES.get(model.text("drive", "diff"), DIFFERENTIAL)
    mass = max(model.number("mass", _MASS), 0.1)
    for name, key in model.keys.items():
        if name not in _KNOWN and name not in _SAME and not name.startswith(_SEEN):
            plan.lose(key.place, name, _ABOUT.get(name, "left out: it has no counterpart"))
    sonars, lasers, others = _sensors(model, plan)
    odometry = SensorPlan("odometry" if drive == DIFFERENTIAL else "drive_odometry", "odometry")
    points = outline(model, (length, width, height))
    if not points and any(child.kind == "block" for child in model.children):
        plan.lose(model.place, "block", "the box around it")
    settings = _drive(drive, model, width, mass)
    summary = f"{model.word} of Stage, {length:g} m long"
    devices = (odometry, *sonars, *lasers, *others)
    return RobotKind(
        proper_name(f"stage_{model.word}"),
        summary,
        "box",
        (length, width, height),
        mass,
        drive,
        settings,
        devices,
        points,
    )


def _drive(drive: str, model: StageModel, width: float, mass: float) -> tuple[tuple[str, str], ...]:
    bounds = model.row("velocity_bounds", (-_SPEED, _SPEED, -_SPEED, _SPEED, 0.0, 0.0, -_TURN, _TURN))
    speed, turn = max(abs(bounds[1]), 0.01), math.radians(max(abs(bounds[7]), 1.0))
    force = ("max_force", f"{max(20.0, _PUSH * mass):.6g}"), ("grip", _GRIP)
    if drive == OMNI:
        return ("max_speed", f"{speed:.6g}"), ("max_turn", f"{turn:.6g}"), *force
    if drive == CAR:
        between = min(max(model.number("wheelbase", 1.0), 0.01), 100.0)
        return ("wheelbase", f"{between:.6g}"), ("axle", f"{0.5 * between:.6g}"), ("max_speed", f"{speed:.6g}"), *force
    track = min(max(0.45 * width, 0.01), 10.0)
    return ("half_track", f"{track:.6g}"), ("max_speed", f"{speed + turn * track:.6g}"), *force


def _sensors(model: StageModel, plan: WorldPlan) -> tuple[list[SensorPlan], list[SensorPlan], list[SensorPlan]]:
    sonars: list[SensorPlan] = []
    lasers: list[SensorPlan] = []
    others: list[SensorPlan] = []
    for child in model.children:
        if child.kind in {"ranger", "laser"}:
            rings = [sensor for sensor in child.children if sensor.kind == "sensor"]
            if child.kind == "laser" or any(sensor.number("samples", 1.0) > 1.0 for sensor in rings):
                lasers += [_laser(sensor, child, number) for number, sensor in enumerate(rings or [child], len(lasers))]
            elif rings:
                sonars.append(_sonars(rings, child, plan, len(sonars)))
        elif child.kind == "camera":
            others.append(_camera(child, others))
        elif child.kind == "bumper":
            others.append(SensorPlan("bumpers", f"bumpers_{len(others)}" if others else "bumpers"))
        elif child.kind not in {"block", "model"}:
            plan.lose(child.place, child.word, "left out: no device does the same")
    return sonars, lasers, others


def _laser(sensor: StageModel, ranger: StageModel, number: int) -> SensorPlan:
    x, y, _, turn = ranger.row("pose", (0.0, 0.0, 0.0, 0.0))
    nearest, reach = sensor.row("range", (0.0, sensor.number("range_max", 8.0)))[:2]
    settings = {
        "count": f"{min(max(round(sensor.number('samples', 180.0)), 1), 2048)}",
        "sector": f"{min(max(sensor.number('fov', 180.0), 0.0), 360.0):.6g}",
        "reach": f"{min(max(reach, 0.1), 1000.0):.6g}",
        "nearest": f"{min(max(nearest, 0.0), 100.0):.6g}",
        "x": f"{x:.6g}",
        "y": f"{y:.6g}",
        "yaw": f"{turn:.6g}",
    }
    return SensorPlan(
        "laser", _named("laser", number), tuple((key, value) for key, value in settings.items() if value != "0")
    )


def _sonars(rings: list[StageModel], ranger: StageModel, plan: WorldPlan, number: int) -> SensorPlan:
    """Return a ring of as many sonars: theirs look evenly over the sector that all of them span."""
    angles = sorted((sensor.row("pose", (0.0, 0.0, 0.0, 0.0))[3] + 180.0) % 360.0 - 180.0 for sensor in rings)
    widest = max(abs(angles[0]), abs(angles[-1]))
    gaps = [after - before for before, after in itertools.pairwise(angles)]
    if gaps and max(gaps) - min(gaps) > 1.0:
        reason = f"{len(angles)} sonars look evenly over {2.0 * widest:.4g} degrees, from the middle of the robot"
        plan.lose(ranger.place, ranger.word, reason)
    reach = max(sensor.row("range", (0.0, sensor.row("view", (0.0, _RANGE))[1]))[1] for sensor in rings)
    settings = (
        ("count", f"{min(len(angles), 360)}"),
        ("sector", f"{min(2.0 * widest, 360.0 * (1.0 - 1.0 / max(len(angles), 2))):.6g}"),
        ("reach", f"{min(max(reach, 0.1), 20.0):.6g}"),
    )
    return SensorPlan("sonars", _named("sonars", number), settings)


def _camera(camera: StageModel, others: list[SensorPlan]) -> SensorPlan:
    width, height = camera.row("resolution", (320.0, 240.0))[:2]
    fov = camera.row("fov", (70.0,))[0]
    settings = (
        ("width", f"{min(max(round(width), 16), 640)}"),
        ("height", f"{min(max(round(height), 16), 480)}"),
        ("fov", f"{min(max(fov, 10.0), 120.0):.6g}"),
    )
    return SensorPlan("camera", _named("camera", sum(device.kind == "camera" for device in others)), settings)


def _named(name: str, number: int) -> str:
    return name if number == 0 else f"{name}_{number + 1}"
