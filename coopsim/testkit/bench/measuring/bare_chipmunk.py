"""The yardstick of ticks: the discs of workload W in bare Chipmunk, without rays, wheels, programs or records.

Discs of 0.18 m and 8 kg, one per 2 m2 between four walls, drive at 0.4 m/s along headings that now and then turn at
random, and turn round near a wall. A simulator on this engine cannot be faster than that.
"""

import math
import statistics
import time

import numpy as np
import pymunk
from numpy.typing import NDArray
from pymunk import batch
from pymunk._chipmunk_cffi import ffi, lib

from coopsim.geometry import Floats, Ints
from coopsim.kernels import call_c, compiled

_RADIUS, _MASS, _FRICTION, _THICK = 0.18, 8.0, 0.5, 0.2  # as the built-in robot: what is compared is the engine
_SPEED, _STEP, _EDGE = 0.4, 0.01, 0.6  # m/s, s, m; as the crowd of the other side
_LOOK, _TURN, _TURNS = 10, 0.4, 4099
"""Number of steps between two looks at where the discs are, largest turn then [rad], and length of a list of turns."""
_SPARE = 16  # numbers; pymunk moves an array to other memory when it is almost full
_FUNCTIONS = (
    "cpSpaceEachBody",
    "cpSpaceStep",
    "pmSpaceBodySetIteratorFuncBatched",
    "pmSpaceBodyGetIteratorFuncBatched",
)
_EACH, _ADVANCE, _SET, _GET, _SPACE, _VELOCITIES, _PLACES = range(7)


def real_time_factor(count: int, *, seconds: float = 1.0, repeats: int = 5) -> float:
    """Return the simulated seconds per second of CPU time of one core, the median of some repeats.

    Args:
        count: How many discs.
        seconds: CPU time of one repeat.
        repeats: How many repeats.
    """
    discs = Discs(count)
    discs.step(50)
    steps = max(50, int(50 * seconds / max(1e-6, discs.step(50))))
    return _STEP * steps / statistics.median(discs.step(steps) for _ in range(repeats))


class Discs:
    """Discs that wander about in a space of pymunk.

    Args:
        count: How many.

    Attributes:
        places: Position of each disc, shape (n, 2) [m].
        half: Half of the length of the square [m].
    """

    def __init__(self, count: int) -> None:
        self.half = math.sqrt(2 * count) / 2
        self._space, self._random = pymunk.Space(), np.random.default_rng(1)
        turns = self._random.uniform(-_TURN, _TURN, _TURNS)
        self._turns = np.where(self._random.random(_TURNS) < _LOOK / 64.0, turns, 0.0)
        self._add_walls()
        self._add_discs(count)
        self._space.step(0.0)  # moves nothing: pymunk looks over what was added
        self._connect(count)

    def step(self, count: int) -> float:
        """Make some steps; return their CPU time [s]."""
        began = time.thread_time()
        _steps(self._calls, self._heads, self._velocities, self.places, self._turns, max(0.0, self.half - _EDGE), count)
        return time.thread_time() - began

    def _add_walls(self) -> None:
        space, place = self._space, self.half + _THICK / 2
        long = 2 * self.half + 2 * _THICK
        for x, y, width, depth in ((0, place, long, _THICK), (0, -place, long, _THICK)):
            for left, top, wide, deep in ((x, y, width, depth), (y, x, depth, width)):
                corners = [(left + i * wide / 2, top + j * deep / 2) for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
                wall = pymunk.Poly(space.static_body, corners)
                wall.friction = _FRICTION
                space.add(wall)

    def _add_discs(self, count: int) -> None:
        columns = math.ceil(math.sqrt(count))
        cell, index = 2 * self.half / columns, np.arange(count)
        jitter = 0.5 * max(0.0, cell - 0.6)
        grid = np.stack((index % columns, index // columns), axis=1)
        places = -self.half + cell * (grid + 0.5) + self._random.uniform(-jitter, jitter, (count, 2))
        for x, y in places.tolist():
            body = pymunk.Body(_MASS, pymunk.moment_for_circle(_MASS, 0, _RADIUS))
            body.position = x, y
            disc = pymunk.Circle(body, _RADIUS)
            disc.friction = _FRICTION
            self._space.add(body, disc)

    def _connect(self, count: int) -> None:
        """Lend pymunk the memory of velocities and positions."""
        memory = np.zeros(2 * count + _SPARE)
        headings = self._random.uniform(-math.pi, math.pi, count)
        self._velocities = _SPEED * np.stack((np.cos(headings), np.sin(headings), np.zeros(count)), axis=1)
        self.places: Floats = memory[: 2 * count].reshape(-1, 2)
        arrays, batches = ffi.new("pmFloatArray[2]"), ffi.new("pmBatchedData[2]")
        unused = ffi.new("pmIntArray *")
        motion = batch.BodyFields.VELOCITY | batch.BodyFields.ANGULAR_VELOCITY
        for k, (numbers, fields) in enumerate(((self._velocities, motion), (memory, batch.BodyFields.POSITION))):
            arrays[k].arr, arrays[k].max = ffi.from_buffer("cpFloat[]", numbers), numbers.size
            batches[k].floatArray, batches[k].intArray = ffi.addressof(arrays, k), unused
            batches[k].fields = fields.value
        self._kept = memory, arrays, batches, unused  # C knows their addresses alone
        pointers = [ffi.addressof(lib, name) for name in _FUNCTIONS]
        pointers += [self._space._space, ffi.addressof(batches, 0), ffi.addressof(batches, 1)]  # noqa: SLF001
        self._calls = np.array([int(ffi.cast("uintptr_t", pointer)) for pointer in pointers], np.int64)
        self._heads = np.frombuffer(ffi.buffer(arrays), np.int32).reshape(2, -1)


@compiled
def _steps(
    calls: Ints, heads: NDArray[np.int32], velocities: Floats, places: Floats, turns: Floats, edge: float, count: int
) -> None:
    for step in range(count):
        if step % _LOOK == 0:
            heads[1, 0] = 0
            call_c(calls[_EACH], (calls[_SPACE], calls[_GET], calls[_PLACES]))
            for i in range(velocities.shape[0]):
                _turn(velocities[i], places[i], turns[(step + i) % turns.size], edge)
        heads[0, 0] = 0
        call_c(calls[_EACH], (calls[_SPACE], calls[_SET], calls[_VELOCITIES]))
        call_c(calls[_ADVANCE], (calls[_SPACE], _STEP))


@compiled
def _turn(velocity: Floats, place: Floats, angle: float, edge: float) -> None:
    """Turn a disc, and let it turn round where it would leave the square."""
    vx, vy = velocity[0], velocity[1]
    velocity[0] = vx * math.cos(angle) - vy * math.sin(angle)
    velocity[1] = vx * math.sin(angle) + vy * math.cos(angle)
    for axis in range(2):
        if abs(place[axis]) > edge and place[axis] * velocity[axis] > 0.0:
            velocity[axis] = -velocity[axis]
