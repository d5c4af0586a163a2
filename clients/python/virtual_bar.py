"""Two robots carry a bar that is not there: the first drives along a path, the second keeps at the bar's other end.

It asks modules by name and nothing else, so each robot may be simulated or stand beside the simulation:

    python clients/python/virtual_bar.py --leader robot1 --helper robot2 --gain 1.5
"""

import argparse
import contextlib
import math
import sys
import time
from collections.abc import Sequence

from coopsim.client import Robot, connect
from coopsim.errors import CoopsimError

Point = tuple[float, float]

PATH = [(0.9, 0.0), (1.5, 0.4)]
"""Corners of the path, seen from where the leader begins [m]."""


def ahead_of(pose: Sequence[float], offset: float) -> Point:
    """Return the point ahead of the axle of a robot, which can go in any direction."""
    return pose[0] + offset * math.cos(pose[2]), pose[1] + offset * math.sin(pose[2])


def towards(pose: Sequence[float], aim: Point, speed: float, gain: float, offset: float) -> Point:
    """Return the velocity that leads a point ahead of the axle to an aim, as speed and rate of turn.

    Args:
        pose: x, y [m] and heading [rad] of the robot.
        aim: x, y [m].
        speed: Largest speed [m/s].
        gain: Speed per distance [1/s].
        offset: Of the point, ahead of the axle [m].
    """
    x, y = ahead_of(pose, offset)
    heading, way = pose[2], (aim[0] - x, aim[1] - y)
    share = min(gain, speed / max(math.hypot(*way), 1e-6))
    along = share * (way[0] * math.cos(heading) + way[1] * math.sin(heading))
    across = share * (way[1] * math.cos(heading) - way[0] * math.sin(heading))
    return along, across / offset


def other_end(leader: Point, helper: Point, length: float) -> Point:
    """Return where the helper's end of the bar is: on the line from the leader to the helper."""
    way = helper[0] - leader[0], helper[1] - leader[1]
    share = length / max(math.hypot(*way), 1e-6)
    return leader[0] + share * way[0], leader[1] + share * way[1]


def carry(leader: Robot, helper: Robot, options: argparse.Namespace) -> float | None:
    """Carry the bar to the end of the path; return by how much its ends were off at most [m], None = too late."""
    begin, worst = leader.odometry.pose(), 0.0
    corners = [(begin.x + x, begin.y + y) for x, y in PATH]
    until = time.monotonic() + options.seconds
    while corners and time.monotonic() < until:
        first, second = leader.odometry.pose(), helper.odometry.pose()
        ends = ahead_of(first, options.offset), ahead_of(second, options.offset)
        worst = max(worst, abs(math.dist(*ends) - options.length))
        if math.dist(ahead_of(first, options.offset), corners[0]) < options.tolerance:
            corners.pop(0)
            continue
        leader.motors.set_velocity(*towards(first, corners[0], options.speed, options.gain, options.offset))
        aim = other_end(*ends, options.length)
        helper.motors.set_velocity(*towards(second, aim, 2.0 * options.speed, options.gain, options.offset))
        time.sleep(0.02)
    return None if corners else worst


def stop(robots: list[Robot]) -> None:
    """Stop those that still answer."""
    for robot in robots:
        with contextlib.suppress(CoopsimError):
            robot.motors.stop()


def main() -> int:
    """Drive two robots."""
    parser = argparse.ArgumentParser(description="Two robots carry a bar that is not there.")
    parser.add_argument("--leader", default="robot1")
    parser.add_argument("--helper", default="robot2")
    parser.add_argument("--length", type=float, default=1.5, help="of the bar [m]")
    parser.add_argument("--speed", type=float, default=0.2, help="of the leader [m/s]")
    parser.add_argument("--gain", type=float, default=1.5, help="speed per distance [1/s]")
    parser.add_argument("--offset", type=float, default=0.25, help="of the steered point, ahead of the axle [m]")
    parser.add_argument("--tolerance", type=float, default=0.1, help="at which a corner is reached [m]")
    parser.add_argument("--seconds", type=float, default=60.0, help="after which it gives up")
    options = parser.parse_args()
    with connect() as sim:
        robots: list[Robot] = []
        try:
            robots += [sim.robot(options.leader), sim.robot(options.helper)]
            worst = carry(robots[0], robots[1], options)
        except CoopsimError as problem:
            print(f"the bar is down: {problem}", file=sys.stderr)
            return 1
        finally:
            stop(robots)
    print("not there in time" if worst is None else f"there; the bar was held within {worst:.2f} m")
    return int(worst is None)


if __name__ == "__main__":
    raise SystemExit(main())
