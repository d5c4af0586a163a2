"""`.world` files: a floor, walls and objects (CoopDynSim, Fig. 7)."""

from dataclasses import replace
from pathlib import Path

from coopsim.scene.entities import Names, floor, thing
from coopsim.scene.lines import Section, parse
from coopsim.scene.problems import Problems
from coopsim.scene.source import read_file, why_unreadable
from coopsim.scene.specs import Floor, Object, Span, World

SECTIONS = ("FLOOR", "WALL_", "OBJECT_")


def read_world(
    path: str | Path, problems: Problems | None = None, names: Names | None = None
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
    names = names or Names(problems)
    sections = read_sections(Path(path), SECTIONS, problems)
    ground = _floor(sections, names, problems)
    objects = tuple(_things(sections, names, problems, Path(path).parent))
    ground = replace(ground, texture=_texture(ground.texture, ground.span, Path(path).parent, problems))
    return World(ground, objects, str(path)), problems


def read_sections(path: Path, kinds: tuple[str, ...], problems: Problems) -> list[Section]:
    """Return the sections of a file; one without any is a mistake."""
    before = problems.total
    lines = read_file(path, problems)
    sections = parse(str(path), lines, kinds, problems)
    if not sections and problems.total == before:
        problems.add(Span(str(path), 1, 1), f"the file is empty: expected sections, [{kinds[0]}] and others")
    return sections


def _floor(sections: list[Section], names: Names, problems: Problems) -> Floor:
    own = [section for section in sections if section.kind == "FLOOR"]
    grounds = [floor(section, problems) for section in sorted(own, key=lambda section: section.repeated)]
    ground = grounds[0] if grounds else Floor()
    names.claim(ground.name, ground.span)
    return ground


def _things(sections: list[Section], names: Names, problems: Problems, folder: Path) -> list[Object]:
    found = []
    for section in sections:
        if section.kind in {"WALL", "OBJECT"}:
            each = thing(section, names, problems)
            if each and each.texture:
                each = replace(each, texture=_texture(each.texture, section.value_span("texture"), folder, problems))
            if each:
                found.append(each)
        if problems.is_full:
            break
    return found


def _texture(file: str, span: Span, folder: Path, problems: Problems) -> str:
    if not file:
        return ""
    path = folder / file
    reason = why_unreadable(path)
    if reason:
        problems.add(span, f"texture {path}: {reason}")
    return str(path)
