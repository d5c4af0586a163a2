"""Kernels over many rows in parts that threads claim: a late thread leaves its parts to the others."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from coopsim.geometry import Ints
from coopsim.kernels.compiled import compiled, compiled_for_threads
from coopsim.kernels.native import FLOATING, SIZES, address, call_of_size, form_of, native
from coopsim.kernels.sequence import TICK, KernelCall, lay, tick_positions
from coopsim.kernels.shared_words import store
from coopsim.kernels.sharing import claim
from coopsim.kernels.threads import parts_of

_WORD = 8  # bytes
_BEFORE = 2  # words of a call before its arguments: those for the result and the error
_LINE = 16  # words; what different threads write must not lie side by side


def in_parts(
    kernel: Callable[..., Any],
    rows: int,
    threads: int,
    arguments_of: Callable[[int, int], tuple[Any, ...]],
    *,
    is_few: bool = False,
) -> tuple[KernelCall, ...]:
    """Return the calls that do all rows, a single one where one thread does them alone.

    Args:
        kernel: Does rows, each with the same bits whatever other rows it does; what it returns is not looked at.
        rows: How many there are.
        threads: How many share them, see `KernelThreads.sharing`.
        arguments_of: Returns the arguments of the kernel for the rows from a first to a last one, not included.
        is_few: Whether there is one part for each thread, since each part has work of its own to do.
    """
    count = threads if is_few or threads == 1 else len(parts_of(rows, threads))
    ends = [rows * part // count for part in range(count + 1)]
    parts = [arguments_of(first, last) for first, last in pairwise(ends)] if threads > 1 else []
    kernels = [kernel for kernel in (native(kernel, arguments) for arguments in parts) if kernel is not None]
    # where a kernel cannot be called by its address, nor can the whole tick
    if not kernels:
        return (KernelCall(kernel, arguments_of(0, rows)),)
    form, claims = form_of(kernels[0]), np.zeros(1, np.int64)
    width = -(-(_BEFORE + FLOATING + SIZES[form]) // _LINE) * _LINE
    table = np.zeros((len(parts), width), np.int64)
    for words, part in zip(table, kernels, strict=True):
        lay(words, part)
    ticks = np.array([_BEFORE + at for at in tick_positions(parts[0])], np.int64)
    arguments = claims, (form, kernels[0].address), table, ticks, TICK
    shared = KernelCall(_do_parts, arguments, expects=0, helpers=threads - 1, kept=parts)
    return KernelCall(begin_parts, (claims,)), shared


@compiled
def begin_parts(claims: Ints) -> None:
    """Let all parts be claimed anew, before a kernel is shared."""
    claims[:] = 0


@compiled_for_threads
def _do_parts(claims: Ints, call: tuple[int, int], table: Ints, ticks: Ints, tick: int) -> int:
    """Call a kernel for each part that is claimed; return how many of these calls failed.

    Args:
        claims: How many parts are claimed, shape (1,).
        call: Form of call of the kernel, and its address.
        table: Words of the call of each part.
        ticks: Which of these words are the number of the tick.
        tick: That number.
    """
    count, failed = table.shape[0], 0
    while True:
        part, _, _ = claim(claims, count, count)
        if part == count:
            return failed
        words = address(table) + _WORD * part * table.shape[1]
        for k in range(ticks.size):
            store(words + _WORD * ticks[k], tick)
        failed += call_of_size(call[0], call[1], words + _WORD * _BEFORE) != 0
