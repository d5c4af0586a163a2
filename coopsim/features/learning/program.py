"""Program of a tick: kernel calls laid out as words, whose pointers move from world to world, and what runs them."""

import struct
from collections.abc import Iterator, Sequence
from enum import IntEnum
from itertools import accumulate
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from coopsim.errors import EngineCannot
from coopsim.features.learning.arena import WORD, Arena, ArenaPlan, flat
from coopsim.geometry import Ints
from coopsim.kernels import compiled_for_threads
from coopsim.kernels.native import FLOATING, SIZES, address, call_of_size, form_of, keep, native
from coopsim.kernels.sequence import KernelCall, TickNumber

_RESULT, _ERROR, _FLOATING = range(3)  # places in the words of a call
_WHOLE = _FLOATING + FLOATING
_ADDRESS, _FORM, _IS_CHECKED, _EXPECTED, _END, _IS_LOOK, _BEGIN = range(7)  # columns of the table of calls
_Program: TypeAlias = tuple[Ints, Ints, tuple[Ints, Ints, Ints], Ints, int]
"""Table of calls; their words; which of them are pointers, with offsets, which are to results, and where, and which are
the number of the tick; memory of all worlds; the word to be set before each tick."""

_Bases: TypeAlias = tuple[Ints, Ints, int]
"""Addresses of worlds, and of what of them lies beside that of the next one; size of that [bytes]."""


class End(IntEnum):
    """Reason why a world stands still until its reset."""

    RUNNING = 0
    ASTRAY = 1
    WILD_FORCE = 2


class StepCall(NamedTuple):
    """A call of a tick.

    Attributes:
        call: A kernel and its arguments.
        end: Why a world ends where the call returns what it does not expect; `RUNNING` = it goes on.
        is_look: Whether it only shows how things are, so that of several ticks it is needed in the last one alone.
    """

    call: KernelCall
    end: End = End.RUNNING
    is_look: bool = False


class TickProgram:
    """Calls of a tick, ready to run in every world of an arena.

    Args:
        calls: In their order.
        plan: What a world holds.
        arena: Of all worlds.
        stale: Word of a world that is set before each tick, as the table of what moved is then stale; -1 = none.

    Raises:
        EngineCannot: A kernel cannot be called by its address on this machine.
    """

    def __init__(self, calls: Sequence[StepCall], plan: ArenaPlan, arena: Arena, stale: int) -> None:
        self._kept = calls, arena  # the words know addresses alone
        rows = [_row(call, plan) for call in calls]
        # each row as long as its form of call, so that a world is as small as can be
        *begins, width = accumulate((_WHOLE + SIZES[row.head[_FORM]] for row in rows), initial=0)
        self._table = np.array([(*row.head, begin) for row, begin in zip(rows, begins, strict=True)], np.int64)
        # all worlds share these words; a thread that ticks one writes its pointers into a copy
        self._words = words = np.zeros(width, np.int64)
        moved, results, ticks = list[tuple[int, int]](), list[tuple[int, int]](), list[int]()
        for row, begin in zip(rows, begins, strict=True):
            words[begin + _FLOATING : begin + _FLOATING + len(row.floating)] = row.floating
            first = begin + _WHOLE + 2
            words[first : first + len(row.whole)] = row.whole
            moved += [(first + at, row.whole[at]) for at in np.flatnonzero(row.is_offset).tolist()]
            # result and error of each call go to its own first two words
            results += [(begin + _WHOLE, begin + _RESULT), (begin + _WHOLE + 1, begin + _ERROR)]
            ticks += [first + at for at in row.ticks]
        self._moved, self._results = (np.array(pairs, np.int64).reshape(-1, 2) for pairs in (moved, results))
        self._ticks: Ints = np.array(ticks, np.int64)
        self._stale = stale
        self._arena, self._bases = arena.words, (arena.bases, arena.bases_beside, plan.beside)

    def run(self, worlds: Ints, ticks: Ints, ends: Ints, count: int, first: int = 0) -> None:
        """Make ticks in some worlds.

        Args:
            worlds: Their numbers.
            ticks: How many each world has made, counted on, shape (worlds,).
            ends: Why each stands still, shape (worlds,); one that does is left out.
            count: How many ticks; 0 = the calls from `first` on alone, without counting.
            first: Number of the first call.
        """
        program = self._table, self._words, (self._moved, self._results, self._ticks), self._arena, self._stale
        run_worlds(program, self._bases, worlds, (ticks, ends), count, first)


