"""`.world` files: a floor, walls and objects (CoopDynSim, Fig. 7), and artifacts."""

from dataclasses import replace
from pathlib import Path

from coopsim.scene.areas import read_areas
from coopsim.scene.entities import ARTIFACT, EntityNames, floor, placement, thing
from coopsim.scene.groups import group, is_group
from coopsim.scene.joint_spec import Joint
from coopsim.scene.joints import joint
from coopsim.scene.lines import Section, parse
from coopsim.scene.placing import FILES
from coopsim.scene.problems import Problems
from coopsim.scene.section_families import families, read_extras
from coopsim.scene.source import read_file, why_not_shown
from coopsim.scene.spans import Span
from coopsim.scene.specs import Floor, Object, World
from coopsim.scene.textures import is_pattern

SECTIONS = ("FLOOR", "WALL_", "OBJECT_", "ROPE_", "CLOTH_", "SOFT_", "MAP", "JOINT_", "AREA_", "ARTIFACT_")


def world_sections() -> tuple[str, ...]:
    """Return the names of all sections that a world may have, those of registered families among them."""
    return (*SECTIONS, *(head for family in families().values() for head in family.world_heads))


def read_world(
    path: str | Path, problems: Problems | None = None, names: EntityNames | None = None
) -> tuple[World, Problems]:
    """Read a `.world` file.

    Args:
        path: The file.
        problems: Takes the mistakes; without it a new collection.
        names: Takes the names of its entities; without it a new name space.

    Returns:
        Whatever could be read, and all mistakes.
    """
    problems = problems if problems is not None else Problems()
    names = names or EntityNames(problems)
    sections = read_sections(Path(path), world_sections(), problems)
    ground = _floor(sections, names, problems)
    folder = Path(path).parent
    objects, images, tied = _things(sections, names, problems, folder)
    ground = replace(ground, texture=_path("texture", ground.texture, ground.span, folder, problems))
    joints = tuple(
        replace(tied_joint, is_of_world=True) for tied_joint in (*tied, *read_joints(sections, names, problems))
    )
    areas = tuple(replace(area, is_of_world=True) for area in read_areas(sections, names, problems))
    extras = read_extras(sections, problems)
    kept = [] if problems.is_full else [section for section in sections if section.kind == ARTIFACT]
    artifacts = tuple(placement(section, names, problems) for section in kept)
    return World(ground, tuple(objects), str(path), tuple(images), joints, areas, extras, artifacts), problems


def read_joints(sections: list[Section], names: EntityNames, problems: Problems) -> list[Joint]:
    """Return what the `[JOINT_n]` sections among them say."""
    kept = [] if problems.is_full else [section for section in sections if section.kind == "JOINT"]
    joints = (joint(section, names, problems) for section in kept)
    return [joint_spec for joint_spec in joints if joint_spec is not None]


def read_sections(
    path: Path, kinds: tuple[str, ...], problems: Problems, foreign: tuple[str, ...] = ()
) -> list[Section]:
    """Return the sections of a file; one without any is a mistake, and so is one that its world knows instead."""
    before = problems.total
    lines = read_file(path, problems)
    sections = parse(str(path), lines, kinds, problems, foreign)
    if not sections and problems.total == before:
        problems.add(Span(str(path), 1, 1), f"the file is empty: expected sections, [{kinds[0]}] and others")
    return sections


def _floor(sections: list[Section], names: EntityNames, problems: Problems) -> Floor:
    own = [section for section in sections if section.kind == "FLOOR"]
    grounds = [floor(section, problems) for section in sorted(own, key=lambda section: section.repeated)]
    ground = grounds[0] if grounds else Floor()
    names.claim(ground.name, ground.span)
    return ground


def _things(
    sections: list[Section], names: EntityNames, problems: Problems, folder: Path
) -> tuple[list[Object], list[str], list[Joint]]:
    """Return walls and objects, the pictures that were read for them, and the joints of ropes."""
    objects: list[Object] = []
    images: list[str] = []
    tied: list[Joint] = []
    for section in sections:
        if is_group(section):
            several = group(section, names, problems, folder)
            objects += _with_files(section, list(several.objects), folder, problems)
            images += [str(folder / several.image)] if several.image else []
            tied += several.joints
        elif section.kind in {"WALL", "OBJECT"}:
            entity = thing(section, names, problems)
            objects += _with_files(section, [entity] if entity else [], folder, problems)
        if problems.is_full:
            break
    return objects, images, tied


def _with_files(section: Section, things: list[Object], folder: Path, problems: Problems) -> list[Object]:
    """Return what a section says with the paths of its texture and its mesh, which all of it have."""
    if not things:
        return things
    texture, mesh = (
        _path(key, getattr(things[0], key), section.value_span(key), folder, problems) for key in FILES[Object]
    )
    return [replace(thing, texture=texture, mesh=mesh) for thing in things] if texture or mesh else things


def _path(key: str, file: str, span: Span, folder: Path, problems: Problems) -> str:
    if not file or (key == "texture" and is_pattern(file)):
        return file
    path = folder / file
    reason = why_not_shown(path)
    if reason:
        problems.add(span, f"{key} {path}: {reason}")
    return str(path)
