"""What robot types look like: from sections of their files to trees of visuals."""

from collections.abc import Mapping, Sequence

from coopsim.geometry import Vector3, quaternion
from coopsim.robots.blueprint import RobotBlueprint
from coopsim.scene import Problems, VisualSection, choices, hint, quoted
from coopsim.scene.entities import misshapen
from coopsim.state import Visual, default_visuals
from coopsim.state.visuals import MOST_VISUALS, ROOT, SHAPES


def robot_visuals(blueprint: RobotBlueprint) -> tuple[Visual, ...]:
    """Return what a robot type looks like: what its file says, else its body."""
    return blueprint.visuals or default_visuals("robot", blueprint.shape, blueprint.size)


def read_visuals(sections: Sequence[VisualSection], size: Vector3, problems: Problems) -> tuple[Visual, ...]:
    """Return the visuals of a robot type, those that cannot be drawn left out.

    Args:
        sections: In the order of the file.
        size: Of the body.
        problems: Takes every mistake.
    """
    if len(sections) > MOST_VISUALS:
        text = f"a robot has at most {MOST_VISUALS} visuals; this is one of {len(sections)}"
        problems.add(sections[MOST_VISUALS].span, text)
        return ()
    places: dict[str, int] = {}
    found: list[Visual] = []
    for section in sections:
        before = problems.total
        _check(section, size, problems)
        parent = _parent(section, places, problems)
        if section.name in places:
            problems.add(section.span, f"the visual {quoted(section.name)} is there twice")
        if problems.total == before:
            places[section.name] = len(found)
            found.append(_visual(section, parent))
    return tuple(found)


def _check(section: VisualSection, size: Vector3, problems: Problems) -> None:
    if section.type not in SHAPES:
        known = f"{hint(section.type, SHAPES)}; known: {choices(SHAPES)}"
        problems.add(section.type_span, f"no shape {quoted(section.type)}{known}")
    elif flaw := misshapen(section.type, section.size or size):
        problems.add(section.span, flaw)
    if (section.type == "mesh") != bool(section.mesh):
        problems.add(section.span, "a visual of the type mesh, and no other, names its file by the key 'mesh'")


def _parent(section: VisualSection, places: Mapping[str, int], problems: Problems) -> int:
    if not section.parent:
        return ROOT
    if section.parent not in places:
        known = hint(section.parent, places) or f"; above it stand {choices(places) if places else 'none'}"
        problems.add(section.parent_span, f"no visual {quoted(section.parent)} stands above this one{known}")
    return places.get(section.parent, ROOT)


def _visual(section: VisualSection, parent: int) -> Visual:
    return Visual(
        section.type,
        section.size,
        (*section.position, *quaternion(*section.orientation)),
        section.color,
        parent,
        texture=section.texture,
        mesh=section.mesh,
    )
