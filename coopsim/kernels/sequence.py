"""Many calls of kernels as one: what a tick calls is listed once, and then a single compiled call does all of it."""

import struct
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from coopsim.geometry import Ints
from coopsim.kernels.compiled import compiled
from coopsim.kernels.native import (
    FLOATING,
    SIZES,
    NativeKernel,
    call_long,
    call_longest,
    call_middle,
    call_short,
    native,
)

_RESULT, _ERROR, _FLOATING = range(3)  # places in the words of a call
_WHOLE = _FLOATING + FLOATING
_ADDRESS, _ARGUMENTS, _SIZE, _IS_CHECKED, _EXPECTED = range(5)  # columns of the table of calls
_WORD = 8
_SHORT, _MIDDLE, _LONG = range(3)  # of four forms


class TickNumber(int):
    """Stands among the arguments of a call for the number of the tick."""


TICK = TickNumber()


class KernelCall(NamedTuple):
    """A call whose arguments stay what they are; arrays may change their content.

    Attributes:
        kernel: A compiled function.
        arguments: Arrays, whole and floating numbers, `TICK`, and tuples of these.
        expects: Result with which the calls after it may follow; None = any.
    """

    kernel: Callable[..., Any]
    arguments: tuple[Any, ...]
    expects: float | None = None


class KernelSequence:
    """Calls that are made one after the other until one returns what is not expected.

    Attributes:
        length: How many calls there are.
    """

    def __init__(self, calls: Sequence[KernelCall], found: Sequence[NativeKernel]) -> None:
        self.length = len(calls)
        self._kept = calls  # the words know addresses alone
        self._words = np.zeros((len(calls), _WHOLE + SIZES[-1]), np.int64)
        self._table = np.zeros((len(calls), _EXPECTED + 1), np.int64)
        for k, (call, it) in enumerate(zip(calls, found, strict=True)):
            self._lay(k, call, it)
        ticks = [(k, at) for k, call in enumerate(calls) for at in _places_of_tick(call.arguments)]
        self._ticks = np.array(ticks, np.int64).reshape(-1, 2)

    @classmethod
    def of(cls, calls: Sequence[KernelCall]) -> "KernelSequence | None":
        """Return a sequence, None where a kernel cannot be called so."""
        found = [each for each in (native(call.kernel, call.arguments) for call in calls) if each is not None]
        return cls(calls, found) if len(found) == len(calls) else None

    def run(self, tick: int, first: int = 0) -> int:
        """Call from number `first` on; return the number of the call that returned what is not expected, else `length`.

        Args:
            tick: What the calls take for `TICK`.
            first: Number of the first call.
        """
        return _run(self._table, self._words, self._ticks, tick, first)

    def result(self, number: int) -> int:
        """Return what a call returned last, a whole number."""
        return int(self._words[number, _RESULT])

    def _lay(self, k: int, call: KernelCall, found: NativeKernel) -> None:
        words = self._words[k]
        begin = words.ctypes.data
        whole = [begin + _WORD * _RESULT, begin + _WORD * _ERROR, *found.whole]
        words[_WHOLE : _WHOLE + len(whole)] = whole
        words[_FLOATING : _FLOATING + len(found.floating)].view(np.float64)[:] = found.floating
        size = next(k for k, size in enumerate(SIZES) if len(whole) <= size)
        is_checked, expected = call.expects is not None, _bits(call.expects or 0)
        self._table[k] = found.address, begin + _WORD * _FLOATING, size, is_checked, expected


def prepared(kernel: Callable[..., Any], arguments: tuple[Any, ...]) -> Callable[[], object]:
    """Return a call of a compiled function with arguments that stay what they are; arrays may change their content.

    Where a kernel cannot be called by its address it is called as any other.
    """
    sequence = KernelSequence.of([KernelCall(kernel, arguments)])
    return partial(kernel, *arguments) if sequence is None else partial(sequence.run, 0)


def make_ready(call: KernelCall) -> None:
    """Compile or load a kernel for its arguments without calling it, so that no tick waits for that."""
    native(call.kernel, call.arguments)


def call_each(calls: Sequence[KernelCall], tick: int) -> None:
    """Make calls one after the other from Python, where a sequence cannot be made; results are not looked at."""
    for kernel, arguments, _ in calls:
        kernel(*(tick if isinstance(it, TickNumber) else it for it in arguments))


def _bits(value: float) -> int:
    """Return a number as a whole one of the same bits."""
    return int(struct.unpack("q", struct.pack("d" if isinstance(value, float) else "q", value))[0])


def _places_of_tick(arguments: tuple[Any, ...]) -> list[int]:
    """Return where in the words of a call the number of the tick belongs."""
    places, at = [], _WHOLE + 2
    for each in _flat(arguments):
        if isinstance(each, TickNumber):
            places.append(at)
        at += 5 + 2 * each.ndim if isinstance(each, np.ndarray) else isinstance(each, int)
    return places


def _flat(arguments: tuple[Any, ...]) -> list[Any]:
    return [it for each in arguments for it in (_flat(each) if isinstance(each, tuple) else [each])]


@compiled
def _run(table: Ints, words: Ints, ticks: Ints, tick: int, first: int) -> int:
    for k in range(ticks.shape[0]):
        words[ticks[k, 0], ticks[k, 1]] = tick
    for k in range(first, table.shape[0]):
        address, arguments, size = table[k, _ADDRESS], table[k, _ARGUMENTS], table[k, _SIZE]
        if size == _SHORT:
            failed = call_short(address, arguments)
        elif size == _MIDDLE:
            failed = call_middle(address, arguments)
        elif size == _LONG:
            failed = call_long(address, arguments)
        else:
            failed = call_longest(address, arguments)
        if failed != 0 or (table[k, _IS_CHECKED] != 0 and words[k, _RESULT] != table[k, _EXPECTED]):
            return k
    return int(table.shape[0])
