"""Files of coopsim out of a plan: types of robots, a world and a scenario."""

from collections.abc import Iterable, Iterator, Sequence

from coopsim.features.others.worlds.plan import FloorPlan, LawUse, PlanPoint, RobotKind, RobotPlan, SolidPlan, WorldPlan

_FLOOR_HEIGHT = 0.1  # m; as in files that people write
_KEY_WIDTH = 11


def texts(plan: WorldPlan, stem: str) -> dict[str, str]:
    """Return the texts of all files of a plan, by name; `stem` is the name of world and scenario."""
    files = {f"{kind.name}.robot": _robot(kind, plan.origin) for kind in plan.kinds}
    files[f"{stem}.world"] = _world(plan)
    files[f"{stem}.scenario"] = _scenario(plan, stem)
    return files


def _robot(kind: RobotKind, origin: str) -> str:
    sections = [
        ("ROBOT", [("summary", kind.summary)]),
        ("BODY", [*_body(kind), ("mass", number(kind.mass))]),
        ("DEVICE_1", [("type", kind.drive), ("name", "motors"), *kind.settings]),
    ]
    for place, device in enumerate(kind.devices, 2):
        sections.append((f"DEVICE_{place}", [("type", device.kind), ("name", device.name), *device.settings]))
    return _text(origin, sections)


def _body(kind: RobotKind) -> list[tuple[str, str]]:
    if not kind.points:
        return [("type", kind.body), ("size", numbers(kind.size))]
    points = "  ".join(map(numbers, kind.points))
    return [("type", "polygon"), ("points", points), ("height", number(kind.size[2]))]


def _world(plan: WorldPlan) -> str:
    sections: list[tuple[str, list[tuple[str, str]]]] = [
        ("FLOOR", [("size", numbers((*plan.size, _FLOOR_HEIGHT)))]),
    ]
    walls, objects = 0, 0
    sections += [("MAP", _map(floor_plan, plan.middle)) for floor_plan in plan.floor_plans]
    for solid in plan.solids:
        if solid.kind == "line":
            walls += 1
            sections.append((f"WALL_{walls}", _line(solid, plan.middle)))
        else:
            objects += 1
            sections.append((f"OBJECT_{objects}", list(_object(solid, plan.middle))))
    return _text(plan.origin, sections)


def _map(floor_plan: FloorPlan, middle: PlanPoint) -> list[tuple[str, str]]:
    x, y = floor_plan.corner
    return [
        ("image", floor_plan.image),
        ("resolution", number(floor_plan.resolution)),
        ("origin", numbers((x - middle[0], y - middle[1]))),
        ("height", number(floor_plan.height)),
    ]


def _line(solid: SolidPlan, middle: PlanPoint) -> list[tuple[str, str]]:
    points = "  ".join(numbers((x - middle[0], y - middle[1])) for x, y in solid.points)
    keys = [("points", points), ("thickness", number(solid.size[1])), ("height", number(solid.size[2]))]
    return [*keys, *([("closed", "yes")] if solid.closed else []), *_color(solid.color)]


def _object(solid: SolidPlan, middle: PlanPoint) -> Iterator[tuple[str, str]]:
    x, y, heading = solid.pose
    if solid.name:
        yield "name", solid.name
    yield "type", solid.kind
    if solid.kind == "polygon":
        yield "points", "  ".join(numbers((x - middle[0], y - middle[1])) for x, y in solid.points)
        yield "height", number(solid.size[2])
        (left, right), (low, high) = ((min(along), max(along)) for along in zip(*solid.points, strict=True))
        x, y, heading = 0.5 * (left + right), 0.5 * (low + high), 0.0
    else:
        yield "size", numbers(solid.size)
    if solid.kind != "polygon" or solid.base:
        yield "position", numbers((x - middle[0], y - middle[1], solid.base))
    if heading:
        yield "orientation", numbers((0.0, 0.0, heading))
    if solid.mass:
        yield "mass", number(solid.mass)
    for place, (size, (u, v, turn)) in enumerate(solid.parts, 1):
        yield f"part_{place}", f"box {numbers(size)}  {numbers((u, v, 0.0))}  orientation {numbers((0.0, 0.0, turn))}"
    yield from _color(solid.color)


def _scenario(plan: WorldPlan, stem: str) -> str:
    sections = [("WORLD", [("file", f"{stem}.world")])]
    sections += [(f"ROBOT_{place}", list(_placed(robot, plan.middle))) for place, robot in enumerate(plan.robots, 1)]
    # laws and what they drive take turns, so that a run is the same each time
    time = [("mode", "lockstep")] if plan.laws else []
    time += [("step", number(plan.step))]
    time += [("seed", str(plan.seed))] if plan.seed else []
    time += [("duration", number(plan.duration))] if plan.duration else []
    sections.append(("SIMULATION", time))
    sections += [(f"CONTROLLER_{place}", list(_law(use))) for place, use in enumerate(plan.laws, 1)]
    return _text(plan.origin, sections)


def _placed(robot: RobotPlan, middle: PlanPoint) -> Iterator[tuple[str, str]]:
    yield "type", robot.kind
    yield "name", robot.name
    if robot.scatter is not None:
        x, y, u, v = robot.scatter
        yield "count", str(robot.count)
        yield "scatter", numbers((x - middle[0], y - middle[1], u - middle[0], v - middle[1]))
    else:
        x, y, heading = robot.pose
        yield "position", numbers((x - middle[0], y - middle[1], 0.0))
        if heading:
            yield "orientation", numbers((0.0, 0.0, heading))
    yield from _color(robot.color)


def _law(use: LawUse) -> Iterator[tuple[str, str]]:
    yield "run", use.law
    yield "robots", " ".join(use.robots)
    yield from use.settings


def _color(color: str) -> Iterator[tuple[str, str]]:
    if color:
        yield "color", color


def _text(origin: str, sections: Iterable[tuple[str, Sequence[tuple[str, str]]]]) -> str:
    lines = [f"# made from {origin} by `coopsim import world`"]
    for head, keys in sections:
        lines += [f"[{head}]", *(f"{key:<{_KEY_WIDTH}} {value}" for key, value in keys), ""]
    return "\n".join(lines)


def number(value: float) -> str:
    """Return a number as files have it, to a tenth of a micrometre."""
    text = f"{value:.7f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def numbers(values: Sequence[float]) -> str:
    """Return numbers with spaces between them."""
    return " ".join(map(number, values))
