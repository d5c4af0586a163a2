"""Many calls of kernels as one: what a tick calls is listed once, and then a single compiled call does all of it."""

import struct
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from coopsim.geometry import Ints
from coopsim.kernels.compiled import compiled
from coopsim.kernels.native import FLOATING, SIZES, NativeKernel, call_of_size, native
from coopsim.kernels.sharing import share
from coopsim.kernels.threads import THREADS

_RESULT, _ERROR, _FLOATING = range(3)  # places in the words of a call
_WHOLE = _FLOATING + FLOATING  # the whole numbers follow the floating ones
_ADDRESS, _ARGUMENTS, _SIZE, _IS_CHECKED, _EXPECTED, _HELPERS, _HELPERS_AT, _BOARD = range(
    8
)  # columns of the table of calls
_WORD = 8  # bytes


class TickNumber(int):
    """Stands among the arguments of a call for the number of the tick."""


TICK = TickNumber()  # one object, found by its identity


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


class SharedCall(KernelCall):
    """A call that threads make together: a kernel that claims parts by `kernels.sharing.claim`, each thread some.

    What it expects each of them returns.
    """

    __slots__ = ()


class KernelSequence:
    """Calls that are made one after the other until one returns what is not expected.

    Attributes:
        length: How many calls there are.
    """

    def __init__(self, calls: Sequence[KernelCall], kernels: Sequence[NativeKernel]) -> None:
        self.length = len(calls)
        self._kept = calls  # the words know addresses alone
        helpers = [THREADS.helpers() if isinstance(call, SharedCall) else 0 for call in calls]
        self._words = np.zeros((len(calls) + sum(helpers), _WHOLE + SIZES[-1]), np.int64)
        self._table = np.zeros((len(calls), _BOARD + 1), np.int64)
        ticks: list[tuple[int, int]] = []
        free = len(calls)
        for k, (call, native_call, many) in enumerate(zip(calls, kernels, helpers, strict=True)):
            is_checked, expected = call.expects is not None, _bits(call.expects or 0)
            self._table[k] = *self._lay(k, native_call), is_checked, expected, many, free, THREADS.board
            rows = k, *range(free, free + many)
            for row in rows[1:]:
                self._lay(row, native_call)
            ticks += [(row, at) for row in rows for at in _tick_positions(call.arguments)]
            free += many
        self._ticks = np.array(ticks, np.int64).reshape(-1, 2)

    @classmethod
    def of(cls, calls: Sequence[KernelCall]) -> "KernelSequence | None":
        """Return a sequence, None where a kernel cannot be called so."""
        native_calls = [
            native_call
            for native_call in (native(call.kernel, call.arguments) for call in calls)
            if native_call is not None
        ]
        return cls(calls, native_calls) if len(native_calls) == len(calls) else None

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

    def _lay(self, row: int, kernel: NativeKernel) -> tuple[int, int, int]:
        """Lay the words of a call into a row; return its address, that of its arguments, and the form of call."""
        words = self._words[row]
        begin = words.ctypes.data
        whole = [begin + _WORD * _RESULT, begin + _WORD * _ERROR, *kernel.whole]
        words[_WHOLE : _WHOLE + len(whole)] = whole
        words[_FLOATING : _FLOATING + len(kernel.floating)].view(np.float64)[:] = kernel.floating
        size = next(k for k, size in enumerate(SIZES) if len(whole) <= size)
        return kernel.address, begin + _WORD * _FLOATING, size


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
        kernel(*(tick if isinstance(argument, TickNumber) else argument for argument in arguments))


def _bits(value: float) -> int:
    """Return a number as a whole one of the same bits."""
    # results are compared as whole numbers: one comparison serves both kinds
    return int(struct.unpack("q", struct.pack("d" if isinstance(value, float) else "q", value))[0])


def _tick_positions(arguments: tuple[Any, ...]) -> list[int]:
    """Return where in the words of a call the number of the tick belongs."""
    places, at = [], _WHOLE + 2
    for argument in _flat(arguments):
        if isinstance(argument, TickNumber):
            places.append(at)
        at += 5 + 2 * argument.ndim if isinstance(argument, np.ndarray) else isinstance(argument, int)
    return places


def _flat(arguments: tuple[Any, ...]) -> list[Any]:
    return [part for argument in arguments for part in (_flat(argument) if isinstance(argument, tuple) else [argument])]


@compiled
def _run(table: Ints, words: Ints, ticks: Ints, tick: int, first: int) -> int:
    for k in range(ticks.shape[0]):
        words[ticks[k, 0], ticks[k, 1]] = tick
    for k in range(first, table.shape[0]):
        if table[k, _HELPERS] == 0:
            failed = call_of_size(table[k, _SIZE], table[k, _ADDRESS], table[k, _ARGUMENTS])
        else:
            failed = _share(table[k], words)
        # the caller goes on from here, by other means
        if failed != 0 or (table[k, _IS_CHECKED] != 0 and words[k, _RESULT] != table[k, _EXPECTED]):
            return k
    return int(table.shape[0])


@compiled
def _share(line: Ints, words: Ints) -> int:
    """Make the call of a line of the table together with helpers; return 0 if none failed, as expected."""
    first, last = line[_HELPERS_AT], line[_HELPERS_AT] + line[_HELPERS]
    for row in range(first, last):
        words[row, _RESULT] = line[_EXPECTED]  # of those that do not come
    arguments = int(words[first].ctypes.data) + _WORD * _FLOATING
    helpers = arguments, _WORD * words.shape[1], line[_HELPERS]
    failed = share(line[_BOARD], (line[_ADDRESS], line[_SIZE], line[_ARGUMENTS]), helpers)
    for row in range(first, last):
        failed += line[_IS_CHECKED] != 0 and words[row, _RESULT] != line[_EXPECTED]
    return failed
