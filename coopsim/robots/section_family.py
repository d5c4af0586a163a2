"""Sections of scenarios that packages bring, as they take part in a run: robots equipped, names checked, warnings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from coopsim import plugins
from coopsim.errors import PluginFailed
from coopsim.robots.blueprint import RobotBlueprint, RunSpec
from coopsim.robots.catalogue import Placed
from coopsim.robots.names import RobotNames
from coopsim.robots.registry import TypeRegistry
from coopsim.scene import Area, Controller, Event, Problems, SceneSections, section_families

_Content = TypeVar("_Content")


@dataclass(frozen=True, slots=True)
class Equipment:
    """A run before its names are checked: families add devices to its robots.

    Attributes:
        placed: Robots where they stand as the run begins, and their types.
        groups: Robots by a name that other sections may call them, such as a player's; as words of files.
        folder: Of the scenario: where paths that it names begin.
        registry: Device types, control laws and so on that are installed.
    """

    placed: Placed
    groups: Mapping[str, Sequence[str]]
    folder: Path
    registry: TypeRegistry


@dataclass(frozen=True, slots=True)
class CheckedScene:
    """A run whose own sections are checked: what a family may name.

    Attributes:
        types: Blueprint of each robot, by the robot's name.
        names: What robots are called.
        objects: Names of objects and walls.
        targets: Names of targets.
        areas: By name.
        controllers: Robot by robot.
        registry: Device types, control laws and so on that are installed.
    """

    types: Mapping[str, RobotBlueprint]
    names: RobotNames
    objects: Sequence[str]
    targets: Sequence[str]
    areas: Mapping[str, Area]
    controllers: Sequence[Controller]
    registry: TypeRegistry


@dataclass(frozen=True, slots=True)
class SectionProgram:
    """A program that a section wants beside a run: a client of it, started and ended with it.

    Attributes:
        name: What people call it.
        module: Python module that is run.
        arguments: Its arguments; the environment says where the run answers.
    """

    name: str
    module: str
    arguments: tuple[str, ...] = ()


class SectionFamily(SceneSections[_Content]):
    """A family of sections, registered as `coopsim.sections`; every method but `read` may be left as it is.

    Attributes:
        rank: Families equip robots in this order, those of one rank by name.
    """

    rank: ClassVar[int] = 0

    def groups(self, _content: _Content, /) -> Mapping[str, Sequence[str]]:
        """Return robots by a name that other families may call them, as words of files."""
        return {}

    def equip(
        self, _content: _Content, equipment: Equipment, _problems: Problems, /
    ) -> tuple[Placed, tuple[Event, ...]]:
        """Return the robots with what the sections put on them, and what they do at their times."""
        return equipment.placed, ()

    def check(self, content: _Content, _scene: CheckedScene, _problems: Problems, /) -> _Content | None:
        """Return the content with all that it names checked; None = it is on board of the robots, and done with."""
        return content

    def check_run(self, _content: _Content, _spec: RunSpec, _problems: Problems, /) -> None:
        """Note mistakes that only the whole run shows."""

    def warn(self, _content: _Content, _spec: RunSpec, _problems: Problems, /) -> None:
        """Warn of what is no mistake and yet probably not meant."""

    def programs(self, _content: _Content, /) -> Sequence[SectionProgram]:
        """Return the programs that are started beside a run, and ended with it."""
        return ()


class Extras:
    """The extra sections of one scenario on their way into a run.

    Args:
        content: As `Scenario.extras` has it.
        problems: Collects their mistakes.
    """

    def __init__(self, content: Mapping[str, Any], problems: Problems) -> None:
        self._content, self._problems = dict(content), problems
        families = section_families()
        present = [_as_family(families[name]) for name in self._content]
        self._families = sorted(present, key=lambda family: (family.rank, family.name))

    @property
    def content(self) -> Mapping[str, Any]:
        """The content that is left, by the name of the family."""
        return self._content

    def equip(self, placed: Placed, folder: Path, registry: TypeRegistry) -> tuple[Placed, tuple[Event, ...]]:
        """Return the robots with what all families put on them, and what these do at their times."""
        groups: dict[str, Sequence[str]] = {}
        for family in self._families:
            with plugins.blamed(f"sections {family.name}"):
                groups |= family.groups(self._content[family.name])
        events: tuple[Event, ...] = ()
        for family in self._families:
            equipment = Equipment(placed, groups, folder, registry)
            with plugins.blamed(f"sections {family.name}"):
                placed, timed = family.equip(self._content[family.name], equipment, self._problems)
            events += timed
        return placed, events

    def check(self, scene: CheckedScene) -> None:
        """Let each family check its content; what is done with is forgotten."""
        for family in self._families:
            with plugins.blamed(f"sections {family.name}"):
                content = family.check(self._content[family.name], scene, self._problems)
            self._content[family.name] = content
        self._content = {name: content for name, content in self._content.items() if content is not None}
        self._families = [family for family in self._families if family.name in self._content]

    def check_run(self, spec: RunSpec) -> None:
        """Let each family look at the whole run."""
        for family in self._families:
            with plugins.blamed(f"sections {family.name}"):
                family.check_run(self._content[family.name], spec, self._problems)

    def warn(self, spec: RunSpec) -> None:
        """Let each family warn."""
        for family in self._families:
            with plugins.blamed(f"sections {family.name}"):
                family.warn(self._content[family.name], spec, self._problems)


def programs_of(spec: RunSpec) -> list[SectionProgram]:
    """Return the programs that the sections of a run want beside it."""
    programs: list[SectionProgram] = []
    families = section_families()
    for name, content in spec.scenario.extras.items():
        with plugins.blamed(f"sections {name}"):
            programs += _as_family(families[name]).programs(content)
    return programs


def _as_family(family: SceneSections[Any]) -> SectionFamily[Any]:
    if not isinstance(family, SectionFamily):
        raise PluginFailed(f"sections {family.name}: expected an object of coopsim.robots.SectionFamily")
    return family
