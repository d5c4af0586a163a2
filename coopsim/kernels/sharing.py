"""Calls of kernels that several threads make together, without Python in between.

A kernel that is shared claims the next part of its work by `claim` until none is left, so that who comes late, or
never, leaves it to the others. One thread opens a call to all; helpers enter, work and leave; it ends once all have
left. A helper waits for the next call awake where the last one came soon, giving way to others, else it sleeps in
`read`, and whoever opens a call wakes the sleepers. Where helpers keep the others waiting, since something else has
their cores, the next calls are made without them: few at first, more as often as it happens again. Linux often wakes a
thread on the core of the one that wakes it, in virtual machines above all, although that one works on. So helpers are
kept off the core of whoever opens calls.

Source: the door and the number of those inside are Dekker's protocol for each pair of threads.
"""

import ctypes
import os
import threading
import time

import numpy as np

from coopsim.geometry import Ints
from coopsim.kernels.compiled import compiled, compiled_for_threads
from coopsim.kernels.foreign import call_c
from coopsim.kernels.native import call_of_size, native
from coopsim.kernels.shared_words import add, exchange, fence, load, store

MOST_HELPERS = 63  # each has a line of its own on the board, which is laid out once
_MONOTONIC, _TIMES = getattr(time, "CLOCK_MONOTONIC", 0), 2  # a time is two words: seconds, nanoseconds
_WORD = 8  # bytes
_LINE = 16 * _WORD
"""Words that different threads write must not lie side by side: processors hand over 64 or 128 bytes at once."""
# bytes from the beginning of a board; a door is the number of the call that is open, 0 = none
_DOOR, _INSIDE, _FAILED, _RESTS, _CALL, _CORES, _USABLE, _OTHERS, _OF_HELPER = (_LINE * k for k in range(9))
# words in the line of the call: what is called
_NUMBER, _ADDRESS, _FORM, _ARGUMENTS, _STRIDE, _HELPERS = (_CALL + _WORD * k for k in range(6))
# and the functions of the C library that helpers need
_GIVE_WAY, _NAP, _READ, _WRITE, _CLOCK, _WHERE, _KEEP = (_CALL + _WORD * k for k in range(6, 13))
_FUNCTIONS = ("sched_yield", "usleep", "read", "write", "clock_gettime", "getcpu", "sched_setaffinity")
"""Of the C library, the last two on Linux alone."""
_NEXT_RESTS = _RESTS + _WORD
"""How many calls will be made alone after helpers have kept the others waiting once more."""
_HERE, _LEFT_FREE = _CORES, _CORES + _WORD  # core of the thread that opens calls; the one that helpers leave free, + 1
_ASLEEP, _READER, _WRITER, _THREAD = (_WORD * k for k in range(4))  # in the line of a helper
_PATIENCE = 500_000
"""A helper waits awake for so long, if the last call came within that: to wake up takes 20 to 50 us [ns]."""
_TAKEN, _PART, _MOST_RESTS, _NAP_US = 300_000, 4, 64, 50
"""Who waits for helpers longer than that [ns], and than this part of the call, makes so many calls alone at most.

300 us are several times what a helper needs to wake up: something else has its core. A quarter of the call may be lost
before helping no longer pays. Calls alone are twice as many each time, since the first lateness may be the helper's
first look at memory. They are half as many after each call that was in time. A nap [us] is about as long as a wake-up
takes.
"""


