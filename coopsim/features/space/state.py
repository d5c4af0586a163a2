"""State of bodies in space, by row, apart from any model: kept while a model is made anew."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

import numpy as np

from coopsim.engines.plane.checks import checked_state
from coopsim.engines.plane.footprints import FARTHEST
from coopsim.engines.rotations import Quaternion, back, plus, times, turned, unit
from coopsim.errors import BadArgument
from coopsim.features.space.kernels import FLYING, NEVER, QUIET
from coopsim.features.space.solids import Solid
from coopsim.geometry import Floats, Ints, Vector3, heading

_UPRIGHT, _ON_FLOOR = 1e-9, 1e-6  # 1, m: what rounding leaves of a robot that was put on its feet


@dataclass(eq=False)
class SpatialState:
    """State of everything that moves; of the centres of mass.

    Attributes:
        names: Whose the rows are.
        positions: Place and quaternion, shape (n, 7).
        velocities: In the world's frame, angular ones in the frame of the body, shape (n, 6).
        pushes: Accelerations of the last step, from which the solver starts, shape (n, 6).
        rest: Steps for which each has stood still on its feet, -1 = it never rests, -2 = nor is its velocity
            that of half a step before, as contacts want it, -3 and less = it has lain still on the floor for one step
            and more, up to `LYING`; shape (n,).
        wrench: Forces that wait for the next step, shape (n, 6).
    """

    names: tuple[str, ...]
    positions: Floats
    velocities: Floats
    pushes: Floats
    rest: Ints
    wrench: Floats

    @classmethod
    def of(cls, solids: Iterable[Solid]) -> "SpatialState":
        """Return bodies where they were described, at rest."""
        solids = list(solids)
        count = len(solids)
        positions = np.array([_middle(solid.spec.pose, solid.centre) for solid in solids], np.float64).reshape(-1, 7)
        names, rest = tuple(solid.spec.name for solid in solids), np.full(count, FLYING, np.int64)
        return cls(names, positions, np.zeros((count, 6)), np.zeros((count, 6)), rest, np.zeros((count, 6)))

    def rows_of(self, rows: Sequence[int]) -> "SpatialState":
        """Return these rows, in this order."""
        order = np.array(rows, np.int64)
        arrays = {field.name: getattr(self, field.name)[order] for field in fields(self) if field.name != "names"}
        return SpatialState(tuple(self.names[row] for row in rows), **arrays)

    def joined(self, other: "SpatialState") -> "SpatialState":
        """Return all rows of both."""
        names = [field.name for field in fields(self) if field.name != "names"]
        arrays = {name: np.concatenate([getattr(self, name), getattr(other, name)]) for name in names}
        return SpatialState((*self.names, *other.names), **arrays)

    def put_planar(self, rows: Ints, planar: Floats, centres: Floats) -> None:
        """Put bodies elsewhere at the same height and tilt.

        Args:
            rows: Shape (k,).
            planar: x y yaw vx vy w, shape (k, 6).
            centres: Centre of mass in the frame of each body, shape (n, 3) [m].
        """
        for row, (x, y, yaw, vx, vy, w) in zip(rows.tolist(), planar.tolist(), strict=True):
            centre, (_, _, high, *rotation) = _vector(centres[row]), self.positions[row].tolist()
            turn = _turned_to(yaw, unit(_quaternion(rotation)))
            base = high - turned(_quaternion(rotation), centre)[2]
            self.positions[row] = _middle((x, y, base, *turn), centre)
            self.velocities[row] = (vx, vy, 0.0, *turned(back(turn), (0.0, 0.0, w)))
        self._begin_anew(rows)

    def put(self, rows: Ints, poses: Floats, twists: Floats, centres: Floats) -> None:
        """Put bodies elsewhere in space.

        Args:
            rows: Shape (k,).
            poses: Of the bases, shape (k, 7).
            twists: Velocities of the centres of mass in the world's frame, shape (k, 6).
            centres: Centre of mass in the frame of each body, shape (n, 3) [m].
        """
        for row, pose, twist in zip(rows.tolist(), poses.tolist(), twists.tolist(), strict=True):
            self.positions[row] = _middle(pose, _vector(centres[row]))
            turn = _quaternion(self.positions[row, 3:].tolist())
            self.velocities[row] = (*twist[:3], *turned(back(turn), _vector(twist[3:])))
        self._begin_anew(rows)

    def _begin_anew(self, rows: Ints) -> None:
        """Forget the steps before of bodies that were put elsewhere."""
        self.pushes[rows] = 0.0
        self.rest[rows[self.rest[rows] < 0]] = FLYING

    def forbid_rest(self, allowed: Iterable[bool], lying: Iterable[bool] | None = None) -> None:
        """Note who never rests: whatever is joined to something, or all where the floor is tilted.

        Args:
            allowed: Which of them may stand on their feet.
            lying: Which of them may lie; None = nothing.
        """
        for row, may in enumerate(allowed):
            self.rest[row] = max(0, self.rest[row]) if may else min(self.rest[row], NEVER)
        for row, may in enumerate(lying or (False,) * self.rest.size):
            if self.rest[row] < FLYING and not may:
                self.rest[row] = NEVER

    def judge(self, rows: Iterable[int], centres: Floats) -> None:
        """Let robots rest that stand on the floor without falling or tilting, and wake the others."""
        for row in rows:
            if self.rest[row] >= 0:
                self.rest[row] = QUIET if self._stands(row, _vector(centres[row])) else 0

    def _stands(self, row: int, centre: Vector3) -> bool:
        _, _, high, *rotation = self.positions[row].tolist()
        _, x, y, _ = rotation
        base = high - turned(_quaternion(rotation), centre)[2]
        return math.hypot(x, y) < _UPRIGHT and abs(base) < _ON_FLOOR and not self.velocities[row, 2:5].any()


def checked_poses(rows: Ints, poses: Floats, twists: Floats, count: int) -> tuple[Ints, Floats, Floats]:
    """Return rows, poses and twists as arrays.

    Args:
        rows: Shape (k,).
        poses: Shape (k, 7).
        twists: Shape (k, 6).
        count: How many rows there are.

    Raises:
        BadArgument: A row that does not exist, or a value that is not finite or out of range.
    """
    rows, twists = checked_state(rows, twists, count)
    poses = np.asarray(poses, np.float64)
    if poses.shape != (rows.size, 7) or not (np.abs(poses) <= FARTHEST).all():
        raise BadArgument(f"expected {rows.size} poses of 7 numbers within {FARTHEST:g} m, got {poses.tolist()}")
    if rows.size and np.abs(np.linalg.norm(poses[:, 3:], axis=1) - 1.0).max() > 1e-6:
        raise BadArgument(f"expected unit quaternions, got {poses[:, 3:].tolist()}")
    return rows, poses, twists


def _middle(pose: Sequence[float], centre: Vector3) -> tuple[float, ...]:
    """Return place and orientation of the centre of mass of a body."""
    x, y, z, *rotation = pose
    turn = unit(_quaternion(rotation))
    return (*plus((x, y, z), turned(turn, centre)), *turn)


def _turned_to(yaw: float, turn: Quaternion) -> Quaternion:
    w, x, y, z = turn
    # upright: cosine and sine of the heading itself, so that what is put upright is so to the bit
    if x == 0.0 and y == 0.0:
        return (math.cos(yaw / 2.0), 0.0, 0.0, math.sin(yaw / 2.0))
    half = (yaw - heading(w, x, y, z)) / 2.0
    return times((math.cos(half), 0.0, 0.0, math.sin(half)), turn)


def _quaternion(numbers: Sequence[float]) -> Quaternion:
    w, x, y, z = numbers
    return (w, x, y, z)


def _vector(numbers: Sequence[float] | Floats) -> Vector3:
    x, y, z = map(float, numbers)
    return (x, y, z)
