"""Compiled links: packets that wait for the sender, are lost, are under way, and arrive in the order of sending.

A link has two directions, each with a sender that sends one packet at a time. What is to be sent while it is busy
waits, and what is newer takes its place.
"""

import math
from typing import TypeAlias

from coopsim.devices.noise import Keys, uniform
from coopsim.features.radio.interface import RADIO
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import columns
from coopsim.kernels import compiled

CAPACITY = 32
"""Packets that can be under way in each direction; one that comes on top is lost."""
HEADER = 16.0
"""Bytes of a packet besides its numbers, of 8 bytes each."""
# columns of a direction: time until its sender is free [s], whether a packet waits, first packet and number of packets
# under way, packets sent and lost so far, tries in vain to send the one that waits
BUSY, WAITS, FIRST, COUNT, SENT, LOST, TRIES = range(7)
# columns of a link: two directions, time until the next readings are sent [s], whether it has begun (2 = its programs,
# too), age of what arrived [s], distance from the station [m]
DOWN, UP, TIMER, BEGUN, AGE, DISTANCE, LINK_WIDTH = 0, 7, 14, 15, 16, 17, 18
COLUMN = columns(RADIO)
_NEARLY = 1e-9  # s; a timer that was counted down by steps ends a rounding above 0
Given: TypeAlias = tuple[Floats, Floats, Floats]
"""Commands as clients gave them, shape (n, w); stamps seen last, shape (n, slots); where the slots begin, and the end
of the last one, shape (slots + 1,)."""
Packets: TypeAlias = tuple[Floats, Floats, Floats]
"""Of one direction: what waits, shape (n, w); what is under way, shape (n, CAPACITY, w); and for how long still, shape
(n, CAPACITY) [s]."""


@compiled
def restore_readings(readings: Floats, sensed: Floats, is_on_board: Floats) -> None:
    """Give programs on board the readings as they are, shape (n, w), and note that they have them, shape (1,)."""
    is_on_board[0] = 1.0
    for i in range(sensed.shape[0]):
        for j in range(sensed.shape[1]):
            readings[i, j] = sensed[i, j]


@compiled
def roll_before(keys: Keys, tick: int, dice: Floats) -> None:
    """Roll the dice of the tick before `tick`, which programs run with."""
    uniform(keys, tick - 1, dice)


@compiled
def send_commands(
    given: Given, packets: Packets, received: Floats, link: Floats, dice: Floats, table: Floats, dt: float
) -> None:
    """Send the commands that are new in this tick, and write those that have arrived into `received`.

    Args:
        given: What clients gave.
        packets: Of this direction; a slot that is no part of a packet has the stamp 0.
        received: Shape (n, w); a slot that came has another stamp than before.
        link: Shape (n, LINK_WIDTH).
        dice: Numbers within (0, 1], shape (n, 2).
        table: Parameters, shape (parameters, n).
        dt: Length of the tick [s].
    """
    commands, stamps, begins = given
    waiting, _, _ = packets
    for i in range(commands.shape[0]):
        for j in range(stamps.shape[1]):
            first, last = int(begins[j]), int(begins[j + 1])
            if commands[i, first] != stamps[i, j]:
                stamps[i, j] = commands[i, first]
                waiting[i, first:last] = commands[i, first:last]
                waiting[i, first] = 1.0
                link[i, DOWN + WAITS] = 1.0
        size = HEADER
        for j in range(stamps.shape[1]):
            if waiting[i, int(begins[j])] != 0.0:
                size += 8.0 * (begins[j + 1] - begins[j] - 1.0)
        if _transmit(i, packets, link[i], DOWN, dice[i, 0], table, size):
            for j in range(stamps.shape[1]):
                waiting[i, int(begins[j])] = 0.0
        while _has_arrived(i, packets, link[i], DOWN):
            _receive(i, packets, begins, received, link[i])
        _pass_time(i, packets, link[i], DOWN, dt)


@compiled
def collect_readings(readings: Floats, sensed: Floats, received: Floats, is_on_board: Floats) -> None:
    """Collect what was sensed in this tick.

    Args:
        readings: As they stand, shape (n, w).
        sensed: As they are, written, shape (n, w).
        received: As they arrived, shape (n, w).
        is_on_board: Whether `restore_readings` came before, shape (1,). Else what no sensor has written anew is what
            arrived.
    """
    for i in range(sensed.shape[0]):
        for j in range(sensed.shape[1]):
            if is_on_board[0] != 0.0 or readings[i, j] != received[i, j]:
                sensed[i, j] = readings[i, j]
    is_on_board[0] = 0.0


@compiled
def send_readings(
    readings: tuple[Floats, Floats], packets: Packets, link: Floats, dice: Floats, table: Floats, dt: float, tick: int
) -> None:
    """Send readings when it is time, and write those that have arrived; arguments as above.

    Nothing is sent in tick 0, which is the beginning, nor where no time passes. `readings` are those as they are, and
    those that arrived, shape (n, w) each.
    """
    sensed, received = readings
    if tick == 0 or not dt > 0.0:
        return
    waiting, under_way, _ = packets
    for i in range(sensed.shape[0]):
        own = link[i]
        own[AGE] += dt
        own[TIMER] -= dt
        if own[TIMER] <= _NEARLY:
            own[TIMER] = max(own[TIMER] + table[COLUMN.interval, i], 0.0)
            waiting[i] = sensed[i]
            own[UP + WAITS] = 1.0
        _transmit(i, packets, own, UP, dice[i, 1], table, HEADER + 8.0 * sensed.shape[1])
        while _has_arrived(i, packets, own, UP):
            place = int(own[UP + FIRST])
            received[i] = under_way[i, place]
            own[AGE] = table[COLUMN.delay, i]
            own[UP + FIRST], own[UP + COUNT] = (place + 1) % CAPACITY, own[UP + COUNT] - 1.0
        _pass_time(i, packets, own, UP, dt)


