"""Robot types by name: those of the run, `.robot` files beside a scenario, those of plugins, and built-in ones."""

import glob
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from coopsim import plugins
from coopsim.errors import PluginClash, PluginError, SceneError
from coopsim.plugins import shown
from coopsim.robots.assembly import assemble
from coopsim.robots.blueprint import RobotBlueprint
from coopsim.robots.crowds import spread
from coopsim.robots.finding import TYPES
from coopsim.robots.plugging import robot_file
from coopsim.robots.registry import TypeRegistry
from coopsim.robots.scattering import Room
from coopsim.robots.settings import fitted
from coopsim.robots.teams import MEMBER_TYPE, joints_of, load_of, members
from coopsim.robots.type_files import read_type, suffixes, type_files, usd_words
from coopsim.scene import TEAM, Joint, Object, Problems, RobotPlacement, World, choices, hint, quoted


@dataclass(frozen=True)
class Placed:
    """Robots where they stand as a run begins.

    Attributes:
        robots: All of them, in the order of the file.
        types: Blueprints of their types, by name.
        groups: Names of the robots that each section, and each team, stands for.
        objects: Loads of teams.
        joints: What they lie on.
    """

    robots: tuple[RobotPlacement, ...]
    types: dict[str, RobotBlueprint]
    groups: dict[str, tuple[str, ...]]
    objects: tuple[Object, ...] = ()
    joints: tuple[Joint, ...] = ()


def type_names() -> tuple[str, ...]:
    """Return the types of robots that every run knows, and that of a team."""
    return (*Catalogue(TypeRegistry(), Problems()).names, TEAM)


