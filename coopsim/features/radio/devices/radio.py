"""The radio between robots and those who command them.

What clients command is carried out when it arrives, and what they read is what arrived last. Programs on board read
their robot as it is.
"""

from collections.abc import Mapping

import numpy as np

from coopsim.devices.calls import DeviceCalls, perform
from coopsim.devices.contract import DeviceContext, SensingWorld
from coopsim.devices.copying import copied
from coopsim.devices.noise import uniform
from coopsim.devices.program import OnBoardProgram, Ports
from coopsim.features.radio.devices.links import (
    CAPACITY,
    LINK_WIDTH,
    Packets,
    begin_links,
    begin_programs,
    collect_readings,
    measure,
    restore_readings,
    roll_before,
    send_commands,
    send_readings,
    show_readings,
)
from coopsim.features.radio.interface import RADIO
from coopsim.geometry import Floats
from coopsim.kernels.sequence import TICK, KernelCall


class Radio(OnBoardProgram):
    """Loses and delays commands and readings.

    It stands last among the devices of its robot, so that it senses after all of them, and runs before all programs.

    Attributes:
        memory: `link`, see `links`; `sensed` and `seen`: readings as they are, and as they arrived; `held`: the
            commands that arrived; packets of both directions; `stamps`: of the commands seen last.
        message_columns: What tells of messages alone: all of `stamps`.
    """

    interface = RADIO
    runs_first = True

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context)
        n = len(context.robots)
        self.memory["link"] = np.zeros((n, LINK_WIDTH))
        self._dice, self._is_on_board = np.zeros((n, 2)), np.zeros(1)
        self._begins, self._of_programs = np.zeros(1), np.zeros(0, np.int64)
        self.message_columns: Mapping[str, int] = {}

    def connect(self, ports: Ports) -> None:
        """Make room for all commands and readings of the robots."""
        super().connect(ports)
        n, commands, readings = len(self.rows), ports.every.shape[1], ports.all_readings.shape[1]
        self._begins = np.array([*ports.slots, commands], np.float64)
        self._of_programs = np.array(ports.of_programs, np.int64)
        for name, width in (("down", commands), ("up", readings)):
            self.memory[f"{name}_waiting"] = np.zeros((n, width))
            self.memory[f"{name}_packets"] = np.zeros((n, CAPACITY, width))
            self.memory[f"{name}_left"] = np.zeros((n, CAPACITY))
        self.memory["held"], self.memory["stamps"] = np.zeros((n, commands)), np.zeros((n, len(ports.slots)))
        self.memory["sensed"], self.memory["seen"] = np.zeros((n, readings)), np.zeros((n, readings))
        self.message_columns = {"stamps": len(ports.slots)}

    def run(self, tick: int, dt: float) -> None:
        """Carry out the commands that arrived, and let programs read the robots as they are."""
        perform(self.run_calls(dt), tick + 1)

    def run_calls(self, dt: float) -> DeviceCalls:
        """Return what `run` comes to, with the number of the tick that it begins."""
        memory, ports, link = self.memory, self.ports, self.memory["link"]
        given, held = (ports.every, memory["stamps"], self._begins), memory["held"]
        sent = given, self._packets("down"), held, link, self._dice, self.table, dt
        calls = (
            KernelCall(restore_readings, (ports.all_readings, memory["sensed"], self._is_on_board)),
            KernelCall(roll_before, (self.keys, TICK, self._dice)),
            KernelCall(send_commands, sent),
        )
        return DeviceCalls((*calls, *copied(held, ports.every).calls))

    def sense_calls(self, world: SensingWorld, out: Floats) -> DeviceCalls:
        """Return what takes the readings of this tick, and writes what arrived in their place."""
        memory, now, link = self.memory, self.ports.all_readings, self.memory["link"]
        sensed, seen = memory["sensed"], memory["seen"]
        sent = (sensed, seen), self._packets("up"), link, self._dice, self.table, world.dt, TICK
        calls = [
            KernelCall(collect_readings, (now, sensed, seen, self._is_on_board)),
            KernelCall(measure, (world.bodies.planar, self.rows, self.table, link)),
            KernelCall(uniform, (self.keys, TICK, self._dice)),
            KernelCall(begin_links, (sensed, seen, link)),
        ]
        if self._of_programs.size and world.dt > 0.0:  # else the same tick again
            calls.append(KernelCall(begin_programs, (sensed, seen, link, self._of_programs, TICK)))
        calls += [KernelCall(send_readings, sent), KernelCall(show_readings, (now, sensed, seen, link, out))]
        return DeviceCalls(tuple(calls))

    def _packets(self, way: str) -> Packets:
        memory = self.memory
        return memory[f"{way}_waiting"], memory[f"{way}_packets"], memory[f"{way}_left"]
