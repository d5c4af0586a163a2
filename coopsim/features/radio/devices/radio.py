"""The radio between robots and those who command them.

What clients command is carried out when it arrives, and what they read is what arrived last. Programs on board read
their robot as it is.
"""

from collections.abc import Mapping

import numpy as np

from coopsim.devices.contract import DeviceContext, SensingWorld
from coopsim.devices.noise import uniform
from coopsim.devices.program import OnBoardProgram, Ports
from coopsim.features.radio.devices.links import (
    AGE,
    CAPACITY,
    DISTANCE,
    DOWN,
    LINK_WIDTH,
    LOST,
    SENT,
    UP,
    Packets,
    begin_links,
    begin_programs,
    measure,
    send_commands,
    send_readings,
)
from coopsim.features.radio.interface import RADIO
from coopsim.geometry import Floats


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
        self._dice, self._is_as_it_is = np.zeros((n, 2)), False
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
        memory, ports = self.memory, self.ports
        ports.all_readings[:] = memory["sensed"]
        self._is_as_it_is = True
        uniform(self.keys, tick, self._dice)
        held, stamps, link = memory["held"], memory["stamps"], memory["link"]
        given = ports.every, stamps, self._begins
        send_commands(given, self._packets("down"), held, link, self._dice, self.table, dt)
        ports.every[:] = held

    def sense(self, world: SensingWorld, tick: int, out: Floats) -> None:
        """Take what was sensed in this tick, and write what arrived in its place."""
        memory, now = self.memory, self.ports.all_readings
        sensed, seen, link = memory["sensed"], memory["seen"], memory["link"]
        # between two ticks what no sensor has written anew is what arrived
        np.copyto(sensed, now, where=True if self._is_as_it_is else now != seen)
        self._is_as_it_is = False
        measure(world.bodies.planar[self.rows], self.table, link)
        uniform(self.keys, tick, self._dice)
        begin_links(sensed, seen, link)
        if world.dt > 0.0:  # else the same tick again
            if self._of_programs.size:
                begin_programs(sensed, seen, link, self._of_programs)
            send_readings(sensed, self._packets("up"), seen, link, self._dice, self.table, world.dt)
        now[:] = seen
        for column, value in enumerate((DOWN + SENT, DOWN + LOST, UP + SENT, UP + LOST, AGE, DISTANCE)):
            out[:, column] = link[:, value]
        begin = now.shape[1] - out.shape[1]
        seen[:, begin:] = sensed[:, begin:] = out

    def _packets(self, way: str) -> Packets:
        memory = self.memory
        return memory[f"{way}_waiting"], memory[f"{way}_packets"], memory[f"{way}_left"]
