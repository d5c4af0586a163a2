"""Sections of a scenario that say how it is run: its engine, and control laws that people started while it ran."""

from collections.abc import Collection, Sequence

from coopsim.scene import blocks, patterns
from coopsim.scene.lines import Section
from coopsim.scene.page import Page
from coopsim.scene.placement_spec import RobotPlacement
from coopsim.scene.scenario_file import scenario_heads
from coopsim.scene.specs import OPTION, Controller, Settings

_KIND = "CONTROLLER"
_OWN_KEYS = ("run", "robots")
"""Keys of `[CONTROLLER_n]` that are no arguments of the law."""


def with_engine(text: str, engine: str) -> str:
    """Return the text of a scenario that names an engine; the usual one needs no line.

    Args:
        text: Of a `.scenario` file.
        engine: With what is chosen of it, as `mujoco` or `mujoco+rk4+4`.

    Raises:
        BadFile: `text` is no scenario.
    """
    page = Page(text, scenario_heads())
    kind, *options = engine.split(OPTION)
    keys = {"engine": kind, "integrator": "", "substeps": ""}
    for option in options:
        keys["substeps" if option.isdecimal() else "integrator"] = option
    section = next(iter(page.sections("SIMULATION")), None)
    if section is None and engine == Settings().engine:
        return text
    if section is None:
        page.put_first(blocks.new_section("SIMULATION", [(key, [word]) for key, word in keys.items() if word]))
        return page.document.text()
    for key, word in keys.items():
        line = section.line(key)
        if line is None and word not in ("", Settings().engine):
            blocks.add_key(page.document, section, key, [word])
        elif line is not None and word:
            blocks.set_words(page.document, line, [word])
        elif line is not None:
            blocks.remove_line(page.document, section, line)
    return page.document.text()


def with_laws(
    text: str,
    laws: Sequence[Controller],
    placements: Sequence[RobotPlacement],
    dropped: Sequence[Controller] = (),
) -> str:
    """Return the text of a scenario that starts these control laws, too.

    A robot has one law: sections of the file lose the robots that another law drives now, and leave when none remains.

    Args:
        text: Of a `.scenario` file.
        laws: That people started, the newest last; of two for one robot the newest counts.
        placements: Of all robots, as the file says them.
        dropped: Laws that were written before, and drive no more.

    Raises:
        BadFile: `text` is no scenario.
    """
    file = _LawSections(text, placements)
    wanted = _one_each(laws)
    said = [section for section in file.sections if any(file.says(section, law) for law in wanted)]
    new = [law for law in wanted if not any(file.says(section, law) for section in said)]
    driven = {robot for law in new for robot in law.robots}
    left = []
    for section in file.sections:
        is_dropped = section not in said and any(file.says(section, law) for law in dropped)
        if section in said or file.without(section, file.driven_by(section) if is_dropped else driven):
            left.append(section)
    used = {section.name.upper() for section in left}
    for law in new:
        header = next(name for number in range(1, len(used) + 2) if (name := f"{_KIND}_{number}") not in used)
        used.add(header)
        arguments = ((key, [*words]) for key, words in law.arguments)
        lines = blocks.new_section(header, [("run", [law.run]), ("robots", patterns.named(law.robots)), *arguments])
        blocks.append(file.page.document, left[-1] if left else None, lines)
    return file.page.document.text()


def _one_each(laws: Sequence[Controller]) -> list[Controller]:
    """Return laws without robots that a later one drives."""
    wanted: list[Controller] = []
    taken: set[str] = set()
    for law in reversed(laws):
        robots = tuple(robot for robot in law.robots if robot not in taken)
        taken.update(robots)
        if robots:
            wanted.insert(0, Controller(law.run, robots, law.arguments))
    return wanted


class _LawSections:
    """Sections of control laws in a scenario, with what the words behind `robots` mean.

    Args:
        text: Of the scenario.
        placements: Of all robots.
    """

    def __init__(self, text: str, placements: Sequence[RobotPlacement]) -> None:
        self.page = Page(text, scenario_heads())
        self.sections = self.page.sections(_KIND)
        self._members = {place.name: place.members for place in placements}
        self._names = [name for place in placements for name in place.members]

    def says(self, section: Section, law: Controller) -> bool:
        """Return whether a section starts just this law."""
        run = section.line("run")
        more = {line.key.lower(): tuple(line.values) for line in section.lines if line.key.lower() not in _OWN_KEYS}
        is_law = run is not None and tuple(run.values) == (law.run,)
        return is_law and more == dict(law.arguments) and self.driven_by(section) == set(law.robots)

    def driven_by(self, section: Section) -> set[str]:
        """Return the robots that a section names."""
        line = section.line("robots")
        return {robot for word in (line.values if line else ()) for robot in self._meant(word)}

    def without(self, section: Section, driven: Collection[str]) -> bool:
        """Let a section forget robots; return whether any is left, or it named none."""
        line = section.line("robots")
        if line is None:
            return True
        left: list[str] = []
        for word in line.values:
            meant = self._meant(word)
            rest = [robot for robot in meant if robot not in driven]
            left += [word] if len(rest) == len(meant) else patterns.named(rest) if rest else []
        if not left:
            blocks.remove(self.page.document, section)
        elif left != line.values:
            blocks.set_words(self.page.document, line, left)
        return bool(left)

    def _meant(self, word: str) -> Sequence[str]:
        """Return the robots that a word means: one, those of a team or a counted section, those of a pattern."""
        if word in self._members:
            return self._members[word]
        return patterns.matching(word, self._names) if patterns.is_pattern(word) else [word]
