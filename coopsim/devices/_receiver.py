"""Measurements under way, in compiled code: each is made at a time, comes later or never, and the newest is kept."""

import math
from collections.abc import Mapping

import numpy as np

from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled
from coopsim.kernels.sequence import KernelCall

# rows of the timing table, as `interfaces.sampling.TIMING` names them
_RATE, _DELAY, _LOSS = range(3)
# columns of memory["fix"]; times are nanoseconds of the device's own clock, which begins at 1, so that 0 is never
_CLOCK, _NEXT, _MEASURED, _NEWS, _FIXED, _VALID, _VALUES = range(7)
# columns of memory["under_way"]; a row that was measured at 0 is free
_ARRIVES, _TAKEN, _LOST, _SENT = range(4)


def memory(n: int, buffer: int, width: int) -> dict[str, Floats]:
    """Return empty memory of n robots: `fix`, what was read last and when; `under_way`, (n, buffer, 3 + width)."""
    return {"fix": np.zeros((n, _VALUES + width)), "under_way": np.zeros((n, buffer, _SENT + width))}


def begin(rows: Ints, values: Floats, fix: Floats) -> None:
    """Make the first measurement readable until it, or a later one, has arrived."""
    first = fix[rows, _MEASURED] == 0.0
    fix[rows[first], _VALUES:] = values[first]


def has_come(fix: Floats, delay: float, dt: float) -> bool:
    """Return whether the newest values of a robot came in the last tick.

    Args:
        fix: Its row.
        delay: Of its measurements [s].
        dt: Length of the tick [s].
    """
    arrival = float(fix[_FIXED]) + math.floor(1e9 * delay + 0.5)
    return bool(fix[_FIXED] > 0.0 and fix[_CLOCK] - round(dt * 1e9) < arrival <= fix[_CLOCK])


def waiting_calls(timing: Floats, dt: float, memory: Mapping[str, Floats], out: Floats) -> tuple[KernelCall, ...]:
    """Return the calls of a tick of `dt` [s] in which nobody measures; the first one expects that nobody does."""
    fix, under_way = memory["fix"], memory["under_way"]
    dt_ns, rows = float(round(dt * 1e9)), np.empty(fix.shape[0], np.int64)
    return (
        KernelCall(_is_any_due, (timing, dt_ns, fix, under_way.shape[1]), expects=0),
        KernelCall(due, (timing, dt_ns, fix, under_way, rows)),
        KernelCall(write, (fix, out)),
    )


@compiled
def _is_any_due(timing: Floats, dt_ns: float, fix: Floats, slots: int) -> int:
    """Return whether anybody measures when the clocks go on, 0 or 1."""
    for i in range(fix.shape[0]):
        now = fix[i, _CLOCK] + dt_ns if fix[i, _CLOCK] > 0.0 else 1.0
        if fix[i, _MEASURED] == now or _is_due(now, fix[i, _NEXT], _period(timing, i, dt_ns, slots)):
            return 1
    return 0


@compiled
def _is_due(now: float, due: float, period: float) -> bool:
    return bool(now >= due or due - now > period)


@compiled
def _period(timing: Floats, i: int, dt_ns: float, slots: int) -> float:
    """Return the time between two measurements of a robot [ns]."""
    period = 1e9 / timing[_RATE, i] if timing[_RATE, i] > 0.0 else 1.0
    # a measurement may wait up to a tick, so its place must stay its own for a tick longer than the delay
    room = (1e9 * timing[_DELAY, i] + dt_ns) / slots if timing[_DELAY, i] > 0.0 else 1.0
    return float(max(math.floor(period + 0.5), math.ceil(room), 1.0))


@compiled
def due(timing: Floats, dt_ns: float, fix: Floats, under_way: Floats, rows: Ints) -> int:
    """Let the clocks go on, take in what has come, and collect who measures now; return how many do.

    A robot that has measured at this very instant measures again: something changed, and no time has passed.
    """
    count = 0
    for i in range(fix.shape[0]):
        fix[i, _CLOCK] = fix[i, _CLOCK] + dt_ns if fix[i, _CLOCK] > 0.0 else 1.0
        _deliver(fix[i], under_way[i])
        now, due, period = fix[i, _CLOCK], fix[i, _NEXT], _period(timing, i, dt_ns, under_way.shape[1])
        if fix[i, _MEASURED] == now:
            rows[count] = i
            count += 1
        elif _is_due(now, due, period):
            # on a grid of whole periods, unless some were left out or the rate was raised
            fix[i, _NEXT] = due + period if 0.0 <= now - due < period else now + period
            rows[count] = i
            count += 1
    return count


@compiled
def send(rows: Ints, values: Floats, chances: Floats, timing: Floats, fix: Floats, under_way: Floats) -> None:
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
        mine[place, _ARRIVES] = now + math.floor(1e9 * timing[_DELAY, i] + 0.5)
        mine[place, _LOST] = 1.0 if chances[k] <= timing[_LOSS, i] else 0.0
        for j in range(values.shape[1]):
            mine[place, _SENT + j] = values[k, j]
        _deliver(fix[i], mine)


@compiled
def _deliver(fix: Floats, under_way: Floats) -> None:
    """Deliver what has arrived at one robot; drop what is older than the last delivery."""
    for slot in range(under_way.shape[0]):
        if under_way[slot, _TAKEN] > 0.0 and under_way[slot, _ARRIVES] <= fix[_CLOCK]:
            sent = under_way[slot]
            if sent[_TAKEN] >= fix[_NEWS]:
                fix[_NEWS], fix[_VALID] = sent[_TAKEN], 1.0 - sent[_LOST]
            if sent[_LOST] == 0.0 and sent[_TAKEN] >= fix[_FIXED]:
                fix[_FIXED] = sent[_TAKEN]
                fix[_VALUES:] = sent[_SENT:]
            sent[:] = 0.0


@compiled
def write(fix: Floats, out: Floats) -> None:
    """Write the newest values that came; where `out` is wider, whether they are as new as can be, and their age [s]."""
    width = fix.shape[1] - _VALUES
    for i in range(fix.shape[0]):
        for j in range(width):
            out[i, j] = fix[i, _VALUES + j]
        if out.shape[1] == width:
            continue
        out[i, width] = fix[i, _VALID]
        out[i, width + 1] = (fix[i, _CLOCK] - fix[i, _FIXED]) * 1e-9 if fix[i, _FIXED] > 0.0 else 0.0
