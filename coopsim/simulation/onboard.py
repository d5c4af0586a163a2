"""On-board programs: connected with their siblings and with other robots, in the order in which they run.

In a tick each type's programs run in their order, types by name. Whoever commands a program of another robot runs
before that one, whatever the types are called: drivers decide before all programs, and programs that name others run
before these.
"""

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import accumulate, pairwise
from typing import TypeAlias

from coopsim.devices import Device
from coopsim.devices.artifacts.running import DriverDevice
from coopsim.devices.far_ports import FarReaching
from coopsim.devices.program import CommandPort, OnBoardProgram, Ports
from coopsim.geometry import Floats
from coopsim.interfaces import Output
from coopsim.robots.wiring import PortLink, WiredDevice, wire
from coopsim.simulation.failing import Guard
from coopsim.simulation.tables import RobotTables, TypeTable
from coopsim.state import ModuleLayout

_Program: TypeAlias = tuple[str, str]
"""Type of robots, and module."""


def connect_programs(tables: RobotTables, *, as_before: bool = False) -> None:
    """Connect the on-board programs of all robot types; those types get commands of their own to act on.

    Args:
        tables: Of all robots.
        as_before: Whether all run in the order of their types alone, as in older recordings.

    Raises:
        BadFile: A program reads or commands what is not there, or programs wait for each other in a circle.
    """
    far: dict[tuple[str, str], FarReaching] = {}
    for block in tables.blocks:
        devices = block.devices
        wiring = wire(
            [
                WiredDevice(device.name, devices[device.name].interface, device.settings)
                for device in block.blueprint.devices
            ]
        )
        unordered = (name for name in devices if name not in wiring.order)  # without ports
        programs = {program_name: devices[program_name] for program_name in (*wiring.order, *unordered)}
        on_board = {name: program for name, program in programs.items() if isinstance(program, OnBoardProgram)}
        block.programs = tuple(sorted(on_board, key=lambda name: not on_board[name].runs_first))
        if block.programs:
            block.acting = block.commands.copy()  # programs change what came, and records hold what came
        for name in block.programs:
            late = () if as_before else _columns_of_programs(block, name)
            _connect(block, name, [link for link in wiring.links if link.device == name], late)
        far |= {
            (block.blueprint.name, name): device for name, device in devices.items() if isinstance(device, FarReaching)
        }
    commanded = _reach(tables, far)
    tables.steps = _steps_as_before(tables) if as_before else _steps(tables, commanded)


def runs_of(
    tables: RobotTables, working: Mapping[tuple[str, str], Device | Guard]
) -> list[Callable[[int, float], None]]:
    """Return what runs on board in a tick, in order.

    Args:
        tables: Connected.
        working: What is not switched off, by type and module.
    """
    runs: list[Callable[[int, float], None]] = []
    for robots, module, decides in tables.steps:
        program = working.get((robots, module))
        if decides and isinstance(program, DriverDevice):
            runs.append(program.decide)
        elif isinstance(program, OnBoardProgram | Guard):
            runs.append(program.run)
    return runs


def _steps(tables: RobotTables, commanded: Sequence[tuple[_Program, _Program]]) -> tuple[tuple[str, str, bool], ...]:
    """Return what runs in a tick, in order: type, module, and whether it is a driver that decides.

    Args:
        tables: Of all robots.
        commanded: Programs that command programs of other types.
    """
    kinds = {(block.blueprint.name, name): block.devices[name] for block in tables.blocks for name in block.programs}
    drivers = [driver_name for driver_name, device in kinds.items() if isinstance(device, DriverDevice)]
    order = _before(tables, commanded)
    if drivers:  # radios bring the commands of clients, which those of drivers go before
        order = sorted(order, key=lambda program: not getattr(kinds[program], "runs_first", False))
    first = sum(getattr(kinds[module_name], "runs_first", False) for module_name in order) if drivers else 0
    plain, deciding = [(*program_name, False) for program_name in order], [(*driver, True) for driver in drivers]
    return (*plain[:first], *deciding, *plain[first:])


def _steps_as_before(tables: RobotTables) -> tuple[tuple[str, str, bool], ...]:
    """Return what runs in a tick where each driver decides when its turn comes."""
    steps: list[tuple[str, str, bool]] = []
    for block in tables.blocks:
        for name in block.programs:
            deciding = [True] if isinstance(block.devices[name], DriverDevice) else []
            steps += [(block.blueprint.name, name, decides) for decides in (*deciding, False)]
    return tuple(steps)


def _before(tables: RobotTables, commanded: Sequence[tuple[_Program, _Program]]) -> list[_Program]:
    """Return all programs, who commands before who is commanded, else in the order of types and files."""
    plain = [(block.blueprint.name, name) for block in tables.blocks for name in block.programs]
    if not commanded:
        return plain
    place = {program: at for at, program in enumerate(plain)}
    graph: TopologicalSorter[_Program] = TopologicalSorter(dict.fromkeys(plain, ()))
    for block in tables.blocks:
        for name, following in pairwise(block.programs):
            graph.add((block.blueprint.name, following), (block.blueprint.name, name))
    for before, after in commanded:
        graph.add(after, before)
    try:
        graph.prepare()
    except CycleError:  # they command each other: one of both must wait for the next tick anyhow
        return plain
    ready: list[tuple[int, _Program]] = []
    order: list[_Program] = []
    while graph.is_active():
        for program in graph.get_ready():
            # of those that may run the first in the usual order: sets have none, and hashes follow it
            heapq.heappush(ready, (place[program], program))
        _, program = heapq.heappop(ready)
        graph.done(program)
        order.append(program)
    return order


