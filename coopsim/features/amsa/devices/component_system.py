"""A system of components as an on-board program: its leaves step at their own frequencies within the tick.

Source: AMSA, sections 2.1 and 3 (components of a control loop); its sensors and motors are devices of robots.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from coopsim.devices._array_device import ArrayDevice
from coopsim.devices.contract import DeviceContext
from coopsim.devices.far_ports import Board
from coopsim.devices.program import CommandPort, OnBoardProgram, PartCost, PartsOff, Ports
from coopsim.errors import PluginFailed
from coopsim.features.amsa.components import System
from coopsim.features.amsa.components.bindings import Binding, from_text
from coopsim.features.amsa.components.faces import SYSTEM, WRITE, data_module, system_interface
from coopsim.features.amsa.components.leaf_memory import keep_newest
from coopsim.features.amsa.components.model import DataValue
from coopsim.features.amsa.components.whole_text import model_of
from coopsim.features.amsa.devices.leaf_costs import LeafCosts
from coopsim.geometry import Floats
from coopsim.interfaces import Value
from coopsim.state.layout import NUMBER, VALUES

_TIME, _OFF = range(2)
_NEVER: Final = 1 << 62  # ns; a century and more, and still no overflow when a time is added
_TYPES: Final[Mapping[str, type]] = {"double": float, "int": int, "bool": bool}


class ComponentSystem(OnBoardProgram):
    """A system for each robot of a type; the modules of its leaves and data show what is in it.

    Attributes:
        values: Newest values of all outputs, shape (n, outputs).
        running: Which leaves step: 1, rest: 0, or are switched off: -1, in the order of execution, shape (n, leaves).
        written: Which values clients write, shape (n, outputs).
        commanded: Names of other robots whose devices it commands.
        changes: Grows when values, or what runs, change.
    """

    interface = SYSTEM

    @classmethod
    def for_settings(cls, settings: Mapping[str, Value]) -> "type[ComponentSystem]":
        """Return the type of device whose interface fits a model."""
        return type(cls.__name__, (cls,), {"interface": system_interface(settings)})

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context)
        settings, robots = context.settings, context.robots
        self.robots, self.model = robots, model_of(str(settings["model"]))
        self._systems = [System(self.model, seed=int(key)) for key in context.keys]
        first = self._systems[0] if self._systems else System(self.model)
        first.initialize()
        self._inputs = from_text(str(settings["inputs"]))
        self._drives = from_text(str(settings["drives"]))
        self._fixed = frozenset(port.data[0] for port in self._inputs)
        self.commanded = frozenset(drive.to.robot for drive in self._drives if drive.to.robot)
        self._kinds = [_TYPES[port.type] for name in first.order for port in self.model.leaves[name].template.outputs]
        self.order, self.slots = first.order, {name: first.slot(name) for name in self.model.producers()}
        self._widths = [leaf.memory.width for leaf in first.leaves()]
        self._unsaved = {leaf.leaf.name: leaf.memory.missing for leaf in first.leaves() if leaf.memory.missing}
        self._unit_ns = first.unit * 1_000_000_000
        self._periods_ns = {name: int(1_000_000_000 / leaf.rate) for name, leaf in self.model.leaves.items()}
        self._shortest_ns = min(self._periods_ns.values(), default=0)
        n = len(robots)
        self.values: Floats = np.array([first.newest] * n, np.float64).reshape(n, len(first.newest))
        self.running: Floats = np.ones((n, len(self.order)))
        self.written: Floats = np.zeros(self.values.shape)
        self.memory |= {
            "elapsed": np.full((n, 1), -1, np.int64),
            "values": self.values,
            "running": self.running,
            "leaves": np.zeros((n, sum(self._widths))),
        }
        self._faces: dict[str, ArrayDevice] = {}
        self._held: list[frozenset[str]] = [frozenset()] * n
        self._told = [0] * n
        self._is_fresh = self._is_changed = self._is_held_newly = True
        self._costs = LeafCosts(self.order, self._unit_ns)
        self._next_ns = np.zeros(n, np.int64)
        self._rest_ns = 0
        self.changes = 0

    def add_face(self, leaf: str, face: ArrayDevice) -> None:
        """Note the module that holds the parameters of a leaf."""
        self._faces[leaf] = face

    def measure_parts(self) -> None:
        """Measure the steps of all leaves from now on."""
        self._costs.is_profiled = True

    def part_costs(self) -> list[PartCost]:
        """Return what the steps of its leaves cost that were measured."""
        return self._costs.report()

    def renew_parameters(self) -> None:
        """Take the parameters of all leaves anew before the next step."""
        self._is_changed = True

    def connect(self, ports: Ports) -> None:
        """Note the commands of clients to faces, and those of its own robot's devices."""
        super().connect(ports)
        self._faced = [([name], ports.outputs[data_module(name)]) for name in self.slots]
        for leaf in self.model.leaves.values():
            if leaf.name in ports.outputs:
                data = {link.port: link.data for link in leaf.writes}
                names = [data.get(port.name, "") for port in leaf.template.outputs]
                self._faced.append((names, ports.outputs[leaf.name]))
        begins = [port.begin for _, port in self._faced]
        self._numbers = [begin + NUMBER for begin in begins] if begins and min(begins) >= 0 else None

    def reach(self, board: Board) -> None:
        """Note where its inputs and what it drives are."""
        self._board = board.readings
        column_sets = [self._columns(board, port) for port in self._inputs]
        complete = [place for place, columns in enumerate(column_sets) if (columns >= 0).all()]
        self._columns_read = (
            np.array([column_sets[place] for place in complete], np.int64).reshape(-1, len(self.robots)).T
        )
        self._factors = np.array([self._inputs[place].factor for place in complete])
        self._into = [self.slots[self._inputs[place].data[0]] for place in complete]
        self._ports = [(self._port(board, drive), drive) for drive in self._drives]

    def _columns(self, board: Board, binding: Binding) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        to = binding.to
        return np.array(
            [board.column(to.robot or robot, to.module, to.name, to.index) for robot in self.robots], np.int64
        )

    def _port(self, board: Board, drive: Binding) -> CommandPort | None:
        to = drive.to
        return board.port(to.robot, to.module) if to.robot else self.ports.outputs[f"{to.module}.{to.name}"]

    def run(self, tick: int, dt: float) -> None:
        """Step the leaves that are due by now, and command what they drive.

        Raises:
            PartsOff: Leaves were switched off; everything else is done.
        """
        if self._is_fresh or self._is_changed:
            self._renew()
        self._apply_commands()
        elapsed = self.memory["elapsed"]
        if self._into:
            given = self._board[self._columns_read] * self._factors
            self.values[:, self._into] = given
            self.changes += 1
        stepped: list[int] = []
        if self._rest_ns <= 0:
            stepped = np.flatnonzero(self._next_ns <= elapsed[:, 0]).tolist()
            self._step(stepped, given[stepped].tolist() if self._into else None, elapsed[stepped, 0].tolist())
            self._keep(stepped)
            self._rest_ns = int((self._next_ns - elapsed[:, 0]).min(initial=_NEVER))
            self.changes += 1
        passed = round(dt * 1e9)
        self._rest_ns -= passed
        elapsed += passed
        self.readings[:, _TIME] = elapsed[:, 0] * 1e-9
        self._drive(tick)
        if self._unsaved or any(len(self._systems[row].faults) > self._told[row] for row in stepped):
            self._report_failures()

    def _step(self, rows: Sequence[int], given: Sequence[Sequence[float]] | None, elapsed: Sequence[int]) -> None:
        """Step the leaves of some systems that are due by now."""
        unit, parts = self._unit_ns.numerator, self._unit_ns.denominator
        watched, sampled = self._costs.watched, self._costs.sampled(rows)
        begun = time.perf_counter_ns()
        for place, (row, since) in enumerate(zip(rows, elapsed, strict=True)):
            system = self._systems[row]
            if given is not None:
                newest = system.newest
                for slot, value in zip(self._into, given[place], strict=True):
                    newest[slot] = value
            if row == sampled or system in watched:
                self._step_measured(system, since)
            else:
                system.run_before(since * parts // unit + 1)
            self._next_ns[row] = -(-system.instant * unit // parts)
            ended = time.perf_counter_ns()
            if ended - begun > self._shortest_ns:
                self._costs.watch(system)
            begun = ended

    def _renew(self) -> None:
        """Take up what memory and parameters say: after a start, a restored snapshot, or a changed parameter."""
        elapsed, leaves = self.memory["elapsed"], self.memory["leaves"]
        for row, system in enumerate(self._systems):
            if self._is_fresh:
                system.initialize()
                if elapsed[row, 0] < 0:
                    elapsed[row, 0] = 0
                    self._begin(row, system)
                else:
                    self._go_on(row, system, leaves[row].tolist())
                self._next_ns[row] = 0
            for leaf, face in self._faces.items():
                for name, column in face.parameters.items():
                    system.set_parameter(leaf, name, column[row])
        self._rest_ns = 0
        self._is_fresh = self._is_changed = False
        self.changes += 1

    def _go_on(self, row: int, system: System, remembered: Sequence[float]) -> None:
        values: list[DataValue] = [
            kind(number) for kind, number in zip(self._kinds, self.values[row].tolist(), strict=True)
        ]
        system.newest[:] = values
        system.remember(remembered)
        system.go_to(-(-int(self.memory["elapsed"][row, 0]) // self._unit_ns))
        for leaf, runs in zip(self.order, self.running[row].tolist(), strict=True):
            if runs < 0.0:
                system.switch_off(leaf, PluginFailed(f"component {leaf} was switched off before"))
        self._told[row] = len(system.faults)

    def _begin(self, row: int, system: System) -> None:
        """Write what a system holds at the start into the arrays that are recorded, hashed and saved."""
        self.values[row] = system.newest
        try:
            self.memory["leaves"][row] = system.remembered()
        except ValueError as problem:
            self._unsaved.setdefault(self.robots[row], str(problem))

    def _keep(self, rows: Sequence[int]) -> None:
        """Write what has changed in some systems into the arrays that are recorded, hashed and saved."""
        if not rows:
            return
        self.values[rows] = [self._systems[row].newest for row in rows]
        newest = {row: self._systems[row].newest_memories() for row in rows}
        for row, problem in keep_newest(newest, self.memory["leaves"]).items():
            self._unsaved.setdefault(self.robots[row], problem)

    def _apply_commands(self) -> None:
        """Let clients write data, or take the place of leaves."""
        if self._numbers is not None and not self._is_held_newly:
            numbers = self.ports.every.take(self._numbers, axis=1)
            if not (numbers == WRITE).any():
                return
        written = [(names, port, port.slots[:, NUMBER] == WRITE) for names, port in self._faced]
        written = [write for write in written if write[2].any()]
        if not written and not self._is_held_newly:
            return
        self._is_held_newly = bool(written)
        self.changes += 1
        self.written[:] = 0.0
        held = [set(self._fixed) for _ in self._systems]
        for names, port, commanded in written:
            for row in np.flatnonzero(commanded).tolist():
                self._write(row, names, port.slots[row, VALUES:].tolist(), held[row])
        for row, data in enumerate(held):
            if data != self._held[row]:
                self._held[row] = frozenset(data)
                self._systems[row].hold(data)
                self._show_running(row)

    def _write(self, row: int, names: Sequence[str], values: Sequence[float], held: set[str]) -> None:
        for name, value in zip(names, values, strict=False):
            if name and name not in self._fixed:
                slot = self.slots[name]
                self._systems[row].newest[slot] = self._kinds[slot](value)
                self.values[row, slot], self.written[row, slot] = value, 1.0
                held.add(name)

    def _show_running(self, row: int) -> None:
        """Note which leaves step: 1, rest since others write their data: 0, or are switched off: -1."""
        self.changes += 1
        for place, leaf in enumerate(self._systems[row].leaves()):
            self.running[row, place] = -1.0 if leaf.failure else 0.0 if leaf.rests else 1.0
        self.readings[row, _OFF] = (self.running[row] < 0.0).sum()

    def _drive(self, tick: int) -> None:
        for port, drive in self._ports:
            if port is not None:
                columns = [self.slots[name] for name in drive.data]
                rows = self.values if not drive.to.robot else self.values[-1:]
                port.give(drive.to.name, rows[:, columns] * drive.factor, robots=np.ones(len(rows), bool), tick=tick)

    def _step_measured(self, system: System, since: int) -> None:
        """Measure a system; switch off leaves slower than their period, if its steps took too long before."""
        may_be_off = system in self._costs.watched
        for leaf, slowest in self._costs.step(system, since // self._unit_ns + 1, since):
            if may_be_off and not leaf.failure and slowest > self._periods_ns[leaf.leaf.name]:
                took = f"a step took {slowest / 1e6:.0f} ms, and its period is"
                text = f"component {leaf.leaf.name}: {took} {float(1000 / leaf.leaf.rate):.0f} ms"
                system.switch_off(leaf.leaf.name, PluginFailed(text))

    def _report_failures(self) -> None:
        """Say once what was switched off, and what cannot be stored.

        Raises:
            PartsOff: Always.
        """
        parts = [
            (f"{self.robots[0]}.{name}", f"its state cannot be stored, and begins anew where a run is continued: {why}")
            for name, why in self._unsaved.items()
        ]
        self._unsaved = {}
        for row, system in enumerate(self._systems):
            news = system.faults[self._told[row] :]
            parts += [(f"{self.robots[row]}.{fault.leaf}", fault.text) for fault in news]
            self._told[row] = len(system.faults)
            self._show_running(row)
        raise PartsOff(parts)
