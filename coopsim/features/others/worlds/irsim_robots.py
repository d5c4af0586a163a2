"""Robots of IR-SIM as types of coopsim."""

import math
from pathlib import Path

from coopsim.features.others.worlds.irsim_shapes import IrsimShape
from coopsim.features.others.worlds.plan import CAR, DIFFERENTIAL, OMNI, RobotKind, SensorPlan, WorldPlan
from coopsim.features.others.worlds.yaml_tree import YamlKeys, YamlValue, row
from coopsim.scene.polygons import signed_area

_HEIGHT = 0.3  # m; IR-SIM is flat
_DENSITY = 80.0  # kg per m2 of ground, that of `single`: IR-SIM has no masses
_PUSH = 5.0  # N/kg; of a wheel, so that a robot has its speed within a tenth of a second
_GRIP = "3"  # of tyres: there nothing slips, and odometry counts what is driven
_MOST_RAYS = 2048
_SONARS = SensorPlan("sonars", "sonars", (("count", "16"), ("sector", "337.5"), ("reach", "5")))
"""By which control laws see walls."""
_DRIVES = {"diff": DIFFERENTIAL, "omni": OMNI, "omni_angular": OMNI, "acker": CAR}


def kind_of(
    keys: YamlKeys, kinematics: YamlValue, shape: IrsimShape, file: Path, plan: WorldPlan
) -> tuple[RobotKind, float]:
    """Return the type of a robot, and how far its middle is ahead of its state [m].

    Args:
        keys: Of its group.
        kinematics: Its own.
        shape: Its own.
        file: What it stands in.
        plan: Gets what is lost.

    Raises:
        BadFile: A value is no number.
    """
    motion = YamlKeys(kinematics, file, plan)
    name = str(motion.plain("name", "diff"))
    drive = _DRIVES.get(name, DIFFERENTIAL)
    if name not in _DRIVES:
        motion.lose("name", f"driven by two wheels: expected {', '.join(_DRIVES)}")
    motion.leave()
    for key in ("vel_min", "acce", "angle_range", "fov", "fov_radius"):
        keys.lose(key, "left out: forces of motors and friction of tyres bound what a tick can change")
    (length, width), fastest = shape.bounds, _fastest(keys, file)
    ground = abs(signed_area(shape.points)) if shape.kind == "polygon" else length * width
    mass = max(0.5, _DENSITY * ground)
    settings, ahead = _drive(drive, fastest, (length, width, mass), shape.wheelbase)
    devices = tuple(_devices(keys, drive, file, plan))
    body = "cylinder" if shape.kind == "disc" else "box"
    if shape.kind == "line":
        keys.lose("shape", "its robots are the boxes around them")
    summary = f"{name} of IR-SIM, {length:g} m long, at most {fastest[0]:g} m/s"
    # corners are around the state there, around what the robot turns about here
    points = tuple((x - ahead, y) for x, y in shape.points) if shape.kind == "polygon" else ()
    size = length, width, _HEIGHT
    return RobotKind(f"irsim_{name}", summary, body, size, mass, drive, settings, devices, points), ahead


def _fastest(keys: YamlKeys, file: Path) -> tuple[float, float]:
    """Return the largest of both velocities of a command."""
    entry = keys.get("vel_max")
    values = row(entry, "vel_max", file) if entry is not None else []
    first, second, *_ = [*(min(abs(value), 100.0) for value in values), *(1.0, 1.0)[len(values) :]]
    return max(first, 0.01), max(second, 0.01)


def _drive(
    drive: str, fastest: tuple[float, float], body: tuple[float, float, float], wheelbase: float
) -> tuple[tuple[tuple[str, str], ...], float]:
    """Return the keys of a drive, and how far the middle of the body is ahead of what it turns about."""
    length, width, mass = body
    force = ("max_force", f"{max(20.0, _PUSH * mass):.6g}"), ("grip", _GRIP)
    if drive == OMNI:
        return (("max_speed", f"{max(fastest):.6g}"), *force), 0.0
    if drive == CAR:
        between = min(max(wheelbase or 0.6 * length, 0.01), 100.0)
        steering = f"{math.degrees(min(fastest[1], 1.5)):.6g}"  # angles are degrees in files
        settings = (
            ("wheelbase", f"{between:.6g}"),
            ("axle", f"{0.5 * between:.6g}"),
            ("max_steering", steering),
            ("max_speed", f"{fastest[0]:.6g}"),
            *force,
        )
        # IR-SIM has the state of a car at its rear axle
        return settings, 0.5 * between
    track = min(max(0.4 * width, 0.01), 10.0)
    speed = f"{fastest[0] + fastest[1] * track:.6g}"
    return (("half_track", f"{track:.6g}"), ("max_speed", speed), *force), 0.0


def _devices(keys: YamlKeys, drive: str, file: Path, plan: WorldPlan) -> list[SensorPlan]:
    entry = keys.get("sensors")
    devices = [SensorPlan("odometry" if drive == DIFFERENTIAL else "drive_odometry", "odometry")]
    if keys.get("behavior") is not None:
        devices.append(_SONARS)
    for sensor in entry.items() if entry is not None else ():
        scan = YamlKeys(sensor, file, plan)
        kind = str(scan.plain("type", scan.plain("name", "lidar2d")))
        if not kind.endswith("lidar2d"):
            scan.lose("type", "left out: expected lidar2d")
            continue
        number = sum(device.kind == "laser" for device in devices)
        devices.append(_laser(scan, file, "laser" if number == 0 else f"laser_{number + 1}"))
        if kind != "lidar2d":
            scan.lose("type", "distances alone: speeds of what it hits are left out")
        for name in ("alpha", "color", "has_velocity", "plot", "name"):
            scan.lose(name, "left out: it is about IR-SIM's own figure")
        scan.leave()
    return devices


def _laser(scan: YamlKeys, file: Path, name: str) -> SensorPlan:
    offset = scan.get("offset")
    x, y, turn = [*(row(offset, "offset", file) if offset is not None else []), 0.0, 0.0, 0.0][:3]
    noise = scan.number("std", 0.2) if scan.plain("noise", usual=False) else 0.0
    settings = {
        "count": str(min(max(round(scan.number("number", 100)), 1), _MOST_RAYS)),
        "sector": f"{min(math.degrees(scan.number('angle_range', math.pi)), 360.0):.6g}",
        "reach": f"{min(max(scan.number('range_max', 10.0), 0.1), 1000.0):.6g}",
        "nearest": f"{min(max(scan.number('range_min', 0.0), 0.0), 100.0):.6g}",
        "noise": f"{min(max(noise, 0.0), 10.0):.6g}",
        "x": f"{x:.6g}",
        "y": f"{y:.6g}",
        "yaw": f"{math.degrees(turn):.6g}",
    }
    scan.lose("angle_std", "left out: rays have no error of direction")
    return SensorPlan("laser", name, tuple((key, value) for key, value in settings.items() if value != "0"))
