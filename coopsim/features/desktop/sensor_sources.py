"""Sensors to draw: as a live run describes them, or as a recording has them."""

from typing import TYPE_CHECKING

import numpy as np

from coopsim.errors import CoopsimError, NoReply, NoSuchPlugin
from coopsim.features.desktop.sensor_ribbons import Measured
from coopsim.features.pictures.drawn_sensors import DrawnSensors, drawn_sensors
from coopsim.geometry import Floats
from coopsim.interfaces import Value
from coopsim.robots import complete_settings
from coopsim.state import Layout, ModuleLayout, Record, TypeLayout

if TYPE_CHECKING:
    from coopsim.client import Client, State
    from coopsim.client.readings import Rows
    from coopsim.recording import Recording
    from coopsim.robots import DeviceBlueprint


# Descriptions of the modules of a run.
def sensors_of(simulation: "Client", state: "State") -> dict[str, DrawnSensors]:
    """Return what can be drawn of the sensors of each robot type, as its first robot tells.

    Args:
        simulation: Where they are asked.
        state: Of the run; its robots are described.
    """
    try:
        readings = state.readings
    except CoopsimError:
        return {}  # robots came or went in this instant; the next state is asked again
    return {kind: _of_robot(simulation, readings.of(kind)) for kind in readings.types}


def _of_robot(simulation: "Client", rows: "Rows") -> DrawnSensors:
    robot = rows.robots[0]
    modules = {name: simulation.module(f"/{robot}/{name}") for name in dir(rows) if name not in {"robots", "table"}}

    def value(module: str, name: str) -> Value:
        try:
            return modules[module].get_parameter(name)
        except NoReply:
            raise
        except CoopsimError:  # a recording without key frames does not tell
            return modules[module].interface.parameter(name).default

    return drawn_sensors({name: module.interface for name, module in modules.items()}, value)


# Measurements of a recording, for pictures.
def recorded_sensors(recording: "Recording", layout: Layout) -> dict[str, DrawnSensors]:
    """Return what can be drawn of the sensors of each robot type, as their files set them."""
    # a window on a live run opens without the modules of recordings
    from coopsim.replay.run_json import spec_of

    try:
        blueprints = spec_of(recording).types
    except CoopsimError:
        blueprints = {}
    readings = {}
    for kind in layout.types:
        devices = blueprints[kind.name].devices if kind.name in blueprints else ()
        settings = {device.name: _settings(device) for device in devices}
        readings[kind.name] = _of_type(kind, settings)
    return readings


def _settings(device: "DeviceBlueprint") -> dict[str, Value]:
    """Return what is known of the settings of a device, also where its plugin is not here."""
    try:
        return complete_settings(device)
    except NoSuchPlugin:
        return dict(device.settings)


def _of_type(kind: TypeLayout, settings: dict[str, dict[str, Value]]) -> DrawnSensors:
    modules = {module.name: module.interface for module in kind.modules}

    def value(module: str, name: str) -> Value:
        return settings.get(module, {}).get(name, modules[module].parameter(name).default)

    return drawn_sensors(modules, value)


def measured_in(layout: Layout, record: Record) -> Measured:
    """Return what looks readings up in a record."""

    def measured(kind: str, module: str, field: str) -> tuple[tuple[str, ...], Floats]:
        places = [place for place in layout.robots if place.type.name == kind]
        module_layout = places[0].type.module(module) if places else None
        if module_layout is None:
            return (), np.zeros((0, 1))
        begin, length = _columns(module_layout, field)
        rows = [record.readings[place.reading_offset + begin :][:length] for place in places]
        return tuple(place.name for place in places), np.array(rows, float)

    return measured


def _columns(module: ModuleLayout, field: str) -> tuple[int, int]:
    """Return where a reading lies in the row of its robot, and how many values it has."""
    wanted = next(reading for reading in module.interface.readings if reading.name == field)
    return module.columns(wanted)
