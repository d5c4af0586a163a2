"""Detector of coloured targets and other robots, without any image.

Source: CoopDynSim, section III-A (vision is not emulated: the target module gives distance and angular displacement
to a coloured marker or another robot).
"""

import math
from typing import Any

import numpy as np
import xxhash
from numpy.typing import NDArray

from coopsim.devices import _view
from coopsim.devices.calls import CallableWorld, DeviceCalls
from coopsim.devices.contract import DeviceContext, SensingWorld
from coopsim.devices.noise import normal, normal_calls
from coopsim.devices.sampled import Sampled
from coopsim.errors import BadArgument
from coopsim.features.sensors.directions import ARCS, directions_to
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import TARGET, columns
from coopsim.interfaces.target import ROBOT_SLOTS, WHOLE
from coopsim.kernels import compiled, inlined
from coopsim.kernels.angles import wrapped
from coopsim.kernels.lanes import LANES
from coopsim.kernels.native import address, borrowed, keep
from coopsim.kernels.parts import in_parts
from coopsim.kernels.threads import THREADS

_COLUMN = columns(TARGET)
_LIMITS = [_COLUMN.reach, _COLUMN.field, _COLUMN.occlusion]
_BYTES = 8  # of a number
_GROUP = 16  # robots whose slots are computed together: what was just written is read more slowly
_MANY = 1500  # robots, from which on several cores are faster: what they see takes 200 us to write
_EMPTY = -1  # no robot has this index


