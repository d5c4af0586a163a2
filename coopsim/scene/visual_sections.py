"""`[VISUAL_n]` sections of `.robot` files: what a robot looks like."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from coopsim.scene import values
from coopsim.scene.keys import Keys, SectionKey, lacks, read_keys
from coopsim.scene.lines import Section
from coopsim.scene.measures import POSITION, SIZE
from coopsim.scene.problems import Problems
from coopsim.scene.source import why_not_shown
from coopsim.scene.specs import VisualSection
from coopsim.scene.textures import is_pattern

_LONGEST_NAME = 200  # letters; file systems allow 255 bytes

VISUAL_KEYS: Keys = {
    "type": SectionKey(values.word, is_needed=True),
    "name": SectionKey(values.name),
    "size": SectionKey(SIZE),
    "position": SectionKey(POSITION),
    "orientation": SectionKey(values.angles),
    "color": SectionKey(values.color),
    "parent": SectionKey(values.word),
    "body": SectionKey(values.name),
    "texture": SectionKey(values.text),
    "mesh": SectionKey(values.text),
}


def visual_sections(sections: Sequence[Section], folder: Path, problems: Problems) -> Iterator[VisualSection]:
    """Yield what the `[VISUAL_n]` sections of a file say, with the paths of the files that they name.

    Args:
        sections: All of the file.
        folder: Of the file; what it names lies in there.
        problems: Takes every mistake.
    """
    for section in sections:
        if section.kind == "VISUAL":
            keys = read_keys(section, VISUAL_KEYS, problems)
            if lacks(keys, VISUAL_KEYS):
                continue
            for key in ("texture", "mesh"):
                if key in keys and not is_pattern(keys[key]):
                    keys[key] = _path(section, key, keys[key], folder, problems)
            yield VisualSection(
                **{"name": section.name.lower(), **keys},
                span=section.span,
                type_span=section.value_span("type"),
                parent_span=section.value_span("parent"),
                body_span=section.value_span("body"),
            )


def _path(section: Section, key: str, file: str, folder: Path, problems: Problems) -> str:
    """Return the path of a file that a section names; one that the window could not load is a mistake."""
    path = folder / file
    span = section.value_span(key)
    if not path.resolve().is_relative_to(folder.resolve()) or len(file) > _LONGEST_NAME:
        problems.add(span, f"{key} {file[:_LONGEST_NAME]}: expected a file in the folder of the robot, {folder}")
    elif reason := why_not_shown(path):
        problems.add(span, f"{key} {path}: {reason}")
    return str(path)
