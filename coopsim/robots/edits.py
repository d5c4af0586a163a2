"""Texts out of messages, checked: sections to insert into a running simulation."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from coopsim.robots.blueprint import RobotBlueprint
from coopsim.robots.catalogue import Catalogue
from coopsim.robots.registry import TypeRegistry
from coopsim.scene import Area, Joint, Object, RobotPlacement, TargetSpec, read_additions


@dataclass(frozen=True)
class Sections:
    """Entities to insert.

    Attributes:
        robots: Teams are taken apart into robots, a bar and joints.
        types: Blueprints of the types of these robots, by name.
    """

    objects: tuple[Object, ...] = ()
    robots: tuple[RobotPlacement, ...] = ()
    targets: tuple[TargetSpec, ...] = ()
    types: Mapping[str, RobotBlueprint] = field(default_factory=dict)
    joints: tuple[Joint, ...] = ()
    areas: tuple[Area, ...] = ()


def sections(
    text: str,
    types: Mapping[str, RobotBlueprint] | None = None,
    taken: Iterable[str] = (),
    *,
    registry: TypeRegistry | None = None,
    pictures: Sequence[str] = (),
) -> Sections:
    """Return what a text of sections, such as `[OBJECT_n]`, `[ROBOT_n]` or `[JOINT_n]`, asks to be inserted.

    Args:
        text: The sections; they cannot name files but some pictures.
        types: Robot types of the run, by name; the built-in ones are known besides.
        taken: Names in use.
        registry: What is installed; without it, what really is.
        pictures: Files that textures may name.

    Raises:
        BadFile: The text has mistakes; the error carries all of them.
    """
    additions, problems = read_additions(text, taken, pictures=pictures)
    # types of the run win: the text may name one that is installed otherwise here
    placed = Catalogue(registry or TypeRegistry(), problems, own=types).instantiate(additions.robots)
    problems.raise_any()
    return Sections(
        (*additions.objects, *placed.objects),
        placed.robots,
        additions.targets,
        placed.types,
        (*placed.joints, *additions.joints),
        additions.areas,
    )
