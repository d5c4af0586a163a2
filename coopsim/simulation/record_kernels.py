"""A record that holds arrays alone, written into the ring of `transport.Ring` by two compiled calls.

In both everything has the order that it has there: what is given up, then what is written, then the words that show it.
"""

import math

from coopsim.geometry import Ints
from coopsim.kernels import compiled
from coopsim.kernels.foreign import floats_at, ints_at
from coopsim.kernels.shared_words import fence, load, store
from coopsim.kernels.xxh3 import hash_rows
from coopsim.state import HEADER_BYTES
from coopsim.state.record import HASH_BEGIN
from coopsim.transport.ring_words import (
    MOST_TICKS,
    W_BEGUN,
    W_BEGUN_AT,
    W_COUNT,
    W_HEAD,
    W_LATEST,
    W_TAIL,
    W_TICK,
)

(
    WORDS,  # addresses: the control words, the ring, the header as far as it stays the same
    RING,
    HEADER,
    PLANAR,
    POSES,
    TWISTS,
    READINGS,
    COMMANDS,
    RING_BYTES,  # numbers: bytes of the ring and of a record, how many numbers the arrays have
    SIZE,
    BODIES,
    READING_COUNT,
    COMMAND_COUNT,
    PLAN,
) = range(14)
"""What stays the same from record to record."""
TICK, REVISION, TIME, WALL, OVERRUNS, LATEST, SLIPPED, PLAIN_UNTIL, IS_SHOWN, HEAD, PLACE, FACTS = range(12)
"""What changes; `PLAIN_UNTIL` is as in `Ring.plain_until`, and the last two are noted by `begin`."""
# words of the header, as `state.record` lays it out
_H_TICK, _H_REVISION, _H_TIME, _H_OVERRUNS, _H_LATEST, _H_SLIPPED, _H_WALL = 1, 2, 3, 12, 13, 14, 15
_WORD = 8  # bytes
_PLANAR_WIDTH, _POSE_WIDTH, _TWIST_WIDTH = 6, 7, 6  # columns, as the contract of engines has them
WIDTHS = {PLANAR: _PLANAR_WIDTH, POSES: _POSE_WIDTH, TWISTS: _TWIST_WIDTH}
"""How many numbers an engine has of a body."""


@compiled
def begin(plan: Ints, facts: Ints) -> bool:
    """Write header and readings of the next record, and show them where that is wanted.

    Returns:
        False, and nothing was written, where the record must carry the layout, or bodies are no longer finite.
    """
    for value in floats_at(plan[PLANAR], _PLANAR_WIDTH * plan[BODIES]):
        if not math.isfinite(value):
            return False
    words, size, ring_bytes = plan[WORDS], plan[SIZE], plan[RING_BYTES]
    head = load(words + _WORD * W_HEAD)
    # as the ring itself decides: the layout is repeated before records overwrite the place where it stands
    if head + 4 * size > facts[PLAIN_UNTIL]:
        return False
    place = head % ring_bytes
    # a record lies in one piece: what is left at the end of the ring is skipped
    gap = ring_bytes - place if place + size > ring_bytes else 0
    head += gap
    # given up before it is overwritten, so that no reader trusts what is half old and half new
    store(words + _WORD * W_TAIL, max(0, head + size - ring_bytes))
    fence()
    if gap > 0:
        # a length of 0 tells readers to go on at the beginning
        ints_at(plan[RING] + place, 1)[0] = 0
        place = 0
    facts[HEAD], facts[PLACE] = head, place
    _write_header(plan[HEADER], plan[RING] + place, facts)
    bodies, count = plan[BODIES], plan[READING_COUNT]
    _copy(plan[READINGS], plan[RING] + place + HEADER_BYTES + 13 * _WORD * bodies, count)
    if facts[IS_SHOWN] != 0:
        store(words + _WORD * W_BEGUN_AT, head)
        store(words + _WORD * W_BEGUN, load(words + _WORD * W_COUNT) + 1)
        fence()  # whether somebody watches is looked at after it
    return True


@compiled
def finish(plan: Ints, facts: Ints, functions: Ints, table: Ints, order: Ints) -> None:
    """Write what is missing of the record that was begun, and show all of it.

    Args:
        plan: See `PLAN`.
        facts: See `FACTS`.
        functions: Of the hash.
        table: What is hashed, see `hash_rows`.
        order: Of the bodies.
    """
    words, head = plan[WORDS], facts[HEAD]
    record, bodies = plan[RING] + facts[PLACE], plan[BODIES]
    at = record + HEADER_BYTES
    _copy(plan[POSES], at, _POSE_WIDTH * bodies)
    _copy(plan[TWISTS], at + _WORD * _POSE_WIDTH * bodies, _TWIST_WIDTH * bodies)
    at += _WORD * ((_POSE_WIDTH + _TWIST_WIDTH) * bodies + plan[READING_COUNT])
    _copy(plan[COMMANDS], at, plan[COMMAND_COUNT])
    hash_rows(functions, table, order, record + HASH_BEGIN)
    store(words + _WORD * (W_TICK + facts[TICK] % MOST_TICKS), head)
    store(words + _WORD * W_LATEST, head)
    # last of all positions: whoever sees it sees a whole record
    store(words + _WORD * W_HEAD, head + plan[SIZE])
    count = load(words + _WORD * W_COUNT) + 1
    store(words + _WORD * W_COUNT, count)
    store(words + _WORD * W_BEGUN, count)


@compiled
def _write_header(source: int, target: int, facts: Ints) -> None:
    _copy(source, target, HEADER_BYTES // _WORD)
    header = ints_at(target, HEADER_BYTES // _WORD)
    header[_H_TICK], header[_H_REVISION], header[_H_TIME] = facts[TICK], facts[REVISION], facts[TIME]
    header[_H_OVERRUNS], header[_H_LATEST], header[_H_SLIPPED] = facts[OVERRUNS], facts[LATEST], facts[SLIPPED]
    header[_H_WALL] = facts[WALL]


@compiled
def _copy(source: int, target: int, count: int) -> None:
    values, out = ints_at(source, count), ints_at(target, count)
    for k in range(count):
        out[k] = values[k]
