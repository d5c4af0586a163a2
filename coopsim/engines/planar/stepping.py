"""Steps of a pymunk space in one compiled call: forces in, step, state out.

pymunk's own functions for this look up names and make objects at each call, which takes longer than a step of ten
bodies. Its C functions are the same; here kernels call them, or read and write the bodies themselves (`body_memory`).
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from pymunk import batch
from pymunk._chipmunk_cffi import ffi, lib

from coopsim.engines.planar.body_memory import memory_of, read_bodies, write_forces
from coopsim.engines.planar.space import PlanarSpace
from coopsim.engines.plane.kernels import scatter_wrench
from coopsim.geometry import Floats, Ints
from coopsim.kernels import call_c, compiled
from coopsim.kernels.sequence import KernelCall

_STATE = (
    batch.BodyFields.POSITION | batch.BodyFields.ANGLE | batch.BodyFields.VELOCITY | batch.BodyFields.ANGULAR_VELOCITY
)
_WRENCH = batch.BodyFields.FORCE | batch.BodyFields.TORQUE
ALL_RIGHT = -1
"""What a step returns that was made."""
_SPARE = 16  # numbers; pymunk moves an array to other memory when it is almost full
_FUNCTIONS = (
    "cpSpaceEachBody",
    "cpSpaceStep",
    "pmSpaceBodySetIteratorFuncBatched",
    "pmSpaceBodyGetIteratorFuncBatched",
)
# what `calls` of a stepper holds: addresses of these functions, of the space, and of what is to be written and read
_EACH, _STEP, _SET, _GET, SPACE, FORCES, STATES = range(7)

Space: TypeAlias = tuple[Ints, NDArray[np.int32], Ints, Floats, Floats]
"""Addresses, and what counts the numbers that C hands over; where bodies are, see `body_memory`; forces and states."""


class SpaceStepper:
    """Steps a space whose bodies have their forces and states in our arrays.

    Attributes:
        space: What kernels need to step it.
        forces: Force x, y and torque z of each body, in pymunk's order, shape (n, 3) [N, N m].
        states: x y yaw vx vy w of each body, in pymunk's order, shape (n, 6).
    """

    def __init__(self, space: PlanarSpace, listed: NDArray[np.uintp]) -> None:
        """Prepare the steps of a space; after bodies or constraints have come or gone, make another stepper.

        Args:
            space: The space.
            listed: Addresses of its bodies in the order in which its functions visit them.
        """
        count = listed.size
        lib.cpSpaceStep(space.pointer, 0.0)  # moves nothing: Chipmunk looks over what was added since its last step
        memory = np.zeros(6 * count + _SPARE)
        self.forces: Floats = np.zeros((count, 3))
        self.states: Floats = memory[: 6 * count].reshape(-1, 6)
        arrays = ffi.new("pmFloatArray[2]")
        batches = ffi.new("pmBatchedData[2]")
        unused = ffi.new("pmIntArray *")
        for k, (numbers, fields) in enumerate(((self.forces, _WRENCH), (memory, _STATE))):
            arrays[k].arr, arrays[k].max = ffi.from_buffer("cpFloat[]", numbers), numbers.size
            batches[k].floatArray, batches[k].intArray = ffi.addressof(arrays, k), unused
            batches[k].fields = fields.value
        self._kept = memory, arrays, batches, unused  # C knows their addresses alone
        pointers = [ffi.addressof(lib, name) for name in _FUNCTIONS]
        pointers += [space.pointer, ffi.addressof(batches, 0), ffi.addressof(batches, 1)]
        calls = np.array([int(ffi.cast("uintptr_t", pointer)) for pointer in pointers], np.int64)
        # the first number of each array's head counts what was taken or given
        heads = np.frombuffer(ffi.buffer(arrays), np.int32).reshape(2, -1)
        self.space = calls, heads, memory_of(listed), self.forces, self.states

    def step_call(
        self, wrench: Floats, order: Ints, motion: tuple[Floats, Floats], dt: float, parts: int
    ) -> KernelCall:
        """Return the call that takes the forces out of `wrench`, which becomes 0, and steps.

        It returns the first row whose wrench is not finite or absurdly large, and nothing has moved; else -1.

        Args:
            wrench: Shape (m, 6) [N, N m].
            order: Where pymunk keeps each of its rows, shape (m,).
            motion: x y yaw vx vy w of its rows, shape (m, 6), and where the velocities before the step are noted, shape
                (m, 3).
            dt: Length of each part [s].
            parts: How many steps to make.
        """
        return KernelCall(_step, (self.space, self.forces, wrench, order, motion, dt, parts), ALL_RIGHT)

    def read(self) -> None:
        """Bring `states` up to date."""
        read_states(self.space)


@compiled
def _step(
    space: Space,
    forces: Floats,
    wrench: Floats,
    order: Ints,
    motion: tuple[Floats, Floats],
    dt: float,
    parts: int,
) -> int:
    wrong = scatter_wrench(wrench, order, forces)
    if wrong < 0:
        note_velocities(*motion)
        for _ in range(parts):
            advance(space, dt)
    return wrong


@compiled
def note_velocities(planar: Floats, before: Floats) -> None:
    """Note vx vy w of `planar`, shape (n, 6), in `before`, shape (n, 3)."""
    for row in range(before.shape[0]):
        for axis in range(3):
            before[row, axis] = planar[row, 3 + axis]


@compiled
def sort_states(states: Floats, order: Ints, planar: Floats) -> None:
    """Bring states out of pymunk's order into that of our rows."""
    for row in range(order.size):
        for column in range(planar.shape[1]):
            planar[row, column] = states[order[row], column]


@compiled
def advance(space: Space, dt: float) -> None:
    """Step a space by `dt` [s] with the present forces."""
    calls, heads, memory, forces, _ = space
    if memory.size:
        write_forces(memory, forces)
    else:
        # the first number of the head: how many are filled
        heads[0, 0] = 0
        call_c(calls[_EACH], (calls[SPACE], calls[_SET], calls[FORCES]))
    call_c(calls[_STEP], (calls[SPACE], dt))
    read_states(space)


@compiled
def read_states(space: Space) -> None:
    """Bring the states of a space up to date."""
    calls, heads, memory, _, states = space
    if memory.size:
        read_bodies(memory, states)
    else:
        heads[1, 0] = 0
        call_c(calls[_EACH], (calls[SPACE], calls[_GET], calls[STATES]))
