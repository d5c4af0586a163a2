"""Scenes that a person can choose from: built-in ones, those that were open before, and those of a folder."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from coopsim.errors import NoSuchFile
from coopsim.robots import built_in_names
from coopsim.robots.finding import find_file

SUFFIXES = (".scenario", ".world")
_TAGS = frozenset({"type", "run", "engine"})
"""Keys whose values tell what is in a scene: robots and shapes, control laws, the engine."""
_MOST, _LONGEST = 200, 1 << 18
"""Files of a folder that are listed, and bytes of a file that are read for its caption."""


@dataclass(frozen=True, slots=True)
class SceneEntry:
    """A scene that can be opened.

    Attributes:
        file: As it is opened: a bare name of a built-in file, or a path.
        title: Its name, for people.
        path: Where it is.
        caption: What happens in it, "" = it does not say.
        tags: Types, control laws and engines that it names.
    """

    file: str
    title: str
    path: Path
    caption: str = ""
    tags: tuple[str, ...] = ()

    @property
    def is_recording(self) -> bool:
        """Whether it is a recording: it has no beginning that could be drawn at once."""
        return self.path.suffix.lower() == ".mcap"

    def matches(self, words: Sequence[str]) -> bool:
        """Return whether all words, in lower case, occur in what is known of it."""
        text = " ".join((self.title, self.file, self.caption, *self.tags)).lower()
        return all(word in text for word in words)


@dataclass(frozen=True, slots=True)
class SceneGroup:
    """Scenes under one heading."""

    title: str
    entries: tuple[SceneEntry, ...]

    def matching(self, text: str) -> tuple[SceneEntry, ...]:
        """Return those that a search finds."""
        words = text.lower().split()
        return tuple(entry for entry in self.entries if entry.matches(words))


def scene_groups(recent: Iterable[str], folder: Path) -> tuple[SceneGroup, ...]:
    """Return all scenes to choose from; a group without any is left out.

    Args:
        recent: Files that were open before, the last one first.
        folder: Whose files are listed.
    """
    groups = (
        SceneGroup("Opened before", tuple(_existing(recent))),
        SceneGroup("Scenarios", tuple(_existing(f"{name}.scenario" for name in built_in_names(".scenario")))),
        SceneGroup(f"In {folder}", _entries_in(folder)),
        SceneGroup("Worlds without robots", tuple(_existing(f"{name}.world" for name in built_in_names(".world")))),
    )
    return tuple(group for group in groups if group.entries)


def scene_entry(file: str) -> SceneEntry | None:
    """Return a scene as it can be chosen, None = there is no such file."""
    try:
        path = find_file(file, SUFFIXES)
    except NoSuchFile:
        return None
    caption, tags = _description(path)
    return SceneEntry(file, path.stem, path, caption, tags)


def _existing(files: Iterable[str]) -> Iterable[SceneEntry]:
    return (entry for file in files if (entry := scene_entry(file)) is not None)


def _entries_in(folder: Path) -> tuple[SceneEntry, ...]:
    """Return the scenes of a folder, by name."""
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix.lower() in SUFFIXES)
    except OSError:
        return ()
    return tuple(_existing(str(path) for path in paths[:_MOST]))


def _description(path: Path) -> tuple[str, tuple[str, ...]]:
    """Return caption and tags of a file; nothing of one that is no text."""
    try:
        with path.open("rb") as opened:
            lines = opened.read(_LONGEST).decode("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return "", ()
    caption, tags = "", dict[str, None]()
    for line in lines:
        key, _, value = line.strip().partition(" ")
        if key == "caption":
            caption = caption or value.strip()
        elif key in _TAGS:
            tags[value.strip()] = None
    return caption, tuple(tags)