class Catalogue:
    """Reads a robot type when it is first asked for.

    Attributes:
        names: All types, sorted; a type of the run goes before a file beside the scenario, that before a built-in one.
            One that a plugin brings must not be there besides.
    """

    def __init__(
        self,
        registry: TypeRegistry,
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
        self._beside = {path.stem: path for path in type_files(folder)} if folder else {}
        self._blueprints = dict(own or {})
        self.names = sorted({*self._built_in, *self._beside, *plugins.registered("robots"), *self._blueprints})
        self._registry, self._compared = registry, set[Path]()
        self._problems, self._folder = problems, folder

    def __getitem__(self, name: str) -> RobotBlueprint:
        if name not in self._blueprints:
            path = self.file(name)
            file = read_type(path, self._problems)
            file = file if file.name == name or file.name != path.stem else replace(file, name=name)
            self._blueprints[name] = assemble(file, self._registry.devices, self._problems)
        return self._blueprints[name]

    def file(self, name: str) -> Path:
        """Return the file of a type that is not of the run.

        Raises:
            PluginClash: A plugin brings it, and it is there besides.
            CoopsimError: The plugin that brings it has a mistake.
        """
        path = self._beside.get(name) or self._built_in.get(name)
        if name not in plugins.registered("robots"):
            assert path is not None  # noqa: S101 - it is one of `names`
            return path
        brought = robot_file(name)
        if path is not None and path.resolve() != brought.resolve():
            raise PluginClash(f"the robot {name!r} is there twice: {shown(path)} and {shown(brought)}, of a plugin")
        return brought

    def instantiate(self, placements: Sequence[RobotPlacement], world: World | None = None, seed: int = 0) -> Placed:
        """Return the robots, crowds and teams taken apart; those of unknown type are noted and left out.

        Args:
            placements: As a file says them.
            world: Where scattered robots find room; None = they cannot be scattered, which is noted.
            seed: Of where they are scattered.
        """
        placements_known = [placement for placement in self._typed(placements) if self._knows(placement)]
        types = self._types(placements_known)
        crowds = self.crowds(placements_known, world, seed)
        robots = [tuple(robot for member in crowd for robot in members(member)) for crowd in crowds]
        groups = {
            crowd.name: tuple(member.name for member in own)
            for crowd, own in zip(placements_known, robots, strict=True)
        }
        for member in (placement.name for placement in placements_known if "/" in placement.name):
            team_name = member.partition("/")[0]  # one whose members stand by themselves
            groups[team_name] = (*groups.get(team_name, ()), member)
        teams = [team for crowd in crowds for team in crowd if team.type == TEAM]
        groups |= {team.name: tuple(member.name for member in members(team)) for team in teams}
        placed = [self._fitted(robot, types) for own in robots for robot in own]
        used = {robot.type for robot in placed}
        return Placed(
            tuple(placed),
            {name: kind for name, kind in types.items() if name in used},
            groups,
            tuple(load_of(team) for team in teams),
            tuple(joint for team in teams for joint in joints_of(team)),
        )

    def _fitted(self, placement: RobotPlacement, types: dict[str, RobotBlueprint]) -> RobotPlacement:
        """Return a robot, or an artifact whose type, added to `types`, has the size and settings of its section."""
        if not placement.is_of_world:
            return placement
        kind = fitted(placement, types[placement.type], self._registry.devices, self._problems)
        types[kind.name] = kind
        return replace(placement, type=kind.name)

    def crowds(
        self, placements: Sequence[RobotPlacement], world: World | None = None, seed: int = 0
    ) -> list[tuple[RobotPlacement, ...]]:
        """Return the robots and teams that each placement, of known type, stands for."""
        placements = self._typed(placements)
        is_needed = any(placement.scatter is not None for placement in placements)
        are_known = {placement.type for placement in placements} <= {*self.names, TEAM}
        has_room = world is not None and is_needed and are_known
        room = Room(world.floor, world.objects, self._types(placements), seed) if world and has_room else None
        return spread(placements, room, self._problems)

    def _typed(self, placements: Sequence[RobotPlacement]) -> list[RobotPlacement]:
        """Return placements whose type is that of their model, where they name one.

        Of files that differ in their suffix alone each is a type of its own.
        """
        return [self._of_model(placement) if placement.model else placement for placement in placements]

    def _of_model(self, placement: RobotPlacement) -> RobotPlacement:
        path = (self._folder or Path()) / str(placement.model)
        if self._folder is None or not path.is_file() or path.suffix not in suffixes():
            return placement
        name = path.stem if len(_of_stem(path)) == 1 else f"{path.stem}_{path.suffix[1:]}"
        self._beside[name] = path
        self.names = sorted({*self.names, name})
        return replace(placement, type=name)

    def _types(self, placements: Sequence[RobotPlacement]) -> dict[str, RobotBlueprint]:
        kinds = {MEMBER_TYPE if placement.type == TEAM else placement.type for placement in placements}
        return {name: self[name] for name in sorted(kinds)}

    def _knows(self, placement: RobotPlacement) -> bool:
        kind, names_known = placement.type, [*self.names, TEAM]
        # an empty one could not be read, which has been noted
        if kind and kind not in names_known:
            text = f"no robot type {quoted(kind)}{hint(kind, names_known)}; known: {choices(names_known)}"
            if placement.model:
                text = f"no model {quoted(placement.model)} beside this file; a model ends in {choices(suffixes())}"
                text += usd_words(placement.model)
            self._problems.add(placement.type_span, text)
        self._warn_of_rivals(placement)
        return kind in names_known and self._is_usable(kind, placement)

    def _warn_of_rivals(self, placement: RobotPlacement) -> None:
        """Warn of a type whose name several models beside the file have, and which of them counts.

        A `.robot` file counts more than the model that it names, as it is meant.
        """
        path = self._beside.get(placement.type)
        if path is None or path in self._compared or path.name == placement.model or path.suffix == ".robot":
            return
        self._compared.add(path)  # a scene may have thousands of robots of a type
        rivals = [rival.name for rival in _of_stem(path) if rival != path]
        if rivals:
            text = f"{quoted(path.stem)} may be {choices([path.name, *rivals])}; {path.name} counts"
            self._problems.warn(placement.type_span, f"{text}: write `model {path.name}` or `model {rivals[0]}`")

    def _is_usable(self, kind: str, placement: RobotPlacement) -> bool:
        if kind in self._blueprints or kind == TEAM:
            return True
        try:
            self.file(kind)
        except (PluginError, SceneError) as problem:
            self._problems.add(placement.type_span, f"robot type {kind} cannot be used: {problem}")
            return False
        return True


def _of_stem(path: Path) -> list[Path]:
    """Return the files of types beside a file that differ from it in their suffix alone, itself among them."""
    alike = path.parent.glob(f"{glob.escape(path.stem)}.*")
    return sorted(rival for rival in alike if rival.suffix in suffixes())
