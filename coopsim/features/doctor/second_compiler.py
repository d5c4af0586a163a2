"""The process `kernels`: compiles what robots need from the other end of the list, while another one begins with it.

It reads from its input what is ticked (`SecondCompiler`), and ends with that.
"""

import os
import pickle
import sys
import threading
from dataclasses import replace

from coopsim import plugins
from coopsim.robots import DeviceBlueprint, RobotBlueprint
from coopsim.simulation.command_kernel import kernel_ready
from coopsim.simulation.plain_records import kernels_ready
from coopsim.simulation.simulation import Simulation
from coopsim.simulation.warming import other_value, prepare

_LONGEST = "sonars"
"""The device whose kernels take a third of the time: one process begins with them, while others do all the rest."""


def divided(robot: RobotBlueprint) -> tuple[list[DeviceBlueprint], list[DeviceBlueprint]]:
    """Return the devices that take longest, and the others."""
    longest = [device for device in robot.devices if device.kind == _LONGEST]
    return longest, [device for device in robot.devices if device.kind != _LONGEST]


def compile_from_end(steps: list[tuple[str, RobotBlueprint, int]]) -> None:
    """Compile what robots need, but for what takes longest: where they come last, and what is called last."""
    kernels_ready()
    kernel_ready()
    for engine, robot, count in reversed(steps):
        if _is_ours("engines", engine):
            # plugins run where they are asked for alone
            devices = tuple(device for device in divided(robot)[1] if _is_ours("devices", device.kind))
            rest = replace(robot, devices=devices)
            for blueprint in (_turned(rest), rest):
                prepare(Simulation, engine, [(blueprint, count)])


def _is_ours(group: str, name: str) -> bool:
    return name in plugins.registered(group) and not plugins.is_foreign(group, name)


def _turned(blueprint: RobotBlueprint) -> RobotBlueprint:
    """Return a robot whose parameters have other values: it needs first what others need last."""
    devices = []
    for device in blueprint.devices:
        parameters = plugins.load("devices", device.kind).interface.parameters
        knobs = [knob for knob in parameters if knob.kind is not str and knob.name in device.settings]
        values = {knob.name: other_value(float(device.settings[knob.name]), knob) for knob in knobs}
        devices.append(replace(device, settings={**device.settings, **values}))
    return replace(blueprint, devices=tuple(devices))


def _end_with_input() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


def main() -> None:
    """Compile what the input tells."""
    steps = pickle.load(sys.stdin.buffer)  # noqa: S301 - of the process that began this one
    threading.Thread(target=_end_with_input, daemon=True).start()
    compile_from_end(steps)


if __name__ == "__main__":
    main()
