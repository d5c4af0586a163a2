"""Many calls of kernels as one: what a tick calls is listed once, and then a single compiled call does all of it."""

import struct
from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from coopsim.geometry import Ints
from coopsim.kernels.compiled import compiled
from coopsim.kernels.native import FLOATING, SIZES, NativeKernel, call_of_size, form_of, native
from coopsim.kernels.shared_words import load, store
from coopsim.kernels.sharing import share
from coopsim.kernels.threads import THREADS

_RESULT, _ERROR, _FLOATING = range(3)  # places in the words of a call
_WHOLE = _FLOATING + FLOATING  # the whole numbers follow the floating ones
_WORD = 8  # bytes
# places in the line of a call; its arguments begin at the floating ones
_ADDRESS, _ARGUMENTS, _FORM, _IS_CHECKED, _EXPECTED, _HELPERS, _STRIDE, _BOARD, _LINE = range(9)
_BACK = _WORD * (_FLOATING - _RESULT)
"""From the arguments of a call back to its result [bytes]."""
_LINES, _COUNT, _TICKS, _TICK_COUNT, _PLAN = range(5)
"""Places in what a run is begun with, one address: numba looks at arrays anew at each call."""


class TickNumber(int):
    """Stands among the arguments of a call for the number of the tick."""


TICK = TickNumber()  # one object, found by its identity


class KernelCall(NamedTuple):
    """A call whose arguments stay what they are; arrays may change their content.

    Attributes:
        kernel: A compiled function.
        arguments: Arrays, whole and floating numbers, `TICK`, and tuples of these.
        expects: Result with which the calls after it may follow; None = any.
        helpers: How many threads may make the call together with the first one. The kernel claims parts of its work by
            `kernels.sharing.claim` then, and each thread must return what is expected.
        kept: What the addresses among its arguments belong to.
    """

    kernel: Callable[..., Any]
    arguments: tuple[Any, ...]
    expects: float | None = None
    helpers: int = 0
    kept: object = None


class KernelSequence:
    """Calls that are made one after the other until one returns what is not expected.

    Attributes:
        length: How many calls there are.
        plan: Address for `run_plan`, which holds as long as the sequence is kept.
    """

    def __init__(self, calls: Sequence[KernelCall], kernels: Sequence[NativeKernel]) -> None:
        self.length = len(calls)
        self._kept = calls  # the words know addresses alone
        helpers = [call.helpers for call in calls]
        THREADS.start_helpers(max(helpers, default=0))
        forms = [form_of(kernel) for kernel in kernels]
        widths = [_WHOLE + SIZES[form] for form in forms]
        # each row follows the one before: rows of one length would lie on a page each
        rows = accumulate((width * (1 + many) for width, many in zip(widths, helpers, strict=True)), initial=0)
        *self._begins, size = rows
        self._words, self._lines = np.zeros(size, np.int64), np.zeros((len(calls), _LINE), np.int64)
        ticks: list[int] = []
        for k, (call, kernel, many, width) in enumerate(zip(calls, kernels, helpers, widths, strict=True)):
            arguments = [lay(self._words[self._begins[k] + width * row :], kernel) for row in range(1 + many)]
            is_checked, expected = call.expects is not None, _bits(call.expects or 0)
            whose = many, _WORD * width, THREADS.board
            self._lines[k] = kernel.address, arguments[0], forms[k], is_checked, expected, *whose
            ticks += [address + _WORD * at for address in arguments for at in tick_positions(call.arguments)]
        self._ticks = np.array(ticks, np.int64)
        tables = self._lines.ctypes.data, len(calls), self._ticks.ctypes.data, len(ticks)
        self._plan = np.array(tables, np.int64)
        self.plan = int(self._plan.ctypes.data)

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
        return run_plan(self.plan, tick, first)

    def result(self, number: int) -> int:
        """Return what a call returned last, a whole number."""
        return int(self._words[self._begins[number] + _RESULT])


def lay(words: Ints, kernel: NativeKernel) -> int:
    """Lay a call into words, which have room for its form; return the address of its arguments."""
    address = words.ctypes.data
    whole = [address + _WORD * _RESULT, address + _WORD * _ERROR, *kernel.whole]
    words[_WHOLE : _WHOLE + len(whole)] = whole
    words[_FLOATING : _FLOATING + len(kernel.floating)].view(np.float64)[:] = kernel.floating
    return int(address + _WORD * _FLOATING)


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
    for kernel, arguments, *_ in calls:
        kernel(*(tick if isinstance(argument, TickNumber) else argument for argument in arguments))


def _bits(value: float) -> int:
    """Return a number as a whole one of the same bits."""
    # results are compared as whole numbers: one comparison serves both kinds
    return int(struct.unpack("q", struct.pack("d" if isinstance(value, float) else "q", value))[0])


def tick_positions(arguments: tuple[Any, ...]) -> list[int]:
    """Return where among the arguments of a call the number of the tick belongs, counted in words."""
    places, at = [], FLOATING + 2
    for argument in _flat(arguments):
        if isinstance(argument, TickNumber):
            places.append(at)
        at += 5 + 2 * argument.ndim if isinstance(argument, np.ndarray) else isinstance(argument, int)
    return places


def _flat(arguments: tuple[Any, ...]) -> list[Any]:
    return [part for argument in arguments for part in (_flat(argument) if isinstance(argument, tuple) else [argument])]


@compiled
def run_plan(plan: int, tick: int, first: int) -> int:
    """Do what `KernelSequence.run` does, whose frame of Python takes as long as a small kernel."""
    ticks, count = load(plan + _WORD * _TICKS), load(plan + _WORD * _COUNT)
    for k in range(load(plan + _WORD * _TICK_COUNT)):
        store(load(ticks + _WORD * k), tick)
    line = load(plan + _WORD * _LINES) + _WORD * _LINE * first
    for k in range(first, count):
        arguments = load(line + _WORD * _ARGUMENTS)
        if load(line + _WORD * _HELPERS) == 0:
            failed = call_of_size(load(line + _WORD * _FORM), load(line + _WORD * _ADDRESS), arguments)
        else:
            failed = _share(line)
        is_checked = load(line + _WORD * _IS_CHECKED) != 0
        # the caller goes on from here, by other means
        if failed != 0 or (is_checked and load(arguments - _BACK) != load(line + _WORD * _EXPECTED)):
            return k
        line += _WORD * _LINE
    return count


@compiled
def _share(line: int) -> int:
    """Make the call of a line together with helpers; return 0 if none failed, as expected."""
    call = load(line + _WORD * _ADDRESS), load(line + _WORD * _FORM), load(line + _WORD * _ARGUMENTS)
    many, stride = load(line + _WORD * _HELPERS), load(line + _WORD * _STRIDE)
    is_checked, expected = load(line + _WORD * _IS_CHECKED) != 0, load(line + _WORD * _EXPECTED)
    first = call[2] + stride
    for helper in range(many):
        store(first + stride * helper - _BACK, expected)  # of those that do not come
    failed = share(load(line + _WORD * _BOARD), call, (first, stride, many))
    for helper in range(many):
        failed += is_checked and load(first + stride * helper - _BACK) != expected
    return failed
