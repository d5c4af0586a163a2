"""Insertions that window and page offer: the section of each, with a name that nobody has."""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from coopsim.features.beginnings import templates
from coopsim.geometry import Vector3
from coopsim.scene import TEAM

OBJECT, TARGET, ROBOT, ARTIFACT = "object", "target", "robot", "artifact"
OFFERED: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        OBJECT: (*templates.SHAPES, templates.POLYGON, *templates.COMPOSED),
        TARGET: templates.TARGET_COLORS,
        ARTIFACT: templates.ARTIFACTS,
    }
)
"""Names by kind; of robots, each installed type."""


def new_section(kind: str, name: str, taken: Collection[str], at: Vector3, robots: int) -> tuple[str, str]:
    """Return the name of something new and its section.

    Args:
        kind: `object`, `target`, `robot` or `artifact`.
        name: One of those that are offered.
        taken: Names that there are.
        at: Where it is to stand [m].
        robots: How many there are; neighbours have different colours.
    """
    if kind == TARGET:
        own = templates.free_target(name, taken)
        return own, templates.target_section(own, at)
    if kind == ROBOT:
        own = templates.free_name("team1" if name == TEAM else "robot1", taken)
        return own, templates.robot_section(name, own, at, robots)
    own = templates.free_name(f"{name}1", taken)
    if kind == ARTIFACT:
        return own, templates.artifact_section(name, own, at)
    if name == templates.POLYGON:
        return own, templates.polygon_section(own, at)
    make = templates.composed_section if name in templates.COMPOSED else templates.object_section
    return own, make(name, own, at)