class Target(Sampled):
    """Distance and angle to coloured targets, then to other robots.

    Distances are measured on the floor from centre to centre, angles from the robot's heading, counter-clockwise,
    within -pi and pi. A slot holds (distance, angle, 1), or (reach, 0, 0) for what is not seen: what lies beyond reach,
    outside the field of view, or, with `occlusion`, behind something. A robot named in the parameter `robots` keeps its
    slot, seen or not; the nearest ones that are seen change places.

    Attributes:
        memory: See `Sampled`; the first column of `held` says of which robots and targets the readings are.
    """

    interface = TARGET
    held_at = 2

    def __init__(self, context: DeviceContext) -> None:
        n, slots = len(context.robots), len(context.targets) + ROBOT_SLOTS
        super().__init__(context, width=3 * slots + ROBOT_SLOTS)
        self.labels = context.targets
        self.counts = {"targets": 3 * len(context.targets)}
        self._occupants = np.full((n, ROBOT_SLOTS), _EMPTY, np.int64)
        self._deviates = np.zeros((n, 2 * slots))
        self._choosers = np.zeros(0, np.int64)
        self._robots: tuple[str, ...] = ()
        self._is_noisy = self._is_limited = False
        self._limits = self.table[_LIMITS]
        self._population = 0.0
        for row in range(n):
            self._named(row)

    def changed(self, row: int, name: str) -> None:
        """Handle a changed parameter of one robot.

        Raises:
            BadArgument: `robots` names more than there are slots, or someone who is not in the simulation.
        """
        super().changed(row, name)
        if name == "robots":
            unknown = [robot_name for robot_name in self._named(row) if self._robots and robot_name not in self._robots]
            if unknown:
                robot_names = ", ".join(self._robots)
                raise BadArgument(f"robots: there is no {', '.join(unknown)}; the robots are: {robot_names}")

    def sense(self, world: SensingWorld, tick: int, out: Floats) -> None:
        """Write the slots of the targets and of the robots, then who is in the latter, shape (n, 3 m + 32)."""
        self.is_stale |= world.robot_names is not self._robots
        super().sense(world, tick, out)

    def sense_calls(self, world: CallableWorld, out: Floats) -> DeviceCalls | None:
        """Return what `sense` comes to, None where rows take turns or other robots are there than before."""
        return super().sense_calls(world, out) if world.robot_names is self._robots else None

    def measure_calls(self, world: CallableWorld, out: Floats) -> DeviceCalls | None:
        """Return what `measure` of all rows comes to, if all see the nearest, or none, and nothing hides targets."""
        has_names = self._choosers.size < self.rows.size
        if (has_names and self._choosers.size) or (self._is_limited and (has_names or self.labels)):
            return None
        calls: DeviceCalls | None = DeviceCalls(())
        if self._is_limited:
            calls = world.nearest_seen_calls(self.rows, self._limits, self._occupants)
        elif self._choosers.size:
            calls = world.nearest_calls(self.rows, self.table[_COLUMN.reach], self._occupants)
        noise = normal_calls(self.keys, self._deviates) if self._is_noisy else ()
        world_arrays = world.target_positions, world.robot_bodies, ARCS
        seen = world_arrays, self._occupants, self.table, self._deviates, out

        def part(first: int, last: int) -> tuple[Any, ...]:
            return world.bodies.planar, (self.rows, first, last), *seen

        n = self.rows.size
        return calls and calls.followed_by(*noise, *in_parts(_see, n, THREADS.sharing(n, _MANY), part), source=self)

    def hold(self, world: SensingWorld, tick: int, out: Floats) -> None:
        """Write the last readings; where they speak of others than now, look anew."""
        self.memory["held"][self._of_others(), 1] = 0.0
        super().hold(world, tick, out)

    def receive(self, world: SensingWorld, tick: int, out: Floats) -> None:
        """Write what has come; what speaks of others than now is dropped, also on its way."""
        held_by_others = self._of_others()
        for name in ("fix", "under_way"):
            self.memory[name][held_by_others] = 0.0
        super().receive(world, tick, out)

    def measure(self, world: SensingWorld, tick: int, rows: Ints | None, out: Floats) -> None:
        """Write what robots see."""
        if rows is None:
            self._detect(world, tick, self.rows, self.table, out, None)
        else:
            self._detect(world, tick, self.rows[rows], np.take(self.table, rows, axis=1), out, rows)

    def _of_others(self) -> NDArray[np.bool_]:
        """Return whose readings are of other robots and targets than there are, and note that they will not be."""
        held = self.memory["held"]
        held_by_others: NDArray[np.bool_] = held[:, 0] != self._population
        held[:, 0] = self._population
        return held_by_others

    def _detect(
        self, world: SensingWorld, tick: int, rows: Ints, table: Floats, out: Floats, which: Ints | None
    ) -> None:
        occupants = self._occupants if which is None else self._occupants[which]
        if self._choosers.size == self.rows.size:
            self._choose(world, rows, table, occupants)
        elif self._choosers.size:
            # robots that name their slots keep them; the others see the nearest
            among = self._choosers if which is None else np.flatnonzero(np.isin(which, self._choosers))
            nearest = np.empty((among.size, ROBOT_SLOTS), np.int64)
            self._choose(world, rows[among], np.take(table, among, axis=1), nearest)
            occupants[among] = nearest
        deviates = self._deviates
        if self._is_noisy:
            keys = self.keys if which is None else self.keys[which]
            normal(keys, tick, deviates[: rows.size])
        world_arrays = world.target_positions, world.robot_bodies, ARCS
        _see(world.bodies.planar, (rows, 0, rows.size), world_arrays, occupants, table, deviates, out)
        if self._is_limited:
            # who was chosen is seen
            has_names = self._choosers.size < self.rows.size
            self._hide(world, rows, table[_LIMITS], occupants if has_names else occupants[:, :0], out)

    def _choose(self, world: SensingWorld, rows: Ints, table: Floats, out: Ints) -> None:
        if self._is_limited:
            world.nearest_seen(rows, table[_LIMITS], out)
        else:
            world.nearest_robots(rows, table[_COLUMN.reach], out)

    def _hide(self, world: SensingWorld, rows: Ints, limits: Floats, occupants: Ints, out: Floats) -> None:
        """Blank what the cameras do not see, of robots those in `occupants`."""
        if not (self.labels or occupants.size):
            return
        places, owners = _view.positions_of(world, world.target_positions, occupants)
        _view.blank(_view.visible(world, rows, limits, places, owners), limits[0], out)

    def _named(self, row: int) -> list[str]:
        names = str(self.parameters["robots"][row]).replace(",", " ").split()
        if len(names) > ROBOT_SLOTS:
            raise BadArgument(f"robots takes at most {ROBOT_SLOTS} names, got {len(names)}: {' '.join(names)}")
        return names

    def refresh(self, world: SensingWorld) -> None:
        """Renew what follows from parameters and from who is there."""
        super().refresh(world)
        self._robots = world.robot_names
        self._population = float(xxhash.xxh32_intdigest("\0".join((*self.labels, "", *self._robots)).encode()))
        self._is_noisy = bool(self.table[_COLUMN.noise_distance : _COLUMN.noise_angle + 1].any())
        self._is_limited = bool(((self.table[_COLUMN.field] < WHOLE) | (self.table[_COLUMN.occlusion] > 0)).any())
        self._limits = np.ascontiguousarray(self.table[_LIMITS])
        self._assign_slots(world)

    def _assign_slots(self, world: SensingWorld) -> None:
        index = {name: place for place, name in enumerate(world.robot_names)}
        bodies = world.robot_bodies
        self._occupants[:] = _EMPTY
        choosers = []
        for row, body in enumerate(self.rows.tolist()):
            names = self._named(row)
            if not names:
                choosers.append(row)
            for slot, name in enumerate(names):
                # a robot that is not there (yet), or the looking one itself, leaves its slot empty
                place = index.get(name, _EMPTY)
                self._occupants[row, slot] = place if place >= 0 and bodies[place] != body else _EMPTY
        self._choosers = np.array(choosers, np.int64)


