"""Looks of robot types: from sections of their files to trees of visuals."""

from collections.abc import Mapping
from dataclasses import replace

from coopsim.geometry import ORIGIN, Vector3, quaternion
from coopsim.robots.blueprint import RobotBlueprint
from coopsim.scene import BASE, Problems, RobotFile, VisualSection, choices, hint, quoted
from coopsim.scene.measures import misshapen
from coopsim.state import Visual, default_visuals
from coopsim.state.visuals import MOST_VISUALS, ROOT, SHAPES


def robot_visuals(blueprint: RobotBlueprint, extent: Vector3) -> tuple[Visual, ...]:
    """Return what a robot type looks like: what its file says, and each body of which it says nothing as itself.

    Args:
        blueprint: The type.
        extent: Length, width and height of what its arrow to the front lies on [m].
    """
    said = blueprint.visuals
    dressed = {visual.body for visual in said}
    base = () if "" in dressed else default_visuals("robot", blueprint.shape, extent)
    if base and extent != blueprint.size:
        base = replace(base[0], size=blueprint.size), *base[1:]  # the arrow is that of the whole robot, the body is not
    if base and (hull := blueprint.hull) is not None:
        base = Visual(hull.shape, hull.size, (*hull.position, *ORIGIN[3:]), points=hull.points or ()), *base[1:]
    bare = (Visual(link.shape, link.size, body=link.name) for link in blueprint.links if link.name not in dressed)
    return (*said, *base, *bare)


def read_visuals(file: RobotFile, problems: Problems) -> tuple[Visual, ...]:
    """Return the visuals of a robot type, those that cannot be drawn left out.

    Args:
        file: What its file says.
        problems: Takes every mistake.
    """
    sections = file.visuals
    if len(sections) + len(file.links) > MOST_VISUALS:
        text = f"a robot has at most {MOST_VISUALS} visuals and links; this one has {len(sections)}"
        span = sections[-1].span if sections else file.links[-1].span
        problems.add(span, f"{text} and {len(file.links)}")
        return ()
    sizes = {BASE: file.size} | {link.name: link.size for link in file.links}
    places: dict[str, int] = {}
    visuals: list[Visual] = []
    for section in sections:
        before = problems.total
        parent = _parent(section, places, problems)
        body = _body(section, visuals[parent].body if section.parent in places else None, sizes, problems)
        size = sizes.get(body or BASE, file.size)
        _check(section, size, problems)
        if section.name in places:
            problems.add(section.span, f"the visual {quoted(section.name)} is there twice")
        if problems.total == before:
            places[section.name] = len(visuals)
            visuals.append(_visual(section, parent, body, section.size or (size if body else None)))
    return tuple(visuals)


def _check(section: VisualSection, size: Vector3, problems: Problems) -> None:
    if section.type not in SHAPES:
        advice = f"{hint(section.type, SHAPES)}; known: {choices(SHAPES)}"
        problems.add(section.type_span, f"no shape {quoted(section.type)}{advice}")
    elif flaw := misshapen(section.type, section.size or size):
        problems.add(section.span, flaw)
    if (section.type == "mesh") != bool(section.mesh):
        problems.add(section.span, "a visual of the type mesh, and no other, names its file by the key 'mesh'")


def _parent(section: VisualSection, places: Mapping[str, int], problems: Problems) -> int:
    if not section.parent:
        return ROOT
    if section.parent not in places:
        advice = hint(section.parent, places) or f"; above it stand {choices(places) if places else 'none'}"
        problems.add(section.parent_span, f"no visual {quoted(section.parent)} stands above this one{advice}")
    return places.get(section.parent, ROOT)


def _body(section: VisualSection, parent: str | None, sizes: Mapping[str, Vector3], problems: Problems) -> str:
    """Return the body that a visual sits on as `Visual` names it, given that of its parent."""
    if section.body and section.body not in sizes:
        advice = f"{hint(section.body, sizes)}; it has {choices(sizes)}"
        problems.add(section.body_span, f"this robot has no body {quoted(section.body)}{advice}")
    body = "" if section.body == BASE else section.body
    if parent is not None and section.body and body != parent:
        problems.add(section.body_span, f"a visual sits on the body of its parent, which is {parent or BASE}")
    return body if parent is None else parent


def _visual(section: VisualSection, parent: int, body: str, size: Vector3 | None) -> Visual:
    return Visual(
        section.type,
        size,
        (*section.position, *quaternion(*section.orientation)),
        section.color,
        parent,
        body,
        texture=section.texture,
        mesh=section.mesh,
    )
