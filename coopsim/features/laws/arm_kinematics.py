"""Inverse kinematics of arms, by the Jacobian of their chains and damped least squares.

Source: C. Wampler, "Manipulator inverse kinematic solutions based on vector formulations and damped least-squares
methods" (1986).
"""

from dataclasses import dataclass

import numpy as np

from coopsim.errors import BadArgument
from coopsim.geometry import Floats, Vector3
from coopsim.interfaces.chain_text import Chain

# near a singular posture steps stay finite; 0.3 rad a round, since the Jacobian holds nearby only
_DAMPING, _LONGEST = 1e-3, 0.3
# postures to begin from; where none of them leads there, the pose counts as out of reach
_ROUNDS, _SEEDS = 200, 12
_EXACT = 1e-5  # m and 1


@dataclass(frozen=True, slots=True)
class Reach:
    """Pose that a tool should have.

    Attributes:
        place: Of its point, in the frame of the base [m].
        direction: Of its z axis; None = any. With one its y axis, along which a gripper closes, is as level as the y
            axis of the base.
    """

    place: Vector3
    direction: Vector3 | None = None

    def __str__(self) -> str:
        """Return it as people read it."""
        x, y, z = self.place
        facing = "" if self.direction is None else " facing {:g} {:g} {:g}".format(*self.direction)
        return f"{x:g} {y:g} {z:g} m{facing}"


class ArmKinematics:
    """A chain of joints with its tool.

    Args:
        chain: As the parameter `chain` of the module `tool` has it.
    """

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self._points = np.array([joint.point for joint in chain.joints]).reshape(-1, 3)
        self._axes = np.array([joint.axis for joint in chain.joints]).reshape(-1, 3)
        self._slides = [joint.kind == "slide" for joint in chain.joints]
        limits = np.array([(joint.low, joint.high) for joint in chain.joints]).reshape(-1, 2)
        self._low, self._high = np.clip(limits, -2.0 * np.pi, 2.0 * np.pi).T
        w, x, y, z = chain.tool[3:]
        self._tool, self._home = np.array(chain.tool[:3]), _rotation(np.array([x, y, z]), w)

    def tool_pose(self, positions: Floats) -> tuple[Floats, Floats]:
        """Return where the point of the tool is and where its z axis points, all in the frame of the base."""
        point, axes, *_ = self._seen(positions)
        return point, axes[:, 2]

    def _seen(self, positions: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return point and axes of the tool, and how the joints move and turn it, shapes (3, k)."""
        place, turn = np.zeros(3), np.eye(3)
        points, axes = np.empty_like(self._points), np.empty_like(self._axes)
        for k, angle in enumerate(positions):
            points[k], axes[k] = place + turn @ self._points[k], turn @ self._axes[k]
            if self._slides[k]:
                place = place + angle * axes[k]
                continue
            after = turn @ _rotation(np.sin(0.5 * angle) * self._axes[k], np.cos(0.5 * angle))
            place, turn = points[k] - after @ self._points[k], after
        tool = place + turn @ self._tool
        is_slide = np.array(self._slides, np.bool_)[:, np.newaxis]
        moves = np.where(is_slide, axes, np.cross(axes, tool - points))
        return tool, turn @ self._home, moves.T, np.where(is_slide, 0.0, axes).T

    def solve(self, wanted: Reach, start: Floats, seed: int = 0) -> Floats:
        """Return positions of the joints within their limits that bring the tool there.

        Args:
            wanted: Where.
            start: Positions to begin with; of several solutions that is found which is near them.
            seed: Of the postures that are tried when this one leads nowhere.

        Raises:
            BadArgument: No posture was found that does.
        """
        chance, best, least = np.random.default_rng(seed), np.asarray(start, np.float64), np.inf
        for attempt in range(_SEEDS):
            begin = best if attempt == 0 else chance.uniform(self._low, self._high)
            angles, error = self._descend(wanted, begin)
            if error < _EXACT:
                return angles
            best, least = (angles, error) if error < least else (best, least)
        raise BadArgument(
            f"no posture of this arm within its limits brings the tool to {wanted}: the nearest one found is off by "
            f"{least:.3g}; choose a place that it reaches, or another direction"
        )

    def _descend(self, wanted: Reach, start: Floats) -> tuple[Floats, float]:
        positions = np.clip(start, self._low, self._high)
        for _ in range(_ROUNDS):
            error, jacobian = self._error(wanted, positions)
            if np.linalg.norm(error) < _EXACT:
                break
            square = jacobian @ jacobian.T + _DAMPING * min(1.0, float(error @ error)) * np.eye(error.size)
            change = jacobian.T @ np.linalg.lstsq(square, error, rcond=None)[0]
            change *= min(1.0, _LONGEST / max(float(np.abs(change).max()), 1e-12))
            positions = np.clip(positions + change, self._low, self._high)
        return positions, float(np.linalg.norm(self._error(wanted, positions)[0]))

    def _error(self, wanted: Reach, positions: Floats) -> tuple[Floats, Floats]:
        """Return what is missing and how the joints change it, shapes (m,) and (m, k)."""
        place, axes, moves, turns = self._seen(positions)
        axis, side = axes[:, 2], axes[:, 1]
        missing = np.array(wanted.place) - place
        if wanted.direction is None:
            return missing, moves
        goal = np.array(wanted.direction) / np.linalg.norm(wanted.direction)
        if float(axis @ goal) < -1.0 + 1e-9:  # straight away from it: any way round
            goal = goal + 0.01 * np.array([goal[1] + goal[2], -goal[0] + goal[2], -goal[0] - goal[1]])
        aside = np.array([0.0, 1.0 if side[1] >= 0.0 else -1.0, 0.0])
        rows = [moves, _turning(axis) @ turns, _turning(side) @ turns]
        return np.concatenate([missing, goal - axis, aside - side]), np.vstack(rows)


def _turning(axis: Floats) -> Floats:
    """Return how an axis moves when it is turned: w x axis, shape (3, 3)."""
    x, y, z = axis
    return np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])


def _rotation(vector: Floats, w: float) -> Floats:
    """Return the matrix of a unit quaternion."""
    x, y, z = vector
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross)
