"""Trajectories of joints that programs send, followed in simulated time.

Source: trajectory_msgs/JointTrajectory; ros2_control, "joint_trajectory_controller" (names, empty trajectories, splines
of first order).
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from coopsim.errors import BadArgument, CoopsimError
from coopsim.features.gateways import messages
from coopsim.features.gateways.messages import Words
from coopsim.geometry import Floats
from coopsim.interfaces import Value

if TYPE_CHECKING:
    from coopsim.client.aio import Client

MOST_POINTS: Final = 10_000
"""Of one trajectory."""


@dataclass(frozen=True, slots=True)
class JointTrajectory:
    """Positions of joints over time.

    Attributes:
        names: Of the joints; none = all, in their order.
        times: Since the beginning [s], shape (n,).
        positions: Of each point, shape (n, joints).
    """

    names: tuple[str, ...]
    times: Floats
    positions: Floats

    @property
    def is_empty(self) -> bool:
        """Whether it has no points, which means: stop."""
        return not len(self.times)


def read_trajectory(message: Words) -> JointTrajectory:
    """Return what a `trajectory_msgs/JointTrajectory` says.

    Raises:
        BadArgument: A field does not fit.
    """
    names, points = message.get("joint_names") or [], message.get("points") or []
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names) or isinstance(names, str):
        raise BadArgument(f"joint_names: expected a list of texts, got {names!r:.60}")
    if len(set(names)) < len(names):
        raise BadArgument("joint_names: a joint is named twice")
    if not isinstance(points, Sequence) or len(points) > MOST_POINTS:
        raise BadArgument(f"points: expected a list of at most {MOST_POINTS} points, got {points!r:.60}")
    times, rows = [], []
    for number, point in enumerate(points):
        if not isinstance(point, Mapping):
            raise BadArgument(f"points[{number}]: expected a point, got {point!r:.60}")
        times.append(_seconds(point.get("time_from_start", 0.0), f"points[{number}].time_from_start"))
        rows.append(messages.numbers(point, "positions"))
        if not rows[-1] or len(rows[-1]) != len(names or rows[0]):
            raise BadArgument(
                f"points[{number}].positions: expected {len(names or rows[0]) or 'some'}, got {len(rows[-1])}"
            )
    if any(later <= earlier for earlier, later in itertools.pairwise(times)) or (times and times[0] < 0.0):
        raise BadArgument("time_from_start: expected times from 0 that increase from point to point")
    return JointTrajectory(tuple(names), np.array(times), np.array(rows, float))


def joint_names(parameters: Mapping[str, Value], module: str, count: int) -> list[str]:
    """Return what the joints of a module are called: as its parameters say, else by their numbers, or like it."""
    names = str(parameters.get("joints", "")).split()
    if len(names) == count:
        return names
    if "joints" not in parameters and count == 1:
        return [str(parameters.get("joint", "") or module)]
    return [f"q{number + 1}" for number in range(count)]


def _seconds(value: Any, path: str) -> float:
    """Return a duration [s], which the worlds of ROS write in different ways."""
    if not isinstance(value, Mapping):
        return messages.finite(value, path)
    whole = value.get("secs", value.get("sec", 0))
    return messages.finite(whole, path) + 1e-9 * messages.finite(value.get("nsecs", value.get("nanosec", 0)), path)


class JointMotion:
    """A trajectory that is followed from the present positions on.

    Args:
        trajectory: That is followed.
        names: Of all joints of the module, in its order.
        positions: Of all joints now.
        begin: Simulated time [s].

    Raises:
        BadArgument: It names other joints, or fewer positions come than there are joints.
    """

    def __init__(
        self, trajectory: JointTrajectory, names: Sequence[str], positions: Sequence[float], begin: float
    ) -> None:
        named = trajectory.names or tuple(names)
        unknown = [name for name in named if name not in names]
        if unknown:
            raise BadArgument(f"joint_names: there is no joint {unknown[0]!r:.60}; there are {', '.join(names)}")
        if trajectory.positions.shape[1] != len(named):
            raise BadArgument(f"positions: expected {len(named)}, got {trajectory.positions.shape[1]}")
        start = np.array(positions, float)
        rows = np.tile(start, (len(trajectory.times), 1))
        rows[:, [list(names).index(name) for name in named]] = trajectory.positions
        is_led_in = trajectory.times[0] > 0.0
        self._times = np.concatenate([[0.0], trajectory.times]) if is_led_in else trajectory.times
        self._rows = np.concatenate([start[np.newaxis], rows]) if is_led_in else rows
        self._begin = begin

    def positions(self, time: float) -> list[float]:
        """Return where the joints should be at a simulated time [s]."""
        elapsed = time - self._begin
        return [float(np.interp(elapsed, self._times, column)) for column in self._rows.T]

    def is_over(self, time: float) -> bool:
        """Return whether its last point is reached at a simulated time [s]."""
        return bool(time - self._begin >= self._times[-1])


class TrajectoryFollower:
    """Motions that go on, by the module that makes them."""

    def __init__(self) -> None:
        self._motions: dict[str, tuple[str, JointMotion]] = {}

    async def follow(
        self,
        sim: "Client",
        target: str,
        command: str,
        trajectory: JointTrajectory,
        joints: tuple[Sequence[str], Sequence[float], float],
    ) -> None:
        """Begin to follow a trajectory; one without points holds the joints where they are.

        Args:
            sim: The run.
            target: Name of the module.
            command: That sets positions of all its joints.
            trajectory: That is followed.
            joints: Names of the joints, their positions, and when they had them [s].

        Raises:
            BadArgument: The trajectory does not fit the joints.
            CoopsimError: The run refuses its first command.
        """
        names, positions, time = joints
        if trajectory.is_empty:
            await sim.module(target).call(command, *positions)
            return
        await self.begin(sim, target, command, JointMotion(trajectory, names, positions, time), time)

    async def begin(self, sim: "Client", target: str, command: str, motion: JointMotion, time: float) -> None:
        """Follow a trajectory from now on, in place of an earlier one of that module.

        Raises:
            CoopsimError: The run refuses its first command.
        """
        await sim.module(target).call(command, *motion.positions(time))
        self._motions[target] = command, motion

    def stop(self, target: str) -> None:
        """Follow no trajectory any more; whatever commands the module next may do so."""
        self._motions.pop(target, None)

    def clear(self) -> None:
        """Follow nothing: the run is over."""
        self._motions.clear()

    async def advance(self, sim: "Client", time: float) -> list[str]:
        """Command all motions of a tick; return what is refused, whose motions end."""
        refusals = []
        for target, (command, motion) in list(self._motions.items()):
            is_over = motion.is_over(time)
            try:
                await sim.module(target).call(command, *motion.positions(time))
            except CoopsimError as problem:
                refusals.append(f"{target}: the trajectory ends: {problem}")
                is_over = True
            if is_over and self._motions.get(target) == (command, motion):
                del self._motions[target]
        return refusals
