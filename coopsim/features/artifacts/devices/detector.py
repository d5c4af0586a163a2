"""Detectors of artifacts: the nearest ones that carry a device of a kind, where they are, and what that device reads.

Source: SwarmSimX, section 2.2 (sensors reach all artifacts and their sensors through the environment).
"""

import math
from typing import ClassVar, NamedTuple

import numpy as np
import xxhash
from numpy.typing import NDArray

from coopsim.devices.contract import DeviceContext, SensingWorld
from coopsim.devices.far_ports import Board
from coopsim.devices.sampled import Sampled
from coopsim.features.artifacts.detector_interface import DETECTOR, SIGHTING
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import columns
from coopsim.kernels import compiled
from coopsim.kernels.angles import wrapped

_COLUMN = columns(DETECTOR)
_DISTANCE, _ANGLE, _HEIGHT, _SEEN = range(len(SIGHTING))


class _Carriers(NamedTuple):
    """Artifacts with a device of one kind.

    Attributes:
        bodies: Rows of their bodies, shape (k,).
        robots: Their indices among all robots, shape (k,).
        readings: Places of the first readings of the device among those of all robots, -1 = none, shape (k, values).
    """

    bodies: Ints
    robots: Ints
    readings: Ints


class Detector(Sampled):
    """Distance, angle, height and state of the nearest artifacts that have a device of a kind.

    Distances are measured on the floor from centre to centre, angles from the heading, counter-clockwise, as those of
    `target`; heights between both bases. An empty slot is (reach, 0, 0, 0), its artifact -1 and its state 0.

    Attributes:
        commanded: Nobody: it names others and commands none.
        memory: See `Sampled`; `population` says of which artifacts the measurements under way are.
    """

    interface = DETECTOR
    commanded: ClassVar[frozenset[str]] = frozenset()
    _board: Board

    def __init__(self, context: DeviceContext) -> None:
        self._slots, self._values = int(context.settings["slots"]), int(context.settings["values"])
        slots = self._slots
        super().__init__(context, width=slots * (len(SIGHTING) + 1 + self._values))
        self.counts = {"detections": slots * len(SIGHTING), "slots": slots, "states": slots * self._values}
        self._robots: tuple[str, ...] = ()
        self._carriers: list[_Carriers] = []
        self._group: Ints = np.zeros(self.rows.size, np.int64)
        self._population, self._is_noisy = 0.0, False
        if self.is_timed:
            self.memory["population"] = np.zeros((self.rows.size, 1))

    def reach(self, board: Board) -> None:
        """Note where the readings of all others are."""
        self._board, self.is_stale = board, True

    def refresh(self, world: SensingWorld) -> None:
        """Renew who is looked for."""
        super().refresh(world)
        self._robots = world.robot_names
        self._population = float(xxhash.xxh32_intdigest("\0".join(self._robots).encode()))
        self._is_noisy = bool(self.table[_COLUMN.noise_distance : _COLUMN.noise_angle + 1].any())
        kinds = [str(kind) for kind in self.parameters["kind"]]
        looked_for = sorted(set(kinds))
        self._group = np.array([looked_for.index(kind) for kind in kinds], np.int64)
        self._carriers = [self._carriers_of(kind, world) for kind in looked_for]

    def sense(self, world: SensingWorld, tick: int, out: Floats) -> None:
        """Write what can be read now: sightings, artifacts and states of the slots, nearest first, shape (n, width)."""
        self.is_stale |= world.robot_names is not self._robots
        super().sense(world, tick, out)

    def receive(self, world: SensingWorld, tick: int, out: Floats) -> None:
        """Write what has come; what speaks of other artifacts than there are now is dropped, also on its way."""
        population = self.memory["population"]
        of_others = population[:, 0] != self._population
        for name in ("fix", "under_way"):
            self.memory[name][of_others] = 0.0
        population[:] = self._population
        super().receive(world, tick, out)

    def measure(self, world: SensingWorld, tick: int, rows: Ints | None, out: Floats) -> None:
        """Write what robots see now, kind by kind."""
        which = self.every if rows is None else rows
        deviates = self.deviates(which, tick, is_noisy=self._is_noisy)
        for group, carriers in enumerate(self._carriers):
            places = np.flatnonzero(self._group[which] == group)
            looking = which[places]
            bodies, table = self.rows[looking], np.ascontiguousarray(self.table[:, looking])
            positions = np.empty((looking.size, carriers.bodies.size, 2))
            seen = np.empty(positions.shape[:2], np.bool_)
            _within(world.bodies.planar, bodies, table, carriers.bodies, positions, seen)
            _clear_hidden(world, bodies, table, carriers.bodies, positions, seen)
            # a place of -1 reads the last number of all, and is 0 in its stead
            states = np.where(carriers.readings < 0, 0.0, self._board.readings[carriers.readings])
            written, motion = np.empty((looking.size, self.width)), (world.bodies.planar, world.bodies.height)
            _write(motion, bodies, table, carriers, (seen, states, deviates[places], self._slots), written)
            out[places] = written

    def _carriers_of(self, kind: str, world: SensingWorld) -> _Carriers:
        index = {name: place for place, name in enumerate(world.robot_names)}
        carriers = [carrier for carrier in self._board.carriers(kind) if carrier[0] in index]
        robots = np.array([index[name] for name, _, _ in carriers], np.int64)
        readings = np.full((len(carriers), self._values), -1, np.int64)
        for row, (_, begin, width) in zip(readings, carriers, strict=True):
            count = min(width, self._values)
            row[:count] = np.arange(begin, begin + count)
        return _Carriers(np.ascontiguousarray(world.robot_bodies[robots], np.int64), robots, readings)


