"""Sensors: how often they measure, and how late that can be read; one rule for all of them."""

from typing import ClassVar

import numpy as np

from coopsim.devices import _receiver
from coopsim.devices._array_device import ArrayDevice
from coopsim.devices.calls import AnsweringWorld, CallableWorld, DeviceCalls, perform, says_itself
from coopsim.devices.contract import DeviceContext, SensingWorld
from coopsim.devices.noise import normal, uniform
from coopsim.errors import BadArgument
from coopsim.geometry import Floats, Ints
from coopsim.interfaces.sampling import BUFFER, TIMING
from coopsim.kernels import compiled


# Sensors that measure at an interval of ticks and hold their readings between.
def due(next_tick: Floats, interval: Floats, tick: int) -> Ints:
    """Return the rows whose reading is due now, and note when their next one is.

    Args:
        next_tick: When each row is due, shape (n,), changed in place; 0 = now.
        interval: Ticks between two readings, shape (n,).
        tick: Number of this tick. One far before `next_tick` is due too: the interval was shortened.
    """
    rows = np.empty(next_tick.shape[0], np.int64)
    return rows[: _collect(next_tick, interval, tick, rows)]


@compiled
def _collect(next_tick: Floats, interval: Floats, tick: int, rows: Ints) -> int:
    count = 0
    for i in range(next_tick.shape[0]):
        if tick >= next_tick[i] or tick < next_tick[i] - interval[i]:
            next_tick[i] = tick + interval[i]
            rows[count] = i
            count += 1
    return count


_LUCK = 8
"""Index of the random number that decides about a loss, behind those of the noise of the values."""


