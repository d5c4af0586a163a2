"""Arrays of a batch by name: readings, commands and parameters of modules, as views into the memory of all worlds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from coopsim.engines.plane.kernels import to_poses
from coopsim.errors import BadArgument, NoSuchName
from coopsim.features.learning.arena import Arena
from coopsim.features.learning.template import WorldTemplate
from coopsim.geometry import Floats
from coopsim.interfaces import Effect, Value
from coopsim.metrics import ArrayPart, Formation, RunArrays
from coopsim.simulation.edits import apply
from coopsim.simulation.tables import TypeTable
from coopsim.state import Layout, ModuleLayout
from coopsim.state.edits import GetParameter
from coopsim.state.layout import NUMBER, STAMP, VALUES


def columns_of(module: ModuleLayout, rest: Sequence[str], *, is_own: bool = False) -> tuple[tuple[int, ...], int]:
    """Return columns among the readings of a module, and how many a slot of a robot's own has, 0 = there is none.

    Args:
        module: The module.
        rest: Name of a reading and of a column of it, as far as they are given.
        is_own: Whether each robot has a row of its own.
    """
    if not rest:
        return (), 0
    field = next(reading for reading in module.interface.readings if reading.name == rest[0])
    offset, length = module.columns(field)
    first, width = offset - module.reading_offset, max(len(field.columns), 1)
    within = range(width) if len(rest) == 1 else (field.columns.index(rest[1]),)
    if is_own:
        return tuple(first + column for column in within), width
    return tuple(
        first + row + column for row in range(0, length, width) for column in within if row + column < length
    ), 0


@dataclass(frozen=True)
class WorldsNow(RunArrays):
    """Worlds of a batch, whose targets are elsewhere in each of them."""

    targets: Mapping[str, Floats] = field(default_factory=dict)

    def world(self, number: int) -> "WorldsNow":
        """Return the record of one world."""
        (part,), row = self.parts, slice(number, number + 1)
        return WorldsNow((part.records(row),), self.formations, {name: xy[row] for name, xy in self.targets.items()})

    def poses(self, name: str) -> Floats:
        """Return x, y, z and quaternion of an entity, of a target where it is in each world, shape (k, 7)."""
        poses = super().poses(name)
        if name in self.targets:
            poses[:, :2] = self.targets[name]
        return poses


def part_of(
    layout: Layout, times: Floats, poses: Floats, twists: Floats, readings: Floats, commands: Floats
) -> ArrayPart:
    """Return records as metrics take them, with numbers as recordings keep them."""
    single, none = np.float32, np.zeros(len(times))
    singles = poses.astype(single), twists.astype(single), readings.astype(single)
    return ArrayPart(layout, times, *singles, commands, none, none)


class BatchArrays:
    """Finds what modules of robots have in all worlds.

    Args:
        template: What a world is.
        arena: Of all worlds.
    """

    def __init__(self, template: WorldTemplate, arena: Arena) -> None:
        self._template, self._arena = template, arena

    def readings(self, module: str, kind: str = "") -> Floats:
        """Return what a module of all robots of a type reads, a view, shape (count, robots, width).

        Args:
            module: Its name.
            kind: The type of the robots; "" = the only one that has it.

        Raises:
            NoSuchName: No type, or more than one, has it.
        """
        block = self._block_with(module, kind)
        layout = block.layout.module(module)
        assert layout is not None  # noqa: S101 - the block was found by it
        return self._arena.of_all(block.out(layout))

    def columns(self, module: str, rest: Sequence[str], kind: str) -> list[int]:
        """Return the columns of a reading among those of its module.

        Args:
            module: Its name.
            rest: Names of the reading and of a column of it; () = all columns.
            kind: As of `readings`.
        """
        layout = self._block_with(module, kind).layout.module(module)
        assert layout is not None  # noqa: S101 - as above
        return list(columns_of(layout, rest)[0] or range(layout.reading_width))

    def slots(self, module: str, kind: str = "") -> Floats:
        """Return the commands of a module of all robots of a type: stamp, number, values, a view, as `readings`.

        Raises:
            NoSuchName: No type, or more than one, has it, or it takes no commands.
        """
        block = self._block_with(module, kind)
        layout = block.layout.module(module)
        if layout is None or layout.command_offset < 0:
            raise NoSuchName(f"{module} takes no commands")
        # as they came: programs on board change copies of them
        begin = layout.command_offset
        return self._arena.of_all(block.commands[:, begin : begin + VALUES + layout.interface.setting_width])

    def parameter(self, module: str, name: str, kind: str = "") -> Floats:
        """Return a parameter of a module of all robots of a type, a view, shape (count, robots).

        What is written there counts until the next reset of a world, and no recording of it knows.

        Raises:
            NoSuchName: No type, or more than one, has the module, or it has no such number.
        """
        column = self._block_with(module, kind).devices[module].parameters.get(name)
        if column is None or column.dtype != np.float64 or self._template.word_of(column) < 0:
            raise NoSuchName(f"{module} has no number {name!r} that a tick needs")
        return self._arena.of_all(column)

    def parameter_in(self, world: int, robot: str, module: str, name: str) -> Value:
        """Return a parameter of a module of a robot in a world.

        Raises:
            NoSuchName: There is no such robot, module or parameter.
            BadArgument: There is no such world.
        """
        self._checked(world)
        kind, rows = self.rows_of([robot])
        try:
            values: Floats = self.parameter(module, name, kind)[world, rows]
        except NoSuchName:  # no tick needs it, so no episode changes it
            return apply(self._template.simulation, GetParameter(robot, module, name)).params[0]
        return float(values[0])

    def set_parameter(self, robots: Sequence[str], module: str, name: str, values: Floats) -> None:
        """Set a parameter of a module of some robots of one type, for which values are of shape (count, robots).

        Raises:
            NoSuchName: There is no such robot or module, or it has no such number.
        """
        kind, rows = self.rows_of(robots)
        self.parameter(module, name, kind)[:, rows] = values

    def command(self, module: str, number: int, values: ArrayLike, kind: str = "") -> None:
        """Command all robots of a type.

        Args:
            module: Name of the module.
            number: Of the command within its interface.
            values: Shape (count, robots, width), or what broadcasts to it.
            kind: As of `readings`.

        Raises:
            NoSuchName: As of `slots`.
            BadArgument: The module has no such command, or values have another shape.
        """
        slots = self.slots(module, kind)
        wanted = slots[..., VALUES:]
        try:
            given = np.broadcast_to(values, wanted.shape)
        except ValueError:
            raise BadArgument(
                f"{module}: expected values of shape {wanted.shape}, or what broadcasts to it, got {np.shape(values)}"
            ) from None
        self._check_number(module, number, kind)
        slots[..., STAMP] += 1.0
        slots[..., NUMBER] = number
        wanted[:] = given

    def _check_number(self, module: str, number: int, kind: str) -> None:
        """Refuse a command that no module of this name carries out in a tick.

        Raises:
            BadArgument: There is none.
        """
        layout = self._block_with(module, kind).layout.module(module)
        assert layout is not None  # noqa: S101 - the slots were found by it
        setting = [command for command in layout.interface.commands if command.effect is Effect.SET]
        if number not in {command.number for command in setting}:
            names = ", ".join(f"{command.number} {command.name}" for command in setting)
            raise BadArgument(f"{module} has no command {number!r} that moves it; it has: {names}")

    def has(self, module: str, kind: str) -> bool:
        """Return whether robots of a type have a module."""
        blocks = self._template.simulation.tables.blocks
        return any(block.blueprint.name == kind and block.layout.module(module) is not None for block in blocks)

    def rows_of(self, robots: Sequence[str]) -> tuple[str, slice | list[int]]:
        """Return the type of some robots and their rows among those of their type.

        Raises:
            NoSuchName: There is no such robot.
            BadArgument: They are of several types.
        """
        tables, kinds, rows = self._template.simulation.tables, dict[str, str](), list[int]()
        for robot in robots:
            block = tables.block_of(robot)
            if block is None:
                raise NoSuchName(f"no robot in {self._template.file} is called {robot!r}")
            kinds.setdefault(block.blueprint.name, robot)
            rows.append(block.row[robot])
        if len(kinds) != 1:
            texts = ", ".join(f"{robot} is a {kind}" for kind, robot in kinds.items())
            raise BadArgument(f"expected robots of one type, which one policy can drive; {texts or 'got none'}")
        # a view where they are side by side, so that nothing is copied
        is_run = rows == list(range(rows[0], rows[0] + len(rows)))
        return next(iter(kinds)), slice(rows[0], rows[0] + len(rows)) if is_run else rows

    def bodies(self) -> dict[str, Floats]:
        """Return x y heading and their velocities of all that moves, by name, views, shape (count, 6)."""
        planar = self._arena.of_all(self._template.planar)
        return {name: planar[:, row] for row, name in enumerate(self._template.simulation.engine.names)}

    def heights(self, robots: Sequence[str]) -> Callable[[], Floats]:
        """Return what gives the heights of robots above the floor, shape (worlds, robots) [m]."""
        engine = self._template.simulation.engine
        rows = [engine.names.index(robot) for robot in robots]
        if self._template.word_of(engine.height) >= 0:
            heights = self._arena.of_all(engine.height)
            return lambda: heights[:, rows]
        fixed = np.repeat(engine.height[np.newaxis, rows], len(self._arena.words), axis=0)
        return lambda: fixed

    def number_of(self, module: str, command: str, kind: str = "") -> int:
        """Return the number of a command that a tick takes.

        Raises:
            NoSuchName: No type, or more than one, has the module.
            NoSuchCommand: It has no such command.
        """
        layout = self._block_with(module, kind).layout.module(module)
        assert layout is not None  # noqa: S101 - as above
        return layout.interface.command(command).number

    @property
    def targets(self) -> Floats:
        """X and y of the targets, shape (worlds, targets, 2) [m]; those of the file where no robot looks for them."""
        positions = self._template.simulation.world.target_positions
        count = len(self._arena.words)
        if self._template.word_of(positions) < 0 or not positions.size:
            return np.repeat(positions[np.newaxis, :, :2], count, axis=0)
        return self._arena.of_all(positions)[..., :2]

    def as_run(self, formations: Sequence[Formation] = (), times: Floats | None = None) -> WorldsNow:
        """Return the worlds as they are now in the form in which goals read a run, a record for each world.

        Args:
            formations: The places that teams should keep.
            times: Of the records [s]; None = one after the other.
        """
        simulation, count = self._template.simulation, len(self._arena.words)
        rows = [simulation.engine.names.index(name) for name in simulation.layout.bodies]
        poses, twists = self._spatial(slice(None))
        times = np.arange(float(count)) if times is None else times
        readings, commands = map(self._arena.of_all, (simulation.tables.readings, simulation.tables.commands))
        part = part_of(simulation.layout, times, poses[:, rows], twists[:, rows], readings, commands)
        names, targets = [target.name for target in simulation.spec.scenario.targets], self.targets
        return WorldsNow((part,), tuple(formations), {name: targets[:, row] for row, name in enumerate(names)})

    def record_arrays(self, world: int) -> tuple[Floats, Floats, Floats, Floats]:
        """Return poses, twists, readings and commands of a world as its record would have them now."""
        poses, twists = self._spatial(slice(world, world + 1))
        tables, arena = self._template.simulation.tables, self._arena
        return poses[0], twists[0], arena.of_all(tables.readings)[world], arena.of_all(tables.commands)[world]

    def layout_now(self, world: int) -> Layout:
        """Return what there is in a world, with its targets where they are now."""
        layout, scenario = self._template.simulation.layout, self._template.simulation.spec.scenario
        places = {target.name: xy for target, xy in zip(scenario.targets, self.targets[world].tolist(), strict=True)}
        entities = [
            replace(row, pose=(*places[row.name], *row.pose[2:])) if row.name in places else row
            for row in layout.entities
        ]
        return replace(layout, entities=tuple(entities))

    def _spatial(self, chosen: slice) -> tuple[Floats, Floats]:
        """Return poses, shape (worlds, bodies, 7), and twists, shape (worlds, bodies, 6), of all that moves in them."""
        planar, engine = self._arena.of_all(self._template.planar)[chosen], self._template.simulation.engine
        height, (worlds, bodies) = self.heights(engine.names)()[chosen], planar.shape[:2]
        poses, twists = np.zeros((worlds * bodies, 7)), np.zeros((worlds * bodies, 6))
        to_poses(np.ascontiguousarray(planar).reshape(-1, 6), height.ravel(), poses, twists)
        return poses.reshape(worlds, bodies, 7), twists.reshape(worlds, bodies, 6)

    def _checked(self, world: int) -> int:
        """Return the number of a world.

        Raises:
            BadArgument: There is no such world.
        """
        last = len(self._arena.words) - 1
        if not isinstance(world, int | np.integer) or not 0 <= world <= last:
            raise BadArgument(f"expected a world from 0 to {last}, got {world!r}")
        return int(world)

    def _block_with(self, module: str, kind: str) -> TypeTable:
        blocks = self._template.simulation.tables.blocks
        having = [
            block for block in blocks if block.layout.module(module) is not None and kind in ("", block.blueprint.name)
        ]
        if len(having) != 1:
            kinds = ", ".join(block.blueprint.name for block in having) or "no type of robots"
            raise NoSuchName(f"{kinds} in {self._template.file} has a module {module!r}; name one type that does")
        return having[0]
