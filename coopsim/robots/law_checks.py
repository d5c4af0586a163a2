"""Checks of control laws: what a law finds wrong with a section `[CONTROLLER_n]` that runs it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from coopsim import plugins
from coopsim.interfaces import Interface
from coopsim.robots.blueprint import RobotBlueprint
from coopsim.scene import Controller, Problems

GROUP = "law_checks"
"""The group of plugins that check sections, each under the name of its law."""


@dataclass(frozen=True)
class LawSurroundings:
    """The scenario around a section `[CONTROLLER_n]`.

    Attributes:
        types: Of all robots, by their names.
        devices: Interfaces of the device types.
        folder: The folder of the scenario.
        problems: Takes what the section cannot mean.
    """

    types: Mapping[str, RobotBlueprint]
    devices: Mapping[str, Interface]
    folder: Path
    problems: Problems


LawCheck: TypeAlias = Callable[[Controller, LawSurroundings], None]
"""Adds every mistake of a section to the problems. Its parameters are known to exist, its robots are not."""


def law_check(name: str) -> LawCheck | None:
    """Return the check of a control law, None where it has none.

    Raises:
        PluginError: It cannot be imported.
    """
    name = plugins.law_name(name)
    if name not in plugins.registered(GROUP):
        return None
    check: LawCheck = plugins.load(GROUP, name)

    def blamed_check(section: Controller, surroundings: LawSurroundings) -> None:
        with plugins.blamed(f"check of the control law {name}"):
            check(section, surroundings)

    return blamed_check


def check_laws(
    sections: Iterable[Controller], surroundings: LawSurroundings, find: Callable[[str], LawCheck | None]
) -> None:
    """Note what laws find wrong with their sections.

    Args:
        sections: Of controllers.
        surroundings: The scenario around them.
        find: Returns the check of a law, None where it has none.
    """
    for section in sections:
        check = find(section.run)
        if check is not None:
            check(section, surroundings)
