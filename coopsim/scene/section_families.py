"""Sections of scenarios that packages bring: registered as `coopsim.sections`, read and saved with the others.

A family is one object for all sections that belong together, such as `[GAME]`, `[PLAYER_n]` and `[SQUAD_n]`. The
content that it reads stands in `Scenario.extras` under the name of the family.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar, cast

from coopsim import plugins
from coopsim.errors import PluginClash, PluginFailed
from coopsim.scene.lines import Section
from coopsim.scene.page import Page
from coopsim.scene.problems import Problems
from coopsim.scene.specs import Scenario

GROUP = "sections"
_Content = TypeVar("_Content")


@dataclass(frozen=True, slots=True)
class RemovedNames:
    """Names that a saved file will not have any more.

    Attributes:
        targets: Names of targets.
        areas: Names of areas.
        robots: Names of robots, teams and sections of robots.
        sections: Headers of sections that had no robots left and were removed.
    """

    targets: Collection[str] = ()
    areas: Collection[str] = ()
    robots: Collection[str] = ()
    sections: Collection[str] = ()


class SceneSections(Generic[_Content]):
    """A family of sections as text: its heads, what it reads, and what a saved file keeps of it.

    Attributes:
        name: Key of its content in `Scenario.extras`; the family is registered under the same name.
        heads: Names of its sections in capitals; one that ends with `_` takes a number, `PLAYER_`.
        world_heads: Those that may stand in a `.world` file, too; a scenario's own count instead of its world's.
    """

    name: ClassVar[str]
    heads: ClassVar[tuple[str, ...]]
    world_heads: ClassVar[tuple[str, ...]] = ()

    def read(self, sections: Sequence[Section], problems: Problems) -> _Content:
        """Return the content of all sections of the family; it is called without sections, too.

        Args:
            sections: In the order of the file.
            problems: Collects the mistakes, each with its place.
        """
        raise NotImplementedError(f"{type(self).__name__} has no method `read(sections, problems)`")

    def of(self, scenario: Scenario) -> _Content:
        """Return the content that a scenario has, without such sections that of none."""
        if self.name in scenario.extras:
            return cast("_Content", scenario.extras[self.name])
        return self.read((), Problems())

    def facts(self, _content: _Content, /) -> Mapping[str, Any]:
        """Return what `/sim/info` and recordings say of it, as JSON."""
        return {}

    def forget(self, page: Page, removed: RemovedNames) -> None:
        """Change a file that is saved so that the family names nothing that was removed.

        Raises:
            CannotSave: The family makes no sense without it.
        """


def families() -> dict[str, SceneSections[Any]]:
    """Return the registered families by name.

    Raises:
        PluginClash: Two of them bring the same section.
        PluginFailed: One cannot be imported, or is no family.
    """
    families_by_key: dict[str, SceneSections[Any]] = {}
    brought: dict[str, str] = {}
    for name, plugin in plugins.registered(GROUP).items():
        family = plugins.load(GROUP, name)
        if not isinstance(family, SceneSections) or family.name != name:
            raise PluginFailed(f"{plugin.places[0]}: expected an object of SceneSections with the name {name!r}")
        for head in family.heads:
            if head in brought:
                raise PluginClash(f"sections {name!r} and {brought[head]!r} both bring [{head}]")
            brought[head] = name
        families_by_key[name] = family
    return families_by_key


def heads() -> tuple[str, ...]:
    """Return the names of all sections that the registered families bring."""
    return tuple(head for family in families().values() for head in family.heads)


def read_extras(sections: Sequence[Section], problems: Problems) -> dict[str, Any]:
    """Return the content of each family that has sections in a file, by name.

    Raises:
        PluginFailed: A family of a plugin fails; the text names file and line.
    """
    return dict(_contents(sections, problems))


def _contents(sections: Sequence[Section], problems: Problems) -> Iterator[tuple[str, Any]]:
    for name, family in families().items():
        kinds = {head.removesuffix("_") for head in family.heads}
        own = [] if problems.is_full else [section for section in sections if section.kind in kinds]
        if own:
            with plugins.blamed(f"sections {name}"):
                yield name, family.read(own, problems)


def facts_of(scenario: Scenario) -> dict[str, Any]:
    """Return what `/sim/info` and recordings say of the extra sections of a scenario."""
    families_known = families()
    facts: dict[str, Any] = {}
    for name, content in scenario.extras.items():
        with plugins.blamed(f"sections {name}"):
            facts |= families_known[name].facts(content)
    return facts
