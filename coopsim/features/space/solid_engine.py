"""Base class of engines that move rigid bodies in space."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from coopsim.engines.base import EngineBase
from coopsim.engines.plane.checks import checked_state
from coopsim.engines.plane.footprints import grip
from coopsim.engines.straying import Strayed
from coopsim.features.space import kernels
from coopsim.features.space.solids import Solid
from coopsim.features.space.state import SpatialState, checked_poses
from coopsim.geometry import Floats, Ints


class SolidEngine(EngineBase):
    """Bodies in space by name, the state of those that move, and what is read of it."""

    position_lag: ClassVar[int] = 0

    _solids: Mapping[str, Solid]
    _state: SpatialState
    _centres: Floats
    _places: Ints

    def fill(self) -> None:
        """Bring `poses` and `twists` up to date; whoever reads them has it done."""
        self._is_stale = False
        kernels.to_poses(*self._numbers(), self._centres, self._poses, self._twists)

    def set_state(self, rows: Ints, planar: Floats) -> None:
        """Put bodies elsewhere; they keep their height and how they are tilted, and neither fall nor tumble.

        Raises:
            BadArgument: A row that does not exist, or a value that is not finite or out of range.
        """
        rows, planar = checked_state(rows, planar, len(self.names))
        self._pull()
        self._state.put_planar(rows, planar, self._centres)
        self._let_follow(rows)

    def set_spatial_state(self, rows: Ints, poses: Floats, twists: Floats) -> None:
        """Put bodies elsewhere in space: rows, shape (k,), with `poses`, shape (k, 7), and `twists`, shape (k, 6).

        Raises:
            BadArgument: A row that does not exist, or a value that is not finite or out of range.
        """
        rows, poses, twists = checked_poses(rows, poses, twists, len(self.names))
        self._pull()
        self._state.put(rows, poses, twists, self._centres)
        self._judge(rows.tolist())
        self._let_follow(rows)

    def _pull(self) -> None:
        """Bring the state up to date, where an engine keeps it elsewhere between two steps."""

    def _judge(self, rows: Sequence[int]) -> None:
        """Find out which of the bodies that were put somewhere may rest, where an engine lets them."""

    @abstractmethod
    def _let_follow(self, rows: Ints) -> None:
        """Go on from where bodies were put."""

    def _numbers(self) -> tuple[Floats, Floats, Ints]:
        """Return positions, velocities and where each body's begin."""
        return self._state.positions.ravel(), self._state.velocities.ravel(), self._places

    def _hold(self, solids: Mapping[str, Solid], state: SpatialState) -> list[Solid]:
        """Make the arrays for bodies that have all been checked; return those that move, by row."""
        self._solids, self._state, self._described = dict(solids), state, b""
        moving = [self._solids[name] for name in state.names]
        count = len(moving)
        self.names, self.wrench = state.names, state.wrench
        self.mass = np.array([body.spec.mass for body in moving], np.float64)
        self.inertia = np.array([body.inertia[2, 2] for body in moving], np.float64)
        self.floor_grip = np.array([grip(body.spec) for body in moving], np.float64)
        self.tensors = np.array([body.inertia for body in moving], np.float64).reshape(-1, 3, 3)
        self._centres = np.array([body.centre for body in moving], np.float64).reshape(-1, 3)
        self._places = np.column_stack([7 * np.arange(count), 6 * np.arange(count)])
        self.planar, self.height = np.zeros((count, 6)), np.zeros(count)
        self._poses, self._twists = np.zeros((count, 7)), np.zeros((count, 6))
        return moving

    def _read_planar(self) -> None:
        """Bring `planar` and `height` up to date."""
        self._is_stale = True
        kernels.read_planar(*self._numbers(), self._centres, self.planar, self.height)

    def _stopped(self, row: int, why: str) -> Strayed:
        """Return what to say of a step that was undone because of one body."""
        return Strayed(f"body {self.names[row]!r} is stopped, and nothing moved in this tick: {why}")
