"""On-board programs of a robot type: connected with their siblings, in the order in which they run."""

from collections.abc import Mapping, Sequence

from coopsim.devices.artifacts.running import DriverDevice
from coopsim.devices.far_ports import FarReaching
from coopsim.devices.program import CommandPort, OnBoardProgram, Ports
from coopsim.geometry import Floats
from coopsim.interfaces import Output
from coopsim.robots.wiring import PortLink, WiredDevice, wire
from coopsim.simulation.tables import RobotTables, TypeTable
from coopsim.state import ModuleLayout


def connect_programs(tables: RobotTables) -> None:
    """Connect the on-board programs of all robot types; those types get commands of their own to act on.

    Raises:
        BadFile: A program reads or commands what is not there, or programs wait for each other in a circle.
    """
    far: list[FarReaching] = []
    for block in tables.blocks:
        devices = block.devices
        wiring = wire([WiredDevice(it.name, devices[it.name].interface, it.settings) for it in block.blueprint.devices])
        others = (name for name in devices if name not in wiring.order)  # without ports
        programs = {it: devices[it] for it in (*wiring.order, *others)}
        found = {name: it for name, it in programs.items() if isinstance(it, OnBoardProgram)}
        block.programs = tuple(sorted(found, key=lambda name: not found[name].runs_first))
        if block.programs:
            block.acting = block.commands.copy()
        for name in block.programs:
            _connect(block, name, [link for link in wiring.links if link.device == name])
        far += [device for device in devices.values() if isinstance(device, FarReaching)]
    _reach(tables, far)


def _reach(tables: RobotTables, programs: Sequence[FarReaching]) -> None:
    """Connect programs with the robots that they name."""
    named = frozenset[str]().union(*(program.commanded for program in programs))
    is_anyone_commanded = any(isinstance(it, DriverDevice) for block in tables.blocks for it in block.devices.values())
    for block in tables.blocks:
        is_commanded = is_anyone_commanded or bool(named.intersection(block.robots))
        if not block.is_changed_by_programs and is_commanded:
            block.acting = block.commands.copy()
    for program in programs:
        program.reach(AllRobots(tables))


class AllRobots:
    """Readings and commands of all robots, by name."""

    def __init__(self, tables: RobotTables) -> None:
        self._blocks = {robot: block for block in tables.blocks for robot in block.robots}
        self._starts: dict[str, int] = {}
        start = 0
        for block in tables.blocks:
            self._starts[block.blueprint.name] = start
            start += block.readings.size
        self.readings = tables.readings

    def column(self, robot: str, module: str, field: str, index: int) -> int:
        """Return where a reading stands among all, -1 if there is none."""
        block = self._blocks.get(robot)
        found = block.layout.module(module) if block else None
        if block is None or found is None:
            return -1
        for each in found.interface.readings:
            if each.name == field:
                offset, length = found.columns(each)
                start = self._starts[block.blueprint.name] + block.row[robot] * block.layout.reading_width
                return start + offset + index if index < length else -1
        return -1

    def port(self, robot: str, module: str) -> CommandPort | None:
        """Return the commands of a device of one robot, None if it is not there."""
        block = self._blocks.get(robot)
        found = block.layout.module(module) if block else None
        if block is None or found is None or found.command_offset < 0:
            return None
        row = block.row[robot]
        return CommandPort(found.interface, block.slot(found)[row : row + 1])


def _connect(block: TypeTable, name: str, links: list[PortLink]) -> None:
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
        begins = tuple(it.command_offset for it in block.layout.modules if it.command_offset >= 0)
        program.connect(Ports(inputs, outputs, slots, block.acting, begins, block.readings))


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