@compiled
def begin_links(sensed: Floats, received: Floats, link: Floats) -> None:
    """Let both ends of new links know how the other one begins."""
    for i in range(sensed.shape[0]):
        if link[i, BEGUN] == 0.0:
            link[i, BEGUN] = 1.0
            received[i] = sensed[i]


@compiled
def begin_programs(sensed: Floats, received: Floats, link: Floats, columns: Ints, tick: int) -> None:
    """Let clients know how the programs of new links begin, which had nothing to say before they ran first.

    Args:
        sensed: Readings as they are, shape (n, w).
        received: Readings as they arrived, shape (n, w).
        link: Shape (n, LINK_WIDTH).
        columns: Of the programs' readings.
        tick: Number of the tick; programs have not run in tick 0.
    """
    for i in range(sensed.shape[0]):
        if link[i, BEGUN] == 1.0 and tick > 0:
            link[i, BEGUN] = 2.0
            for column in columns:
                received[i, column] = sensed[i, column]


@compiled
def _transmit(i: int, packets: Packets, link: Floats, way: int, die: float, table: Floats, size: float) -> bool:
    """Send what waits if the sender is free; return whether nothing waits any more."""
    waiting, under_way, left = packets
    if link[way + WAITS] == 0.0 or link[way + BUSY] > _NEARLY:
        return False
    rate = table[COLUMN.bandwidth, i]
    takes = size / rate if rate > 0.0 else 0.0
    link[way + BUSY] = takes
    link[way + SENT] += link[way + TRIES] == 0.0
    limit = table[COLUMN.range, i]
    is_far = limit > 0.0 and link[DISTANCE] > limit
    is_lost = is_far or die <= table[COLUMN.loss, i] or link[way + COUNT] >= CAPACITY
    if is_lost and link[way + TRIES] < table[COLUMN.retries, i]:
        link[way + TRIES] += 1.0
        return False
    link[way + WAITS] = link[way + TRIES] = 0.0
    if is_lost:
        link[way + LOST] += 1.0
        return True
    place = int(link[way + FIRST] + link[way + COUNT]) % CAPACITY
    under_way[i, place] = waiting[i]
    left[i, place] = takes + table[COLUMN.delay, i]
    link[way + COUNT] += 1.0
    return True


@compiled
def _has_arrived(i: int, packets: Packets, link: Floats, way: int) -> bool:
    """Return whether the packet that was sent first has arrived."""
    return bool(link[way + COUNT] > 0.0 and packets[2][i, int(link[way + FIRST])] <= _NEARLY)


@compiled
def _receive(i: int, packets: Packets, begins: Floats, received: Floats, link: Floats) -> None:
    """Take the commands of the first packet."""
    place = int(link[DOWN + FIRST])
    packet = packets[1][i, place]
    for j in range(begins.size - 1):
        first, last = int(begins[j]), int(begins[j + 1])
        if packet[first] != 0.0:
            received[i, first] += 1.0
            received[i, first + 1 : last] = packet[first + 1 : last]
    link[DOWN + FIRST], link[DOWN + COUNT] = (place + 1) % CAPACITY, link[DOWN + COUNT] - 1.0


@compiled
def _pass_time(i: int, packets: Packets, link: Floats, way: int, dt: float) -> None:
    """Let a tick pass for a sender and for what is under way."""
    link[way + BUSY] = max(link[way + BUSY] - dt, 0.0)
    for k in range(int(link[way + COUNT])):
        packets[2][i, (int(link[way + FIRST]) + k) % CAPACITY] -= dt


@compiled
def measure(planar: Floats, rows: Ints, table: Floats, link: Floats) -> None:
    """Write how far each robot is from its station."""
    for i in range(link.shape[0]):
        x, y = planar[rows[i], 0] - table[COLUMN.station_x, i], planar[rows[i], 1] - table[COLUMN.station_y, i]
        link[i, DISTANCE] = math.hypot(x, y)


@compiled
def show_readings(readings: Floats, sensed: Floats, received: Floats, link: Floats, out: Floats) -> None:
    """Write what arrived into `readings`, shape (n, w), and what the link did into `out`, its last columns."""
    begin = readings.shape[1] - out.shape[1]
    for i in range(readings.shape[0]):
        for j in range(readings.shape[1]):
            readings[i, j] = received[i, j]
        state = link[i]
        out[i, 0], out[i, 1], out[i, 2] = state[DOWN + SENT], state[DOWN + LOST], state[UP + SENT]
        out[i, 3], out[i, 4], out[i, 5] = state[UP + LOST], state[AGE], state[DISTANCE]
        for j in range(out.shape[1]):
            received[i, begin + j] = sensed[i, begin + j] = out[i, j]
