"""Command rows taken out of shared memory by a compiled call, as `transport.CommandAreas.latch` takes them."""

import numpy as np

from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled
from coopsim.kernels.foreign import floats_at
from coopsim.kernels.native import is_possible
from coopsim.kernels.sequence import KernelCall, make_ready
from coopsim.kernels.shared_words import fence, load
from coopsim.state import Layout
from coopsim.transport import Ring

NOT_YET, TAKEN, BUSY = range(3)
"""Whether the host has begun with a generation, its rows were taken, or it is writing at this moment."""
_VERSION, _GENERATION, _ROWS, _WANTED = range(4)
_WORD = 8  # bytes


def kernel_ready() -> None:
    """Have the kernel compiled, so that no tick waits for that."""
    place, rows = np.zeros(_WANTED + 1, np.int64), np.zeros(1)
    make_ready(KernelCall(copy_rows, (place, rows, rows)))


def rows_address(ring: Ring, layout: Layout) -> Ints | None:
    """Return where `copy_rows` finds the rows of a layout, None where it cannot be called or they have no room."""
    if not is_possible() or not hasattr(copy_rows, "py_func") or layout.command_size > ring.command_capacity:
        return None
    kernel_ready()
    memory = ring.addresses(layout.generation)
    words = (memory.words + _WORD * memory.places[name] for name in ("version", "generation"))
    return np.array([*words, memory.rows, layout.generation], np.int64)


@compiled
def copy_rows(place: Ints, spare: Floats, out: Floats) -> int:
    """Copy command rows into `out`, all of them or nothing.

    Args:
        place: What `rows_address` returns.
        spare: Memory for them, as much as `out`.
        out: Where they go.

    Returns:
        `TAKEN`; `NOT_YET` or `BUSY`, and `out` is untouched.
    """
    before = load(place[_VERSION])
    # a sequence lock: the host makes the version odd while it writes
    if before & 1:
        return BUSY
    if load(place[_GENERATION]) != place[_WANTED]:
        return NOT_YET
    rows = floats_at(place[_ROWS], spare.size)
    for k in range(spare.size):
        # first to other memory: what is torn must never reach the commands
        spare[k] = rows[k]
    fence()
    # it wrote in between, so that these rows may be of two writes
    if load(place[_VERSION]) != before:
        return BUSY
    for k in range(spare.size):
        out[k] = spare[k]
    return TAKEN