def _reach(tables: RobotTables, programs: Mapping[_Program, FarReaching]) -> list[tuple[_Program, _Program]]:
    """Connect programs with the robots that they name; return which of them command programs of other types."""
    named = frozenset[str]().union(*(program.commanded for program in programs.values()))
    is_anyone_commanded = any(
        isinstance(device, DriverDevice) for block in tables.blocks for device in block.devices.values()
    )
    for block in tables.blocks:
        is_commanded = is_anyone_commanded or bool(named.intersection(block.robots))
        if not block.is_changed_by_programs and is_commanded:
            block.acting = block.commands.copy()
    commanded: list[tuple[_Program, _Program]] = []
    for name, program in programs.items():
        board = AllRobots(tables)
        program.reach(board)
        commanded += [(name, program) for program in board.programs if program[0] != name[0]]
    return commanded


class AllRobots:
    """Readings and commands of all robots, by name.

    Attributes:
        programs: Type and module of the programs whose commands were asked for.
    """

    def __init__(self, tables: RobotTables) -> None:
        self._blocks = {robot: block for block in tables.blocks for robot in block.robots}
        starts = accumulate((block.readings.size for block in tables.blocks), initial=0)
        self._starts = {block.blueprint.name: start for block, start in zip(tables.blocks, starts, strict=False)}
        self.readings, self.programs = tables.readings, list[_Program]()

    def column(self, robot: str, module: str, field: str, index: int) -> int:
        """Return where a reading stands among all, -1 if there is none."""
        block = self._blocks.get(robot)
        module_layout = block.layout.module(module) if block else None
        if block is None or module_layout is None:
            return -1
        for reading in module_layout.interface.readings:
            if reading.name == field:
                offset, length = module_layout.columns(reading)
                return self._start(block, robot) + offset + index if index < length else -1
        return -1

    def carriers(self, kind: str) -> Iterator[tuple[str, int, int]]:
        """Yield who has a device of a type: name, and begin and number of the readings of the first such device."""
        for robot, block in self._blocks.items():
            module = next((device.name for device in block.blueprint.devices if device.kind == kind), "")
            if module_layout := block.layout.module(module):
                yield robot, self._start(block, robot) + module_layout.reading_offset, module_layout.reading_width

    def port(self, robot: str, module: str) -> CommandPort | None:
        """Return the commands of a device of one robot, None if it is not there."""
        block = self._blocks.get(robot)
        module_layout = block.layout.module(module) if block else None
        if block is None or module_layout is None or module_layout.command_offset < 0:
            return None
        row, is_program = block.row[robot], isinstance(block.devices[module], OnBoardProgram)
        if is_program:
            self.programs.append((block.blueprint.name, module))
        return CommandPort(module_layout.interface, block.slot(module_layout)[row : row + 1], is_of_program=is_program)

    def _start(self, block: TypeTable, robot: str) -> int:
        return self._starts[block.blueprint.name] + block.row[robot] * block.layout.reading_width


def _columns_of_programs(block: TypeTable, name: str) -> tuple[int, ...]:
    """Return which readings of a robot other programs than `name` write."""
    return tuple(
        column
        for module in block.layout.modules
        if module.name != name and module.name in block.programs
        for column in range(module.reading_offset, module.reading_offset + module.reading_width)
    )


def _connect(block: TypeTable, name: str, links: list[PortLink], of_programs: tuple[int, ...]) -> None:
    inputs: dict[str, Floats] = {}
    outputs: dict[str, CommandPort] = {}
    for link in links:
        module = _module(block, link.module)
        if isinstance(link.port, Output):
            outputs[link.port.name] = CommandPort(module.interface, block.slot(module), module.command_offset)
        else:
            inputs[link.port.name] = _values(block, module, link.port.source)
    program, own = block.devices[name], _module(block, name)
    if isinstance(program, OnBoardProgram):
        slots = block.slot(own) if own.command_offset >= 0 else block.acting[:, :0]
        begins = tuple(module.command_offset for module in block.layout.modules if module.command_offset >= 0)
        program.connect(Ports(inputs, outputs, slots, block.acting, begins, block.readings, of_programs))


def _module(block: TypeTable, name: str) -> ModuleLayout:
    return next(module for module in block.layout.modules if module.name == name)


def _values(block: TypeTable, module: ModuleLayout, name: str) -> Floats:
    """Return a reading of a device, of a program the one it gives in this tick, or one of its signals."""
    device = block.devices[module.name]
    for field in module.interface.readings:
        if field.name == name:
            readings = device.readings if isinstance(device, OnBoardProgram) else block.out(module)
            offset, length = module.columns(field)
            begin = offset - module.reading_offset
            return readings[:, begin : begin + length]
    signals: Mapping[str, Floats] = getattr(device, "signals", {})
    return signals[name]
