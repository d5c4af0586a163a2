"""Robot types by name: those of the run, `.robot` files beside a scenario, and built-in ones."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from coopsim.robots.assembly import assemble
from coopsim.robots.blueprint import RobotBlueprint
from coopsim.robots.finding import TYPES
from coopsim.robots.registry import Registry
from coopsim.robots.teams import TEAM, members
from coopsim.scene import Problems, RobotPlacement, choices, hint, quoted, read_robot


class Catalogue:
    """Reads a robot type when it is first asked for.

    Attributes:
        names: All types, sorted; a type of the run goes before a file beside the scenario, that before a built-in one.
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
        beside = sorted(folder.glob("*.robot")) if folder else []
        self._files = {path.stem: path for path in [*TYPES.glob("*.robot"), *beside]}
        self._blueprints = dict(own or {})
        self.names = sorted({*self._files, *self._blueprints})
        self._registry = registry
        self._problems = problems

    def __getitem__(self, name: str) -> RobotBlueprint:
        if name not in self._blueprints:
            file, _ = read_robot(self._files[name], self._problems)
            self._blueprints[name] = assemble(file, self._registry.devices, self._problems)
        return self._blueprints[name]

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
        return kind in known