@compiled
def _see(
    planar: Floats,
    lookers: tuple[Ints, int, int],
    others: tuple[Floats, Ints, Floats],
    occupants: Ints,
    table: Floats,
    deviates: Floats,
    out: Floats,
) -> None:
    """Write the slots of robots, from a first to a last one, not included.

    With the others come the arcs of `directions`.
    """
    rows, begin, end = lookers
    planar, occupants, table = borrowed(planar), borrowed(occupants), borrowed(table)
    deviates, out = borrowed(deviates), borrowed(out)
    targets, robots, arcs = borrowed(others[0]), borrowed(others[1]), others[2]
    slots = targets.shape[0] + occupants.shape[1]
    numbers, listed = np.empty((3, _GROUP * slots + LANES)), np.empty(_GROUP * slots + LANES, np.int64)
    room, unclear = borrowed(numbers), borrowed(listed)
    wide, at_arcs = _BYTES * room.shape[1], address(arcs)
    places = address(room), address(room) + wide, address(room) + 2 * wide
    columns = *places, at_arcs, at_arcs + _BYTES * arcs.shape[1], address(unclear)
    for first in range(begin, end, _GROUP):
        last = min(first + _GROUP, end)
        for i in range(first, last):
            _write_places(planar, rows[i], (targets, robots), occupants[i], (i - first) * slots, room)
            for place in range(occupants.shape[1]):
                out[i, 3 * slots + place] = occupants[i, place]
        for k in range(directions_to(0, (last - first) * slots, columns, (), 0)):
            at = unclear[k]
            room[2, at] = math.atan2(room[1, at], room[0, at])
        for i in range(first, last):
            _write_slots(i, slots, planar[rows[i], 2], (room, table, deviates), (i - first) * slots, out)
    keep(numbers)
    keep(listed)


@inlined
def _write_places(
    planar: Floats, row: int, others: tuple[Floats, Ints], occupants: Ints, at: int, room: Floats
) -> None:
    """Write how far along x and y the targets and the occupants of a robot's slots are, from one place on [m]."""
    (targets, robots), x, y = others, planar[row, 0], planar[row, 1]
    for k in range(targets.shape[0]):
        room[0, at + k], room[1, at + k] = targets[k, 0] - x, targets[k, 1] - y
    at += targets.shape[0]
    for k in range(occupants.shape[0]):
        # nobody is within no reach
        room[0, at + k], room[1, at + k] = math.nan, 0.0
        if occupants[k] >= 0:
            body = robots[occupants[k]]
            room[0, at + k], room[1, at + k] = planar[body, 0] - x, planar[body, 1] - y


@inlined
def _write_slots(i: int, slots: int, heading: float, seen: tuple[Floats, Floats, Floats], at: int, out: Floats) -> None:
    """Write (distance, angle, seen) of all slots of a robot, from what was written at a place and computed of it."""
    room, table, deviates = seen
    reach, noise = table[_COLUMN.reach, i], (table[_COLUMN.noise_distance, i], table[_COLUMN.noise_angle, i])
    for slot in range(slots):
        dx, dy = room[0, at + slot], room[1, at + slot]
        distance = math.sqrt(dx * dx + dy * dy)
        is_seen = distance <= reach
        distance += noise[0] * deviates[i, 2 * slot]
        angle = room[2, at + slot] - heading + noise[1] * deviates[i, 2 * slot + 1]
        out[i, 3 * slot] = min(reach, max(0.0, distance)) if is_seen else reach
        out[i, 3 * slot + 1] = wrapped(angle) if is_seen else 0.0
        out[i, 3 * slot + 2] = 1.0 if is_seen else 0.0