def _clear_hidden(
    world: SensingWorld, rows: Ints, table: Floats, bodies: Ints, positions: Floats, seen: NDArray[np.bool_]
) -> None:
    """Clear what stands behind something, of those that do not look through things."""
    some = np.flatnonzero(table[_COLUMN.occlusion])
    if some.size and bodies.size:
        part, looked_at = seen[some], np.repeat(bodies[np.newaxis], some.size, axis=0)
        world.sight_lines(rows[some], positions[some], looked_at, part)
        seen[some] = part


@compiled
def _within(
    planar: Floats, rows: Ints, table: Floats, bodies: Ints, positions: Floats, seen: NDArray[np.bool_]
) -> None:
    """Write where the bodies are, and which lie within reach and field of view.

    Args:
        planar: Of all bodies, shape (m, 6).
        rows: Bodies that look, shape (n,).
        table: Their parameters, shape (p, n).
        bodies: Bodies that are looked for, shape (k,).
        positions: Shape (n, k, 2) [m].
        seen: Shape (n, k).
    """
    for i in range(rows.size):
        x, y, heading = planar[rows[i], 0], planar[rows[i], 1], planar[rows[i], 2]
        half = 0.5 * table[_COLUMN.field, i]
        for k in range(bodies.size):
            positions[i, k, 0], positions[i, k, 1] = planar[bodies[k], 0], planar[bodies[k], 1]
            dx, dy = positions[i, k, 0] - x, positions[i, k, 1] - y
            distance = math.sqrt(dx * dx + dy * dy)
            is_ahead = half >= math.pi or distance == 0.0 or abs(wrapped(math.atan2(dy, dx) - heading)) <= half
            seen[i, k] = bodies[k] != rows[i] and distance <= table[_COLUMN.reach, i] and is_ahead


@compiled
def _nearest(pose: Floats, planar: Floats, bodies: Ints, seen: NDArray[np.bool_]) -> int:
    """Return the nearest one that is seen, the first of several, -1 where there is none."""
    nearest, least = -1, math.inf
    for k in range(bodies.size):
        dx, dy = planar[bodies[k], 0] - pose[0], planar[bodies[k], 1] - pose[1]
        if seen[k] and dx * dx + dy * dy < least:
            nearest, least = k, dx * dx + dy * dy
    return nearest


@compiled
def _write(
    motion: tuple[Floats, Floats],
    rows: Ints,
    table: Floats,
    carriers: _Carriers,
    measured: tuple[NDArray[np.bool_], Floats, Floats, int],
    out: Floats,
) -> None:
    """Write sightings, artifacts and states of all slots; `seen` is used up.

    Args:
        motion: Of all bodies in the plane, shape (m, 6), and their heights, shape (m,).
        rows: Bodies that look, shape (n,).
        table: Their parameters, shape (p, n).
        carriers: Who is looked for.
        measured: Who is seen, shape (n, k); states, shape (k, values); normal numbers as `out`; how many slots.
        out: Shape (n, width).
    """
    planar, height = motion
    seen, states, deviates, slots = measured
    artifacts, values = slots * 4, states.shape[1]
    for i in range(rows.size):
        pose, reach = planar[rows[i]], table[_COLUMN.reach, i]
        for slot in range(slots):
            at, state = 4 * slot, artifacts + slots + slot * values
            out[i, at : at + 4], out[i, at + _DISTANCE] = 0.0, reach
            out[i, artifacts + slot], out[i, state : state + values] = -1.0, 0.0
            k = _nearest(pose, planar, carriers.bodies, seen[i])
            if k < 0:
                continue
            seen[i, k] = False
            body = carriers.bodies[k]
            dx, dy = planar[body, 0] - pose[0], planar[body, 1] - pose[1]
            distance = math.sqrt(dx * dx + dy * dy) + table[_COLUMN.noise_distance, i] * deviates[i, at]
            angle = math.atan2(dy, dx) - pose[2] + table[_COLUMN.noise_angle, i] * deviates[i, at + 1]
            out[i, at + _DISTANCE], out[i, at + _ANGLE] = min(reach, max(0.0, distance)), wrapped(angle)
            out[i, at + _HEIGHT], out[i, at + _SEEN] = height[body] - height[rows[i]], 1.0
            out[i, artifacts + slot], out[i, state : state + values] = carriers.robots[k], states[k]
