"""Trails of robots: where each one came along, as lines in the scene of Foxglove."""

from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from coopsim.geometry import Vector3

if TYPE_CHECKING:
    from coopsim.client import State
    from coopsim.features.export.foxglove_messages import Messages

_MOST_POINTS: Final = 500
"""Of one trail; the oldest go first."""
_STRIDE: Final = 0.02
"""Least distance between two points [m]."""
_LIFT: Final = 0.01
"""Height of a line above the base, so that the floor does not hide it [m]."""
_WIDTH: Final = 0.02  # m
_GREY: Final = (0.5, 0.5, 0.5)
_WORLD: Final = "world"


class RobotTrails:
    """Points where robots were, newest last."""

    def __init__(self) -> None:
        self._points: dict[str, deque[Vector3]] = {}
        self._time = 0.0

    def add(self, state: "State", robots: Mapping[str, Vector3]) -> None:
        """Add where robots are, unless they hardly moved; time that goes back begins anew.

        Args:
            state: Of the run.
            robots: Colours of the robots, by name.
        """
        if state.time < self._time:
            self._points.clear()
        self._time = state.time
        for robot in [robot for robot in self._points if robot not in robots]:
            del self._points[robot]
        for robot in robots:
            x, y, z = (float(value) for value in state.pose(robot)[:3])
            points = self._points.setdefault(robot, deque(maxlen=_MOST_POINTS))
            if points:
                last_x, last_y, last_z = points[-1]
                if (x - last_x) ** 2 + (y - last_y) ** 2 + (z - last_z) ** 2 < _STRIDE**2:
                    continue
            points.append((x, y, z))

    def message(self, kinds: "Messages", robots: Mapping[str, Vector3], time_ns: int) -> Any:
        """Return a `foxglove.SceneUpdate` of all trails in the colours of their robots, in place of earlier ones."""
        message, stamp = kinds.kind("SceneUpdate")(), kinds.stamp(time_ns)
        message.deletions.add(type=1).timestamp.CopyFrom(stamp)  # all
        for robot, points in self._points.items():
            if len(points) < 2:
                continue
            entity = message.entities.add(id=f"{robot}_trail", frame_id=_WORLD)
            entity.timestamp.CopyFrom(stamp)
            line = entity.lines.add(type=0, thickness=_WIDTH)  # a strip
            line.pose.orientation.w = 1.0
            red, green, blue = robots.get(robot, _GREY)
            line.color.r, line.color.g, line.color.b, line.color.a = red, green, blue, 1.0
            for x, y, z in points:
                line.points.add(x=x, y=y, z=z + _LIFT)
        return message
