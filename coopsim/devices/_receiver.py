"""Sensors that measure at a rate of their own, and whose measurements come late, or never."""

import math

import numpy as np

from coopsim.devices._tabled import Tabled
from coopsim.devices.contract import Rig, Surroundings
from coopsim.devices.noise import normal, uniform
from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled

TIMING = ("rate", "delay", "loss")
_RATE, _DELAY, _LOSS = range(3)
# columns of memory["fix"]; times are nanoseconds of the device's own clock, which begins at 1, so that 0 is never
_CLOCK, _NEXT, _MEASURED, _NEWS, _FIXED, _VALID, _VALUES = range(7)
# columns of memory["under_way"]; a row that was measured at 0 is free
_ARRIVES, _TAKEN, _LOST, _SENT = range(4)
# number of the stream of chances that says what is lost, behind those of all noise
_LUCK = 8


class Receiver(Tabled):
    """A sensor that holds the newest measurement that has come.

    `measure` says what is measured; rate, delay and loss are the same for all. Everything that is under way lies in
    `memory`, so that hashes, snapshots and continuations know of it. `numbers` begins with TIMING.

    Attributes:
        width: How many values a measurement has, at most 8.
        memory: `fix`, what was read last and when; `under_way`, measurements to come, shape (n, buffer, 3 + width).
    """

    width: int

    def __init__(self, rig: Rig) -> None:
        super().__init__(rig)
        n, buffer = len(rig.robots), int(rig.settings["buffer"])
        self.memory = {
            "fix": np.zeros((n, _VALUES + self.width)),
            "under_way": np.zeros((n, buffer, _SENT + self.width)),
        }
        self._is_noisy = self._loses = False

    def measure(self, world: Surroundings, rows: Ints, deviates: Floats, out: Floats) -> None:
        """Write what some robots measure now.

        Args:
            world: What can be sensed.
            rows: Which robots, shape (k,).
            deviates: Normal numbers for noise; zeros where nobody has any, shape (k, width).
            out: Shape (k, width).
        """
        raise NotImplementedError

    def is_noisy(self) -> bool:
        """Return whether any robot's measurements have noise."""
        raise NotImplementedError

    def sense(self, world: Surroundings, tick: int, out: Floats) -> None:
        """Write the newest values that came, whether they are as new as they should be, and their age [s]."""
        if self.is_stale:
            self.is_stale = False
            self._is_noisy, self._loses = self.is_noisy(), bool(self.column("loss").any())
        fix, under_way = self.memory["fix"], self.memory["under_way"]
        rows = np.empty(self.rows.size, np.int64)
        rows = rows[: _due(self.table, round(world.dt * 1e9), fix, under_way, rows)]
        if rows.size:
            values = np.empty((rows.size, self.width))
            self.measure(world, rows, self._deviates(rows, tick), values)
            _send(rows, values, self._chances(rows, tick), self.table, fix, under_way)
        _write(fix, out)

    def _deviates(self, rows: Ints, tick: int) -> Floats:
        deviates = np.zeros((rows.size, self.width))
        if self._is_noisy:
            normal(self.keys[rows], tick, deviates)
        return deviates

    def _chances(self, rows: Ints, tick: int) -> Floats:
        chances = np.ones((rows.size, _LUCK + 1))
        if self._loses:
            uniform(self.keys[rows], tick, chances)
        return chances


@compiled
def _due(table: Floats, dt_ns: float, fix: Floats, under_way: Floats, rows: Ints) -> int:
    """Let the clocks go on, take in what has come, and collect who measures now.

    Whoever has measured at this very instant measures again: something changed, and no time has passed.
    """
    count = 0
    for i in range(fix.shape[0]):
        fix[i, _CLOCK] = fix[i, _CLOCK] + dt_ns if fix[i, _CLOCK] > 0.0 else 1.0
        _take_in(fix[i], under_way[i])
        now, due = fix[i, _CLOCK], fix[i, _NEXT]
        period = 1e9 / table[_RATE, i] if table[_RATE, i] > 0.0 else 1.0
        # a measurement may wait up to a tick, so its place must stay its own for so much longer than the delay
        room = (1e9 * table[_DELAY, i] + dt_ns) / under_way.shape[1] if table[_DELAY, i] > 0.0 else 1.0
        period = max(math.floor(period + 0.5), math.ceil(room), 1.0)
        if fix[i, _MEASURED] == now:
            rows[count] = i
            count += 1
        elif now >= due or due - now > period:
            # on a grid of whole periods, unless some were left out or the rate was raised
            fix[i, _NEXT] = due + period if 0.0 <= now - due < period else now + period
            rows[count] = i
            count += 1
    return count


@compiled
def _send(rows: Ints, values: Floats, chances: Floats, table: Floats, fix: Floats, under_way: Floats) -> None:
    """Send measurements on their way, each in a free place, or in that of the oldest."""
    for k in range(rows.size):
        i, place = rows[k], 0
        now, mine = fix[i, _CLOCK], under_way[i]
        for slot in range(mine.shape[0]):
            if mine[slot, _TAKEN] == now:
                place = slot
                break
            if mine[slot, _TAKEN] < mine[place, _TAKEN]:
                place = slot
        fix[i, _MEASURED] = mine[place, _TAKEN] = now
        mine[place, _ARRIVES] = now + math.floor(1e9 * table[_DELAY, i] + 0.5)
        mine[place, _LOST] = 1.0 if chances[k, _LUCK] <= table[_LOSS, i] else 0.0
        for j in range(values.shape[1]):
            mine[place, _SENT + j] = values[k, j]
        _take_in(fix[i], mine)


@compiled
def _take_in(fix: Floats, under_way: Floats) -> None:
    """Take in what has come to one robot; what is older than what came before is dropped."""
    for slot in range(under_way.shape[0]):
        sent = under_way[slot]
        if sent[_TAKEN] > 0.0 and sent[_ARRIVES] <= fix[_CLOCK]:
            if sent[_TAKEN] >= fix[_NEWS]:
                fix[_NEWS], fix[_VALID] = sent[_TAKEN], 1.0 - sent[_LOST]
            if sent[_LOST] == 0.0 and sent[_TAKEN] >= fix[_FIXED]:
                fix[_FIXED] = sent[_TAKEN]
                fix[_VALUES:] = sent[_SENT:]
            sent[:] = 0.0


@compiled
def _write(fix: Floats, out: Floats) -> None:
    width = fix.shape[1] - _VALUES
    for i in range(fix.shape[0]):
        for j in range(width):
            out[i, j] = fix[i, _VALUES + j]
        out[i, width] = fix[i, _VALID]
        out[i, width + 1] = (fix[i, _CLOCK] - fix[i, _FIXED]) * 1e-9 if fix[i, _FIXED] > 0.0 else 0.0


def warm() -> None:
    """Compile the kernels, for one robot (whose readings are contiguous in memory) and for several."""
    for n in (1, 2):
        fix, under_way, rows = np.zeros((n, _VALUES + 1)), np.zeros((n, 2, _SENT + 1)), np.empty(n, np.int64)
        table, out = np.zeros((len(TIMING), n)), np.zeros((n, 4))[:, :3]
        _due(table, 0, fix, under_way, rows)
        _send(rows, np.zeros((n, 1)), np.zeros((n, _LUCK + 1)), table, fix, under_way)
        for each in (out, out.copy()):
            _write(fix, each)