class _Row(NamedTuple):
    """A call as words: its head for the table, whole words and which of them are offsets, floating ones, ticks."""

    head: tuple[int, int, int, int, int, int]
    whole: list[int]
    is_offset: list[bool]
    floating: list[int]
    ticks: list[int]


def _row(step_call: StepCall, plan: ArenaPlan) -> _Row:
    call, end, is_look = step_call
    kernel = None if call.helpers else native(call.kernel, call.arguments)
    if kernel is None:
        name = getattr(call.kernel, "__name__", "a kernel")
        raise EngineCannot(f"{name} cannot be called in a batch of worlds on this machine").advise(
            "Use fewer robots in a world, or processes of their own for several runs: `coopsim sweep`."
        )
    offsets = [_offset(*word, plan) for word in zip(kernel.whole, _pointers(call.arguments), strict=True)]
    whole = [word if offset is None else offset for word, offset in zip(kernel.whole, offsets, strict=True)]
    expected = 0 if call.expects is None else _bits(call.expects)
    head = kernel.address, form_of(kernel), int(end != End.RUNNING), expected, int(end), int(is_look)
    floating = [_bits(value) for value in kernel.floating]
    return _Row(head, whole, [offset is not None for offset in offsets], floating, _ticks(call.arguments))


def _offset(word: int, array: NDArray[Any] | None, plan: ArenaPlan) -> int | None:
    return None if array is None or not array.size else plan.offset_of(word)


def _pointers(arguments: tuple[Any, ...]) -> Iterator[NDArray[Any] | None]:
    """Yield for each whole word of a call the array whose address it is, or None."""
    for argument in flat(arguments):
        if isinstance(argument, np.ndarray):
            # parent, memory info, count and size of items before the address; shape and strides behind it
            yield from (None, None, None, None, argument, *[None] * (2 * argument.ndim))
        elif isinstance(argument, int):
            yield None


def _ticks(arguments: tuple[Any, ...]) -> list[int]:
    """Return where among the whole words the number of the tick belongs."""
    places, at = [], 0
    for argument in flat(arguments):
        if isinstance(argument, TickNumber):
            places.append(at)
        at += 5 + 2 * argument.ndim if isinstance(argument, np.ndarray) else isinstance(argument, int)
    return places


def _bits(value: float) -> int:
    """Return a number as a whole one of the same bits."""
    return int(struct.unpack("q", struct.pack("d" if isinstance(value, float) else "q", value))[0])


@compiled_for_threads
def run_worlds(
    program: _Program, bases: _Bases, worlds: Ints, progress: tuple[Ints, Ints], count: int, first: int
) -> None:
    """Make ticks in some worlds, whose addresses are `bases`; arguments as those of `TickProgram.run`."""
    bases_of_worlds, bases_beside, beside = bases
    table, template, (moved, results, places), arena, stale = program
    (ticks, ends), calls = progress, table.shape[0]
    # of this thread alone
    words = template.copy()
    begin = address(words)
    for k in range(results.shape[0]):
        words[results[k, 0]] = begin + WORD * results[k, 1]
    for index in range(worlds.size):
        world = worlds[index]
        base, base_beside = bases_of_worlds[world], bases_beside[world]
        for k in range(moved.shape[0]):
            words[moved[k, 0]] = moved[k, 1] + (base if moved[k, 1] >= beside else base_beside)
        for tick in range(max(count, 1)):
            if ends[world] != 0:
                break
            # a tick that is no tick, after a reset, has the number of the one before
            ticks[world] += count > 0
            for k in range(places.size):
                words[places[k]] = ticks[world]
            if stale >= 0:
                arena[world, stale] = 1
            for k in range(first, calls):
                if tick + 1 < count and table[k, _IS_LOOK] != 0:
                    continue
                row = table[k, _BEGIN]
                failed = call_of_size(table[k, _FORM], table[k, _ADDRESS], begin + WORD * (row + _FLOATING))
                is_wrong = table[k, _IS_CHECKED] != 0 and words[row + _RESULT] != table[k, _EXPECTED]
                if failed != 0 or is_wrong:
                    ends[world] = table[k, _END] if is_wrong else 1
                    break
    keep(words)
