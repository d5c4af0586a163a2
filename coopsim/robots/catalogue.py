"""Robot types by name: those of the run, `.robot` files beside a scenario, those of plugins, and built-in ones."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from coopsim import plugins
from coopsim.errors import PluginClash, PluginError, SceneError
from coopsim.plugins import shown
from coopsim.robots.assembly import assemble
from coopsim.robots.blueprint import RobotBlueprint
from coopsim.robots.finding import TYPES
from coopsim.robots.plugging import robot_file
from coopsim.robots.registry import Registry
from coopsim.robots.teams import TEAM, members
from coopsim.scene import Problems, RobotPlacement, choices, hint, quoted, read_robot


class Catalogue:
    """Reads a robot type when it is first asked for.

    Attributes:
        names: All types, sorted; a type of the run goes before a file beside the scenario, that before a built-in one.
            One that a plugin brings must not be there besides.
    """

    def __init__(
        self,
        registry: Registry,
        problems: Problems,
        folder: Path | None = None,
        own: Mapping[str, RobotBlueprint] | None = None,
    ) -> None:
        """List the types.

        Args:
            registry: What is installed.
            problems: Takes the mistakes in the files that are read.
            folder: Folder of the scenario.
            own: Types of the run.
        """
        self._built_in = {path.stem: path for path in TYPES.glob("*.robot")}
        self._beside = {path.stem: path for path in folder.glob("*.robot")} if folder else {}
        self._blueprints = dict(own or {})
        self.names = sorted({*self._built_in, *self._beside, *plugins.registered("robots"), *self._blueprints})
        self._registry = registry
        self._problems = problems

    def __getitem__(self, name: str) -> RobotBlueprint:
        if name not in self._blueprints:
            file, _ = read_robot(self.file(name), self._problems)
            self._blueprints[name] = assemble(file, self._registry.devices, self._problems)
        return self._blueprints[name]

    def file(self, name: str) -> Path:
        """Return the file of a type that is not of the run.

        Raises:
            PluginClash: A plugin brings it, and it is there besides.
            CoopsimError: The plugin that brings it has a mistake.
        """
        here = self._beside.get(name) or self._built_in.get(name)
        if name not in plugins.registered("robots"):
            assert here is not None  # noqa: S101 - it is one of `names`
            return here
        brought = robot_file(name)
        if here is not None and here.resolve() != brought.resolve():
            raise PluginClash(f"the robot {name!r} is there twice: {shown(here)} and {shown(brought)}, of a plugin")
        return brought

    def place(
        self, placements: Sequence[RobotPlacement]
    ) -> tuple[tuple[RobotPlacement, ...], dict[str, RobotBlueprint]]:
        """Return the robots, teams taken apart, and their types; those of unknown type are noted and left out."""
        robots = [each for placement in placements if self._knows(placement) for each in members(placement)]
        return tuple(robots), {name: self[name] for name in sorted({each.type for each in robots})}

    def _knows(self, placement: RobotPlacement) -> bool:
        kind, known = placement.type, [*self.names, TEAM]
        # an empty one could not be read, which has been noted
        if kind and kind not in known:
            text = f"no robot type {quoted(kind)}{hint(kind, known)}; known: {choices(known)}"
            self._problems.add(placement.type_span, text)
        return kind in known and self._is_usable(kind, placement)

    def _is_usable(self, kind: str, placement: RobotPlacement) -> bool:
        if kind in self._blueprints or kind == TEAM:
            return True
        try:
            self.file(kind)
        except (PluginError, SceneError) as problem:
            self._problems.add(placement.type_span, f"robot type {kind} cannot be used: {problem}")
            return False
        return True
