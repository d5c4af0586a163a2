"""Descriptions of the modules of a run."""

from typing import TYPE_CHECKING

from coopsim.errors import CoopsimError, NoReply
from coopsim.features.desktop.sensors import DrawnSensors, drawn_sensors
from coopsim.interfaces import Value

if TYPE_CHECKING:
    from coopsim.client import Client, State
    from coopsim.client.readings import Rows


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
