"""Drivers, sensors and callbacks of artifacts in a simulation: entered, told, and left again.

Source: SwarmSimX, section 2.2 (callbacks at sensors of any artifact; no copy, no polling).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from coopsim.devices.artifacts.environment import Environment
from coopsim.devices.artifacts.running import AuthoredDevice, DriverDevice
from coopsim.devices.contract import SensingWorld
from coopsim.devices.program import PartsOff
from coopsim.devices.sampled import Sampled
from coopsim.geometry import Floats
from coopsim.scene import by_name
from coopsim.simulation.onboard import AllRobots
from coopsim.simulation.tables import RobotTables, TypeTable

News = Callable[[int], bool]
Switch = Callable[[Callable[..., None], BaseException], None]


@dataclass(frozen=True)
class Callbacks:
    """Callbacks of drivers and sensors at sensors, in the order of artifact, sensor and listener.

    Attributes:
        calls: What is called, the readings that it gets, a view, and what tells whether they are new.
        owners: The devices that registered.
    """

    calls: tuple[tuple[Callable[[Floats], None], Floats, News], ...] = ()
    owners: tuple[AuthoredDevice, ...] = ()

    def call(self, switch_off: Switch, tick: int) -> None:
        """Call all whose sensor measured; whose call fails is switched off, and the others go on.

        Args:
            switch_off: Called with the method and the problem of those that fail.
            tick: Number of the tick.
        """
        for device in self.owners[:1]:  # all have the same environment
            device.environment.refresh()
        for call, readings, is_new in self.calls:
            if is_new(tick):
                call(readings)
        for device in self.owners:
            try:
                device.raise_problems()
            except PartsOff as problem:
                switch_off(device.sense, problem)


def authored(tables: RobotTables) -> Iterator[tuple[TypeTable, AuthoredDevice]]:
    """Yield the devices whose work objects of an author do, and their blocks."""
    for block in tables.blocks:
        for device in block.devices.values():
            if isinstance(device, AuthoredDevice):
                yield block, device


def enter(
    tables: RobotTables, world: SensingWorld, clock: Callable[[], float], *, every_tick: bool = False
) -> Callbacks:
    """Configure all drivers and sensors, and return what they listen to.

    Args:
        tables: Of all robots.
        world: What they sense.
        clock: Returns the simulated time [s].
        every_tick: Whether listeners are called in each tick, as in older recordings.

    Raises:
        PluginFailed: One cannot be configured; those that were are destroyed.
    """
    devices = [device for _, device in authored(tables)]
    if not devices:  # most runs have none, and save the tables of names
        return Callbacks()
    environment = Environment(world, AllRobots(tables), _Readings(tables).of, clock)
    try:
        for device in devices:
            device.enter(environment)
    except BaseException:
        for device in devices:
            list(device.leave())  # their own problems are not told: the first one is
        raise
    return _callbacks(devices, environment, {} if every_tick else _sensors(tables))


def leave(tables: RobotTables) -> Iterator[tuple[str, str]]:
    """Destroy all drivers and sensors; yield the type of robots and the reason where one cannot be."""
    for block, device in authored(tables):
        for text in device.leave():
            yield block.blueprint.name, text


def retiring(before: tuple[RobotTables, ...], tables: RobotTables) -> tuple[RobotTables, ...]:
    """Return the tables whose drivers and sensors are to be destroyed, with one more."""
    return (*before, tables) if any(authored(tables)) else before


def acts(device: object) -> bool:
    """Return whether a device may exert forces without a command."""
    return isinstance(device, DriverDevice)


def _has_measured(environment: Environment, sensor: Sampled, row: int, tick: int) -> bool:
    return sensor.has_news(row, tick, environment.world.dt)


def _always(_: int) -> bool:
    return True


class _Readings:
    """Readings of all robots, by name."""

    def __init__(self, tables: RobotTables) -> None:
        self._blocks = {robot: block for block in tables.blocks for robot in block.robots}

    def of(self, robot: str, module: str) -> Floats | None:
        """Return the readings of a module, a view; None if it is not there."""
        block = self._blocks.get(robot)
        module_layout = block.layout.module(module) if block else None
        if block is None or module_layout is None or not module_layout.reading_width:
            return None
        row: Floats = block.out(module_layout)[block.row[robot]]
        return row


def _sensors(tables: RobotTables) -> dict[tuple[str, str], tuple[Sampled, int]]:
    """Return the sensors that do not measure in each tick, and which row of theirs is whose."""
    return {
        (robot, name): (device, row)
        for block in tables.blocks
        for name, device in block.devices.items()
        if isinstance(device, Sampled)
        for robot, row in block.row.items()
    }


def _callbacks(
    devices: list[AuthoredDevice], environment: Environment, sensors: Mapping[tuple[str, str], tuple[Sampled, int]]
) -> Callbacks:
    listeners = [listener for device in devices for listener in device.listeners()]
    # by names, not by the order in which artifacts came: hashes follow the order of calls
    listeners.sort(key=lambda listener: tuple(map(by_name, listener[0])))
    calls = []
    for (artifact, sensor, _), call in listeners:
        readings = environment.reading(artifact, sensor)
        if readings is not None:
            sensor_known = sensors.get((artifact, sensor))
            calls.append(
                (
                    call,
                    readings,
                    _always if sensor_known is None else partial(_has_measured, environment, *sensor_known),
                )
            )
    return Callbacks(tuple(calls), tuple(devices) if calls else ())