class CallBoard:
    """Board on which calls are opened to helpers.

    Attributes:
        address: Of its words.
    """

    def __init__(self) -> None:
        self._words: Ints = np.zeros((_OF_HELPER + MOST_HELPERS * _LINE) // _WORD, np.int64)
        self.address = self._words.ctypes.data
        self._ends: list[int] = []

    def renew(self) -> None:
        """Forget all helpers; those of a process that was forked stay with the other one."""
        for end in self._ends:
            os.close(end)
        self._ends.clear()
        self._words[: _CALL // _WORD] = 0
        self._words[_CORES // _WORD :] = 0

    def admit(self, number: int) -> None:
        """Make ready for helper `number`, one after the other."""
        library = ctypes.CDLL(None)
        functions = [getattr(library, name, None) for name in _FUNCTIONS]
        addresses = [
            0 if function is None else ctypes.cast(function, ctypes.c_void_p).value or 0 for function in functions
        ]
        self._words[_GIVE_WAY // _WORD : _KEEP // _WORD + 1] = addresses
        self._words[_USABLE // _WORD : _OTHERS // _WORD] = _bits(cores())
        ends, line = os.pipe(), (_OF_HELPER + number * _LINE) // _WORD
        self._words[line + _READER // _WORD : line + _WRITER // _WORD + 1] = ends
        self._ends += ends
        native(_help, (self.address, 0))  # compiled here: a helper would have to wait for Python's lock again and again

    def help(self, number: int) -> None:
        """Take part in calls as helper `number`, without end."""
        self._words[(_OF_HELPER + number * _LINE + _THREAD) // _WORD] = threading.get_native_id()
        self._words[_LEFT_FREE // _WORD] = 0  # decided anew at the next call
        _help(self.address, number)


def cores() -> list[int]:
    """Return the numbers of the cores that this process may use."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [*range(os.cpu_count() or 1)]


def _bits(numbers: list[int]) -> Ints:
    """Return words in which the bits of some cores are set, those of farther ones than there are bits left out."""
    # as many cores as one line has bits: 1024, what Linux has in a set of cores
    bits = np.zeros(8 * _LINE, np.uint8)
    bits[[core for core in numbers if core < bits.size]] = 1
    return np.packbits(bits, bitorder="little").view(np.int64)


@compiled
def share(board: int, call: tuple[int, int, int], helpers: tuple[int, int, int]) -> int:
    """Make a call together with the helpers that come; return how many of these calls failed.

    Args:
        board: Address of the board.
        call: Address, form and address of the arguments of the call of this thread, as `call_of_size` has them.
        helpers: Address of the arguments for the first helper, bytes from there to those for the next one, and how many
            may take part.
    """
    address, form, arguments = call
    # helpers kept the others waiting: alone for a while
    rests = load(board + _RESTS)
    if rests > 0:
        store(board + _RESTS, rests - 1)
        return call_of_size(form, address, arguments)
    times = np.empty(_TIMES, np.int64)
    began = _now(board, times)
    _open(board, call, helpers)
    failed = call_of_size(form, address, arguments)
    # closed before those inside are counted; who enters after it sees it closed and leaves (Dekker)
    exchange(board + _DOOR, 0)
    fence()
    done = _now(board, times)
    enough, is_late = max(_TAKEN, (done - began) // _PART), False
    while load(board + _INSIDE) != 0:
        is_late = is_late or _now(board, times) - done >= enough
        if is_late:  # with real-time priority one gives way to nobody
            call_c(load(board + _NAP), (_NAP_US,))
        else:
            call_c(load(board + _GIVE_WAY), ())
    rests = max(load(board + _NEXT_RESTS), 1)
    store(board + _RESTS, rests if is_late else 0)
    store(board + _NEXT_RESTS, min(2 * rests, _MOST_RESTS) if is_late else rests // 2)
    return int(failed != 0) + exchange(board + _FAILED, 0)


@compiled
def _open(board: int, call: tuple[int, int, int], helpers: tuple[int, int, int]) -> None:
    # never the same twice in a row: helpers know a new call by its number
    number = load(board + _NUMBER) + 1
    store(board + _NUMBER, number)
    store(board + _ADDRESS, call[0])
    store(board + _FORM, call[1])
    store(board + _ARGUMENTS, helpers[0])
    store(board + _STRIDE, helpers[1])
    store(board + _HELPERS, helpers[2])
    if load(board + _WHERE) != 0 and load(board + _KEEP) != 0:
        _leave_free(board, helpers[2])
    exchange(board + _DOOR, number)
    fence()
    for k in range(helpers[2]):
        helper = board + _OF_HELPER + k * _LINE
        # looked at first, since an exchange takes the line from the helper; the exchange decides who wakes it, once
        if load(helper + _ASLEEP) != 0 and exchange(helper + _ASLEEP, 0) != 0:
            call_c(load(board + _WRITE), (load(helper + _WRITER), board, 1))  # a byte, of any content


@compiled
def _leave_free(board: int, helpers: int) -> None:
    """Keep helpers off the core of this thread."""
    call_c(load(board + _WHERE), (board + _HERE, 0))
    position = load(board + _HERE)
    # mostly the same core as last time: no call of the system
    if position + 1 == load(board + _LEFT_FREE):
        return
    store(board + _LEFT_FREE, position + 1)
    for word in range(_LINE // _WORD):
        bits = load(board + _USABLE + word * _WORD)
        store(board + _OTHERS + word * _WORD, bits & ~(1 << position % 64) if word == position // 64 else bits)
    for k in range(helpers):
        thread = load(board + _OF_HELPER + k * _LINE + _THREAD)
        if thread != 0:
            call_c(load(board + _KEEP), (thread, _LINE, board + _OTHERS))


@compiled_for_threads
def _now(board: int, times: Ints) -> int:
    """Return what a clock shows that is never put back [ns]; `times` is room for it."""
    call_c(load(board + _CLOCK), (_MONOTONIC, int(times.ctypes.data)))
    return int(times[0] * 1_000_000_000 + times[1])


@compiled_for_threads
def _help(board: int, number: int) -> None:
    times, last, is_brisk = np.empty(_TIMES, np.int64), 0, False
    helper = board + _OF_HELPER + number * _LINE
    while True:
        began = _now(board, times)
        while is_brisk and load(board + _DOOR) in (0, last) and _now(board, times) - began < _PATIENCE:
            call_c(load(board + _GIVE_WAY), ())
        while load(board + _DOOR) in (0, last):
            # asleep before the door is looked at again: whoever opens it in between sees that a byte is needed
            exchange(helper + _ASLEEP, 1)
            fence()
            if load(board + _DOOR) in (0, last):
                call_c(load(board + _READ), (load(helper + _READER), int(times.ctypes.data), 1))
            exchange(helper + _ASLEEP, 0)  # a byte that comes nevertheless ends the next sleep early
        is_brisk = _now(board, times) - began < _PATIENCE
        last = load(board + _DOOR)
        if last != 0:
            _enter(board, number, last)


@compiled_for_threads
def _enter(board: int, number: int, door: int) -> None:
    """Make the call that is open, unless the door has been closed meanwhile, or it is for fewer helpers."""
    # inside before the door is looked at: whoever closes it then waits, or this one sees it closed
    add(board + _INSIDE, 1)
    fence()
    if load(board + _DOOR) == door and number < load(board + _HELPERS):
        arguments = load(board + _ARGUMENTS) + number * load(board + _STRIDE)
        if call_of_size(load(board + _FORM), load(board + _ADDRESS), arguments) != 0:
            add(board + _FAILED, 1)
    add(board + _INSIDE, -1)


@compiled_for_threads
def claim(claims: Ints, rows: int, parts: int) -> tuple[int, int, int]:
    """Return number, first and last row, not included, of the next part of `rows`; of none, the number is `parts`.

    Args:
        claims: How many were claimed, shape (1,); 0 before a call is shared.
        rows: How many rows there are.
        parts: Into how many parts they are divided, all about equally long.
    """
    part = min(add(int(claims.ctypes.data), 1), parts)
    return part, rows * part // parts, rows * (part + 1) // parts
