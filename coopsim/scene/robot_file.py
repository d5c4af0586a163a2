"""`.robot` files: a body, further bodies on joints, and devices."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from coopsim.scene import values
from coopsim.scene.entities import HEIGHT, HULLS, MASS, EntityNames, is_polygon
from coopsim.scene.joint_spec import Joint
from coopsim.scene.joints import joint
from coopsim.scene.keys import Keys, SectionKey, lacks, read_keys
from coopsim.scene.lines import Line, Section
from coopsim.scene.measures import FRICTION, POLYGON, POSITION, SHAPES, SIZE, misshapen
from coopsim.scene.object_part import ObjectPart
from coopsim.scene.polygons import Point, polygon, polygon_fields
from coopsim.scene.problems import Problems
from coopsim.scene.spans import Entry, Span
from coopsim.scene.specs import BASE, DeviceSection, LinkSpec, RobotFile
from coopsim.scene.values import NAME
from coopsim.scene.visual_sections import visual_sections
from coopsim.scene.world_file import read_sections
from coopsim.suggest import quoted

SECTIONS = ("ROBOT", "BODY", "LINK_", "JOINT_", "DEVICE_", "VISUAL_")

ROBOT_KEYS: Keys = {
    "summary": SectionKey(values.text),
    "articulated": SectionKey(values.yes_no),
    "model": SectionKey(values.text),
    "free": SectionKey(values.yes_no),
}
BODY_KEYS: Keys = {
    "type": SectionKey(values.one_of(*HULLS)),
    "size": SectionKey(SIZE, is_needed=True),
    "mass": SectionKey(MASS, is_needed=True),
    "friction": SectionKey(FRICTION),
    "wheels": SectionKey(values.yes_no),
    "bolted": SectionKey(values.yes_no),
}
HULL_KEYS: Keys = {
    **{key: reader for key, reader in BODY_KEYS.items() if key != "size"},
    "type": SectionKey(values.one_of(POLYGON), is_needed=True),
    "points": SectionKey(polygon, is_needed=True),
    "height": SectionKey(values.LENGTH),
}
"""Of a body of type polygon."""
LINK_KEYS: Keys = {
    "type": SectionKey(values.one_of(*SHAPES), is_needed=True),
    "name": SectionKey(values.name),
    "size": SectionKey(SIZE, is_needed=True),
    "mass": SectionKey(MASS, is_needed=True),
    "position": SectionKey(POSITION),
    "orientation": SectionKey(values.angles),
    "friction": SectionKey(FRICTION),
}
DEVICE_KEYS: Keys = {
    "type": SectionKey(values.word, is_needed=True),
    "name": SectionKey(values.name),
    "paces": SectionKey(values.yes_no),
    "body": SectionKey(values.name),
}


def read_robot(path: str | Path, problems: Problems | None = None) -> tuple[RobotFile, Problems]:
    """Read a `.robot` file; the type is called as the file.

    Args:
        path: The file.
        problems: Takes the mistakes; without it a new collection.

    Returns:
        Whatever could be read, and all mistakes.
    """
    path, problems = Path(path), problems if problems is not None else Problems()
    before = problems.total
    sections = read_sections(path, SECTIONS, problems)
    return robot_of(sections, path, problems, is_whole=problems.total == before), problems


def robot_of(sections: list[Section], path: Path, problems: Problems, *, is_whole: bool = True) -> RobotFile:
    """Return the robot that sections describe.

    Args:
        sections: Of its file.
        path: The file, after which the type is called.
        problems: Takes the mistakes.
        is_whole: Whether all of the file could be read; of another one a missing body is not noted.
    """
    start = Span(str(path), 1, 1)
    if not NAME.fullmatch(path.stem):
        problems.add(start, f"{quoted(path.stem)} cannot be the name of a robot type: letters, digits and _")
    summary = [read_keys(section, ROBOT_KEYS, problems) for section in sections if section.kind == "ROBOT"]
    for keys in summary:
        keys["is_articulated"], keys["is_free"] = keys.pop("articulated", False), keys.pop("free", None)
        keys.pop("model", None)
    model = _model(sections, problems)
    names = EntityNames(problems)
    names.claim(BASE, start)
    return RobotFile(
        name=path.stem,
        **(summary[0] if summary else {}),
        model=model,
        **_body(sections, start, problems, is_readable=is_whole and model is None),
        links=tuple(_links(sections, names, problems)),
        joints=tuple(_joints(sections, problems)),
        devices=tuple(_devices(sections, problems)),
        file=str(path),
        span=start,
        visuals=tuple(visual_sections(sections, path.parent, problems)),
    )


def _model(sections: list[Section], problems: Problems) -> Entry | None:
    """Return the line that names a model; note what only robots with one say, and what only those without."""
    of_robot = [section for section in sections if section.kind == "ROBOT"]
    model = next((line.entry() for section in of_robot if (line := section.line("model"))), None)
    for section in sections:
        if model and section.kind == "BODY":
            problems.add(section.span, "the base of a robot with a model is that of the model; remove [BODY]")
        if not model and section.kind == "ROBOT" and section.line("free"):
            problems.add(section.value_span("free"), "'free' is for the base of a model; name one by the key 'model'")
    return model


def _body(sections: list[Section], start: Span, problems: Problems, *, is_readable: bool) -> dict[str, Any]:
    bodies = [section for section in sections if section.kind == "BODY"]
    bodies_read = [read_keys(section, HULL_KEYS if is_polygon(section) else BODY_KEYS, problems) for section in bodies]
    if not bodies_read:
        if is_readable:
            problems.add(start, "a robot needs the section [BODY]")
        return {}
    body = bodies_read[0]
    body["shape"] = body.pop("type", HULLS[0])
    if body["shape"] == POLYGON:
        body |= _hull(body.pop("points", None), body.pop("height", HEIGHT))
    body["has_wheels"] = body.pop("wheels", None)
    body["is_bolted"] = body.pop("bolted", False)
    if body["is_bolted"] and body["has_wheels"]:
        problems.add(bodies[0].value_span("wheels"), "what is bolted down has no wheels; remove one of the two")
    flaw = misshapen(body["shape"], body["size"]) if "size" in body else ""
    if flaw:
        problems.add(bodies[0].value_span("size"), flaw)
    if body.get("mass") == 0.0:
        problems.add(bodies[0].value_span("mass"), "mass of a robot must be greater than 0 kg")
    return body


def _hull(points: Sequence[Point] | None, height: float) -> dict[str, Any]:
    """Return a polygon around the origin of a robot, and the box around that; no points: they were wrong."""
    if points is None:
        return {"shape": HULLS[1]}
    middle, fields = polygon_fields(points, height, is_placed=False)
    around = tuple(coordinate for point in fields["points"] for coordinate in point)
    size = (*(2.0 * max(abs(place) for place in along) for along in zip(*points, strict=True)), height)
    return {"shape": HULLS[1], "size": size, "hull": ObjectPart(POLYGON, fields["size"], middle, points=around)}


def _links(sections: list[Section], names: EntityNames, problems: Problems) -> list[LinkSpec]:
    links = []
    for section in sections:
        if section.kind == "LINK":
            keys = read_keys(section, LINK_KEYS, problems)
            name = keys.pop("name", section.name.lower())
            names.claim(name, section.value_span("name"))
            if not lacks(keys, LINK_KEYS):
                links.append(_link(section, name, keys, problems))
    return links


def _link(section: Section, name: str, keys: dict[str, Any], problems: Problems) -> LinkSpec:
    shape = keys.pop("type")
    flaw = misshapen(shape, keys["size"])
    if flaw:
        problems.add(section.value_span("size"), flaw)
    if keys["mass"] == 0.0:
        problems.add(section.value_span("mass"), "mass of a link must be greater than 0 kg")
    return LinkSpec(name, shape, **keys, span=section.span)


def _joints(sections: list[Section], problems: Problems) -> list[Joint]:
    names = EntityNames(problems)
    joints = (joint(section, names, problems) for section in sections if section.kind == "JOINT")
    return [read_joint for read_joint in joints if read_joint is not None]


def _devices(sections: list[Section], problems: Problems) -> list[DeviceSection]:
    devices = []
    for section in sections:
        if section.kind == "DEVICE":
            other_lines: list[Line] = []
            keys = read_keys(section, DEVICE_KEYS, problems, other_lines)
            if not lacks(keys, DEVICE_KEYS):
                devices.append(_device(section, keys, other_lines))
    return devices


def _device(section: Section, keys: dict[str, Any], rest: list[Line]) -> DeviceSection:
    return DeviceSection(
        type=keys["type"],
        name=keys.get("name", keys["type"]),
        paces=keys.get("paces"),
        settings=tuple(line.entry() for line in rest),
        span=section.span,
        type_span=section.value_span("type"),
        name_span=section.value_span("name"),
        paces_span=section.value_span("paces"),
        body=keys.get("body", BASE),
        body_span=section.value_span("body"),
    )
