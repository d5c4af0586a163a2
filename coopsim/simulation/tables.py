"""The arrays of a generation: command and reading rows of every robot, and the devices that fill them."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from coopsim import plugins
from coopsim.devices import Device, DeviceContext
from coopsim.devices.checking import check_made
from coopsim.devices.contract import Loads
from coopsim.devices.noise import noise_key
from coopsim.engines import PhysicsEngine
from coopsim.errors import CoopsimError
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import Interface, width
from coopsim.robots import DeviceBlueprint, RobotBlueprint, complete_settings, device_type, name_in
from coopsim.scene import BASE, by_name
from coopsim.simulation.joined import Joined
from coopsim.state import ModuleLayout, TypeLayout
from coopsim.state.layout import VALUES

_log = logging.getLogger(__name__)


@dataclass
class TypeTable:
    """All robots of one type.

    Attributes:
        robots: Their names, by row.
        commands: Command rows, a view into the flat vector, shape (n, command width).
        readings: Reading rows, a view into the flat vector, shape (n, reading width).
        devices: By module name, in the order of the `.robot` file.
        programs: Names of the on-board programs, in the order in which they run.
        acting: The commands as programs change them in each tick; without programs those that came.
    """

    blueprint: RobotBlueprint
    layout: TypeLayout
    robots: tuple[str, ...]
    commands: Floats
    readings: Floats
    devices: dict[str, Device]
    row: dict[str, int] = field(default_factory=dict)
    programs: tuple[str, ...] = ()
    acting: Floats = field(init=False)

    def __post_init__(self) -> None:
        """Begin with the commands as they came."""
        self.acting = self.commands

    @property
    def is_changed_by_programs(self) -> bool:
        """Whether programs, its own or those of other robots, change its commands."""
        return self.acting is not self.commands

    def slot(self, module: ModuleLayout) -> Floats:
        """Return the command slots of a module as it acts on them: stamp, number, values, shape (n, 2 + width)."""
        begin = max(module.command_offset, 0)
        return self.acting[:, begin : begin + VALUES + module.interface.setting_width]

    def out(self, module: ModuleLayout) -> Floats:
        """Return the readings of a module, shape (n, width)."""
        begin = module.reading_offset
        return self.readings[:, begin : begin + module.reading_width]


@dataclass
class RobotTables:
    """Blocks of all robot types, by name of the type, over two flat vectors.

    Attributes:
        steps: What runs on board in a tick, in order: type, module, and whether it is a driver that decides.
    """

    blocks: tuple[TypeTable, ...]
    commands: Floats
    readings: Floats
    steps: tuple[tuple[str, str, bool], ...] = ()

    def block_of(self, robot: str) -> TypeTable | None:
        """Return the block that holds a robot."""
        return next((block for block in self.blocks if robot in block.row), None)


@dataclass(frozen=True)
class RobotRows:
    """Rows of bodies and joints in an engine, by name.

    Attributes:
        supports: Which joints of kind `support` there are, by the body that carries one.
    """

    bodies: Mapping[str, int] = field(default_factory=dict)
    joints: Mapping[str, int] = field(default_factory=dict)
    supports: Mapping[str, Joined] = field(default_factory=dict)

    @classmethod
    def of(cls, engine: PhysicsEngine, joints: Mapping[str, Joined]) -> Self:
        """Return where an engine keeps what it has, and which of these joints carry a load that moves."""
        bodies = {name: row for row, name in enumerate(engine.names)}
        supports = {
            joints[name].spec.a: joints[name]
            for name in sorted(joints, key=by_name, reverse=True)  # of several on one body the first by name remains
            if joints[name].spec.kind == "support" and joints[name].spec.b in bodies
        }
        return cls(bodies, {name: row for row, name in enumerate(engine.joints)}, supports)

    def loads(self, bodies: Sequence[str]) -> Loads:
        """Return what some bodies carry."""
        loads = Loads.none(len(bodies))
        for place, name in enumerate(bodies):
            if name in self.supports:
                joint = self.supports[name]
                loads.joints[place] = self.joints[joint.spec.name]
                loads.bodies[place] = self.bodies[joint.spec.b]
                loads.anchors[place] = joint.anchor_on_a[:2]
        return loads


def build(
    robots: Sequence[tuple[str, RobotBlueprint]], rows: RobotRows, seed: int, targets: tuple[str, ...]
) -> RobotTables:
    """Return fresh tables: blocks by type, in a block robots by name, however they came.

    Args:
        robots: Name and type of every robot.
        rows: Of their bodies and joints.
        seed: Of all noise.
        targets: Names of the coloured targets.
    """
    # in the order of names, not of arrival: rows, noise and hashes are the same however robots came
    types = sorted({blueprint.name: blueprint for _, blueprint in robots}.values(), key=lambda kind: kind.name)
    ordered = sorted(robots, key=lambda robot: by_name(robot[0]))
    groups = [(blueprint, tuple(name for name, kind in ordered if kind.name == blueprint.name)) for blueprint in types]
    outfits = [(kind, names, _outfit(kind, names, rows, seed, targets)) for kind, names in groups]
    layouts = [_layout(blueprint, devices) for blueprint, _, devices in outfits]
    counts = [len(names) for _, names, _ in outfits]
    command_starts = [0, *accumulate(n * layout.command_width for n, layout in zip(counts, layouts, strict=True))]
    reading_starts = [0, *accumulate(n * layout.reading_width for n, layout in zip(counts, layouts, strict=True))]
    commands, readings = np.zeros(command_starts[-1]), np.zeros(reading_starts[-1])
    blocks = []
    for place, (blueprint, names, devices) in enumerate(outfits):
        layout, shape = layouts[place], len(names)
        own_commands = commands[command_starts[place] : command_starts[place + 1]].reshape(shape, layout.command_width)
        own_readings = readings[reading_starts[place] : reading_starts[place + 1]].reshape(shape, layout.reading_width)
        row = {name: index for index, name in enumerate(names)}
        blocks.append(TypeTable(blueprint, layout, names, own_commands, own_readings, devices, row))
    return RobotTables(tuple(blocks), commands, readings)


def carry_over(old: RobotTables, new: RobotTables) -> None:
    """Copy commands, memory and parameters of the robots that are in both."""
    for before, block, source, target in _in_both(old, new):
        block.commands[target] = before.commands[source]
        for name, device in block.devices.items():
            _carry(before.devices[name].memory, device.memory, source, target)
            _carry_parameters(before.devices[name], device, source, target)


def carry_readings(old: RobotTables, new: RobotTables) -> None:
    """Copy what devices of the robots that are in both read, and what they remember of it."""
    for before, block, source, target in _in_both(old, new):
        block.readings[target] = before.readings[source]
        for name, device in block.devices.items():
            _carry(before.devices[name].memory, device.memory, source, target)


def carry_parameters(old: RobotTables, new: RobotTables) -> None:
    """Copy the parameters of the robots that are in both, and nothing else."""
    for before, block, source, target in _in_both(old, new):
        for name, device in block.devices.items():
            _carry_parameters(before.devices[name], device, source, target)


def _in_both(old: RobotTables, new: RobotTables) -> Iterator[tuple[TypeTable, TypeTable, Ints, Ints]]:
    """Yield old and new block of a type, and the rows in each of the robots that stay."""
    for block in new.blocks:
        before = next(
            (block_before for block_before in old.blocks if block_before.blueprint.name == block.blueprint.name), None
        )
        if before is not None:
            stay = [name for name in block.robots if name in before.row]
            source = np.array([before.row[name] for name in stay], np.int64)
            target = np.array([block.row[name] for name in stay], np.int64)
            yield before, block, source, target


def _carry(before: Mapping[str, NDArray[Any]], after: Mapping[str, NDArray[Any]], source: Ints, target: Ints) -> None:
    for key, array in after.items():
        old = before[key]
        # widths may differ where a parameter gives them: then the memory begins anew
        if old.shape[1:] == array.shape[1:]:
            array[target] = old[source]


def _carry_parameters(before: Device, after: Device, source: Ints, target: Ints) -> None:
    _carry(before.parameters, after.parameters, source, target)
    for key, column in after.parameters.items():
        if column.dtype == object:
            for row in target.tolist():
                _notice(after, row, key)


def _notice(device: Device, row: int, name: str) -> None:
    try:
        with plugins.blamed(f"device {type(device).__name__}"):
            device.changed(row, name)
    except CoopsimError as problem:  # it names a robot that was removed just now
        default = device.interface.parameter(name).default
        _log.warning("parameter %s goes back to %r: %s", name, default, problem)
        device.parameters[name][row] = default
        device.changed(row, name)


def _outfit(
    blueprint: RobotBlueprint, names: tuple[str, ...], rows: RobotRows, seed: int, targets: tuple[str, ...]
) -> dict[str, Device]:
    devices: dict[str, Device] = {}
    joints = {
        joint.name: np.array([rows.joints[name_in(name, joint.name)] for name in names], np.int64)
        for joint in blueprint.joints
    }
    for device in blueprint.devices:
        keys = np.array([noise_key(seed, name, device.name) for name in names], np.uint64)
        body_rows = np.array([rows.bodies[name_in(name, device.body)] for name in names], np.int64)
        size = blueprint.size_of(device.body)
        radius = 0.5 * max(size[:2])
        # those above it in the file: a device may measure by them
        settings, siblings = complete_settings(device), dict(devices)
        loads = rows.loads([name_in(name, device.body) for name in names])
        of_body = device.body, joints, loads, size
        context = DeviceContext(names, body_rows, keys, settings, radius, targets, siblings, *of_body)
        devices[device.name] = _device(device, context)
    return devices


def _device(blueprint: DeviceBlueprint, context: DeviceContext) -> Device:
    make, kind = device_type(blueprint), blueprint.kind
    if not plugins.is_foreign("devices", kind):
        return make(context)
    with plugins.blamed(f"device {kind}"):
        device = make(context)
    check_made(kind, device, context)
    return device


def _layout(blueprint: RobotBlueprint, devices: dict[str, Device]) -> TypeLayout:
    modules = []
    command_offset = reading_offset = 0
    for device_blueprint in blueprint.devices:
        device = devices[device_blueprint.name]
        interface: Interface = device.interface
        sets = interface.setting is not None
        reads = width(interface.readings, device.counts)
        modules.append(
            ModuleLayout(
                name=device_blueprint.name,
                interface=interface,
                counts=dict(device.counts),
                labels=tuple(device.labels),
                command_offset=command_offset if sets else -1,
                reading_offset=reading_offset,
                reading_width=reads,
                paces=device_blueprint.paces,
                body="" if device_blueprint.body == BASE else device_blueprint.body,
            )
        )
        command_offset += VALUES + interface.setting_width if sets else 0
        reading_offset += reads
    return TypeLayout(blueprint.name, tuple(modules), command_offset, reading_offset)