class Sampled(ArrayDevice):
    """A sensor that measures in each tick, every `interval` ticks, or at a `rate`, and holds what came last.

    A measurement comes after `delay`, and never with the probability `loss`. A subclass has `measure_calls`, or
    `measure`; its interface ends with `sampling_parameters()`, `receiver_parameters()`, or has none of them, if it has
    no such knobs. All that is under way lies in `memory`, so that hashes, snapshots and continuations know of it.

    Attributes:
        width: How many values a measurement has.
        is_timed: Whether rate, delay and loss are in force; the `.robot` file decides it, since they take memory.
        has_intervals: Whether some robots measure every few ticks only.
        every: All rows, shape (n,).
        held_at: Column of `held` at which the values begin, 0 = there is no parameter `interval`; the column before
            holds the tick of the next measurement.
        memory: `held`, of those with the parameter `interval`; `fix` and `under_way` of a timed one, see `_receiver`.
    """

    held_at: ClassVar[int] = 0

    def __init__(self, context: DeviceContext, width: int) -> None:
        super().__init__(context)
        n = len(context.robots)
        self.width, self.every = width, np.arange(n)
        self.has_intervals = self._loses = False
        buffer = _buffer(context) if {*TIMING, "buffer"} <= {*self.numbers} else 0
        self.is_timed = buffer > 0
        if self.held_at:
            self.memory["held"] = np.zeros((n, self.held_at + width))
        if self.is_timed:
            self.memory |= _receiver.memory(n, buffer, width)
            first = self.numbers.index(TIMING[0])
            self._timing = self.table[first : first + len(TIMING)]

    def measure(self, world: SensingWorld, tick: int, rows: Ints | None, out: Floats) -> None:
        """Write what robots measure now, as `measure_calls` says.

        Args:
            world: What can be sensed.
            tick: Number of the tick, for noise.
            rows: Which robots, shape (k,); None = all of them.
            out: Shape (k, width).
        """
        measured = out if rows is None else np.empty((self.rows.size, self.width))
        perform(self.measure_calls(AnsweringWorld(world), measured), tick)
        if rows is not None:
            out[:] = measured[rows]

    def refresh(self, world: SensingWorld) -> None:
        """Renew what is derived from parameters; called once after each change of one."""
        if self.held_at:
            self.has_intervals = bool((self.column("interval") > 1).any())
            if not self.has_intervals and not self.is_timed:
                self.memory["held"][:] = 0.0
        if self.is_timed:
            self._loses = bool(self.column("loss").any())

    def changed(self, row: int, name: str) -> None:
        """Note that a parameter of one robot has changed.

        Raises:
            BadArgument: There is no memory for measurements under way, and now there would be some.
        """
        if name in TIMING and not self.is_timed and self.parameters[name][row]:
            cure = f"give the device `buffer {BUFFER}` in its .robot file"
            raise BadArgument(f"{name} needs room for measurements that are under way: {cure}").bring(name)
        super().changed(row, name)

    def sense(self, world: SensingWorld, tick: int, out: Floats) -> None:
        """Write what can be read now: values, and where the interface has them `valid` and `age`."""
        if self.is_stale:
            self.is_stale = False
            self.refresh(world)
        if self.is_timed:
            self.receive(world, tick, out)
        elif self.has_intervals:
            self.hold(world, tick, out)
        else:
            self.measure(world, tick, None, out)

    def has_news(self, row: int, tick: int, dt: float) -> bool:
        """Return whether a measurement of a robot came in the tick that has just been sensed, late as it may be.

        Args:
            row: Of the robot.
            tick: Number of that tick.
            dt: Its length [s].
        """
        if self.is_timed:
            return _receiver.has_come(self.memory["fix"][row], float(self._timing[1][row]), dt)
        if not self.has_intervals:
            return True
        due = float(self.memory["held"][row, self.held_at - 1])
        return due == tick + max(1.0, float(self.column("interval")[row]))

    def sense_calls(self, world: CallableWorld, out: Floats) -> DeviceCalls | None:
        """Return what `sense` comes to, None where rows take turns.

        What is timed is called in ticks in which a measurement is due, and by calls in those between.
        """
        if self.is_stale or self.has_intervals:
            return None
        if not self.is_timed:
            return self.measure_calls(world, out) if says_itself(self, "measure", "measure_calls") else None
        if type(self).receive is not Sampled.receive:
            return None
        return DeviceCalls(_receiver.waiting_calls(self._timing, world.dt, self.memory, out), (self,))

    def measure_calls(self, world: CallableWorld, out: Floats) -> DeviceCalls | None:
        """Return what `measure` of all rows comes to, None where it cannot be said."""
        return None

    def hold(self, world: SensingWorld, tick: int, out: Floats) -> None:
        """Measure where the interval is over, and write the last measurements."""
        held, rows = self.memory["held"], self._due_by_interval(tick)
        if rows.size:
            fresh = np.empty((rows.size, self.width))
            self.measure(world, tick, rows, fresh)
            held[rows, self.held_at :] = fresh
        out[:] = held[:, self.held_at :]

    def receive(self, world: SensingWorld, tick: int, out: Floats) -> None:
        """Measure where it is time, send that on its way, and write what has come."""
        fix, under_way = self.memory["fix"], self.memory["under_way"]
        rows = np.empty(self.rows.size, np.int64)
        rows = rows[: _receiver.due(self._timing, float(round(world.dt * 1e9)), fix, under_way, rows)]
        if self.has_intervals:
            rows = self._without_waiting(rows, tick)
        if rows.size:
            values = np.empty((rows.size, self.width))
            self.measure(world, tick, rows, values)
            if out.shape[1] == self.width:  # nothing says that none has come yet
                _receiver.begin(rows, values, fix)
            _receiver.send(rows, values, self._chances(rows, tick), self._timing, fix, under_way)
        _receiver.write(fix, out)

    def deviates(self, rows: Ints, tick: int, *, is_noisy: bool) -> Floats:
        """Return normal numbers for the noise of some robots, zeros if none has any, shape (k, width)."""
        deviates = np.zeros((rows.size, self.width))
        if is_noisy:
            normal(self.keys[rows], tick, deviates)
        return deviates

    def _due_by_interval(self, tick: int) -> Ints:
        return due(self.memory["held"][:, self.held_at - 1], self.column("interval"), tick)

    def _without_waiting(self, rows: Ints, tick: int) -> Ints:
        """Return those of `rows` that have a rate, or whose interval is over."""
        is_due = self._timing[0] > 0.0
        is_due[self._due_by_interval(tick)] = True
        due: Ints = rows[is_due[rows]]
        return due

    def _chances(self, rows: Ints, tick: int) -> Floats:
        """Return what decides whether measurements are lost, within (0, 1], shape (k,)."""
        if not self._loses:
            return np.ones(rows.size)
        luck = max(_LUCK, self.width + self.width % 2)
        chances = np.empty((rows.size, luck + 1))
        uniform(self.keys[rows], tick, chances)
        return chances[:, luck].copy()


def _buffer(context: DeviceContext) -> int:
    """Return how many measurements can be under way, 0 = none."""
    given = int(context.settings["buffer"])
    return given or (BUFFER if any(context.settings[name] for name in TIMING) else 0)
