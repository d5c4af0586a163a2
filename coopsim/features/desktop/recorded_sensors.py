"""Measurements of a recording, for pictures."""

import numpy as np

from coopsim.errors import CoopsimError
from coopsim.features.desktop.sensor_ribbons import Measured
from coopsim.features.desktop.sensors import DrawnSensors, drawn_sensors
from coopsim.geometry import Floats
from coopsim.interfaces import Value
from coopsim.recording import Recording
from coopsim.replay.run_json import spec_of
from coopsim.robots import complete_settings
from coopsim.state import Layout, ModuleLayout, Record, TypeLayout


def recorded_sensors(recording: Recording, layout: Layout) -> dict[str, DrawnSensors]:
    """Return what can be drawn of the sensors of each robot type, as their files set them."""
    try:
        blueprints = spec_of(recording).types
    except CoopsimError:
        blueprints = {}
    readings = {}
    for kind in layout.types:
        devices = blueprints[kind.name].devices if kind.name in blueprints else ()
        settings = {device.name: complete_settings(device) for device in devices}
        readings[kind.name] = _of_type(kind, settings)
    return readings


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
