"""Records that hold arrays alone, which nearly all do, written by compiled calls: the same bytes in less time."""

import struct
import time
from collections.abc import Sequence
from operator import is_
from typing import TYPE_CHECKING, Any

import numpy as np

from coopsim.errors import InternalError
from coopsim.geometry import Floats, Ints
from coopsim.kernels.sequence import KernelCall, make_ready
from coopsim.kernels.xxh3 import hash_functions
from coopsim.simulation import record_kernels as kernel
from coopsim.simulation.hashing import HashedRows, StateHash
from coopsim.simulation.pacing import Lateness
from coopsim.simulation.records import Timing, header_of
from coopsim.simulation.simulation import Simulation

if TYPE_CHECKING:
    from coopsim.transport import Ring

_CHANGING = struct.Struct(f"{kernel.IS_SHOWN + 1}q")


def kernels_ready() -> tuple[Ints, Ints, Ints | None]:
    """Have the kernels compiled, so that no tick waits for that.

    Returns:
        Memory for what they call plan and facts, and `hash_functions`.
    """
    plan, facts, functions = np.zeros(kernel.PLAN, np.int64), np.zeros(kernel.FACTS, np.int64), hash_functions()
    if functions is not None:
        hashed = HashedRows.none()
        make_ready(KernelCall(kernel.begin, (plan, facts)))
        make_ready(KernelCall(kernel.finish, (plan, facts, functions, hashed.table, hashed.order)))
    return plan, facts, functions


class PlainRecords:
    """Writes the next record of a simulation where it has neither edits nor a key frame, and need not carry the layout.

    Args:
        simulation: Whose state it is.
        ring: Where records go.
        lateness: Counters for the header.

    Attributes:
        size: Bytes of a record, once `is_ready` was asked.
    """

    def __init__(self, simulation: Simulation, ring: "Ring", lateness: Lateness) -> None:
        self._simulation, self._ring, self._lateness = simulation, ring, lateness
        self._hashing: StateHash | None = None
        self._made_for: tuple[int, Timing] = -1, Timing()
        self._header = b""
        self._plan, self._facts, functions = kernels_ready()
        self._is_possible = functions is not None
        self._functions = np.zeros(0, np.int64) if functions is None else functions
        self._bodies: dict[int, tuple[Floats | None, Floats]] = {}
        self._arrays: Sequence[Any] = ()
        self._hashed = HashedRows.none()
        self.size = 0

    def is_ready(self, timing: Timing) -> bool:
        """Return whether a record can be written so, as time goes on now."""
        if not self._is_possible or timing.paused or timing.ended:
            return False
        simulation = self._simulation
        # the hash is made anew wherever bodies, devices or engine are
        if simulation.hashing is not self._hashing or (simulation.step_ns, timing) != self._made_for:
            self._begin_anew(timing)
            self._hashing, self._made_for = simulation.hashing, (simulation.step_ns, timing)
        return True

    def begin(self, revision: int, *, is_shown: bool) -> bool:
        """Write header and readings, and let them be seen where that is wanted; `finish` must follow.

        Args:
            revision: Of the record.
            is_shown: Whether readers may see the readings before the rest of the record.

        Returns:
            False, and nothing is written, where the layout is due, or bodies are no longer finite.
        """
        simulation, lateness = self._simulation, self._lateness
        self._follow(kernel.PLANAR, simulation.engine.planar)
        changing = (
            simulation.tick_count,
            revision,
            simulation.time_ns,
            time.monotonic_ns(),
            lateness.overruns,
            lateness.max_ns,
            lateness.slipped_ns,
            self._ring.plain_until,
            is_shown,
        )
        # packed by one call: numpy makes an object of each number that is assigned
        _CHANGING.pack_into(self._facts.data, 0, *changing)
        return bool(kernel.begin(self._plan, self._facts))

    def finish(self) -> None:
        """Write the rest of the record that was begun.

        Raises:
            InternalError: The engine gives too few numbers, or too many.
        """
        engine, hashing = self._simulation.engine, self._simulation.hashing
        self._follow(kernel.POSES, engine.poses)
        self._follow(kernel.TWISTS, engine.twists)
        arrays = hashing.arrays()
        if len(arrays) != len(self._arrays) or not all(map(is_, arrays, self._arrays)):
            self._hashed = hashing.rows(arrays)
            self._arrays = arrays if self._hashed.lasts else ()
        kernel.finish(self._plan, self._facts, self._functions, self._hashed.table, self._hashed.order)

    def _begin_anew(self, timing: Timing) -> None:
        """Note what stays the same from now on."""
        simulation, plan = self._simulation, self._plan
        header = header_of(simulation, 0, timing, self._lateness, b"", is_hashed=False)
        self.size, self._header = header.size, header.pack()
        memory = self._ring.addresses(simulation.layout.generation)
        plan[[kernel.WORDS, kernel.RING, kernel.RING_BYTES]] = memory.words, memory.ring, memory.ring_size
        plan[kernel.HEADER] = np.frombuffer(self._header, np.int64).ctypes.data
        plan[kernel.READINGS] = simulation.readings.ctypes.data
        plan[kernel.COMMANDS] = simulation.commands.ctypes.data
        plan[[kernel.SIZE, kernel.BODIES]] = header.size, header.bodies
        plan[[kernel.READING_COUNT, kernel.COMMAND_COUNT]] = header.readings, header.commands
        self._bodies, self._arrays = {}, ()

    def _follow(self, place: int, array: Floats) -> None:
        """Note where the numbers of the bodies are now; what does not lie in one piece is copied, each time anew."""
        body = self._bodies.get(place)
        if body is not None and body[0] is array:
            return
        dense, bodies = np.ascontiguousarray(array, np.float64), int(self._plan[kernel.BODIES])
        if dense.size != kernel.WIDTHS[place] * bodies:
            raise InternalError(f"the engine gives {dense.size} numbers of {bodies} bodies")
        self._plan[place] = dense.ctypes.data
        # both are kept: the kernel knows addresses alone
        self._bodies[place] = array if dense is array else None, dense
