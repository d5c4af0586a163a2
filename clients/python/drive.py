"""Drives a robot for a while, turning away from whatever its sonars see: `python drive.py [ROBOT [SECONDS]]`."""

import sys
import time

from coopsim.client import Robot, connect

PERIOD = 0.1  # s, ten decisions a second


def decide(robot: Robot) -> tuple[float, float]:
    """Return (v, w): forward, slower where there is little room, turning to the side with more of it."""
    ranges = robot.sonars.ranges().ranges
    middle = len(ranges) // 2
    right, left, ahead = ranges[: middle + 1].min(), ranges[middle:].min(), ranges[middle - 1 : middle + 2].min()
    if ahead < 0.6:
        return 0.0, 0.8 if left >= right else -0.8
    return 0.3, 0.4 * (left - right) / (left + right + 0.1)


def main(name: str = "robot1", seconds: str = "10") -> None:
    with connect() as sim:
        robot = sim.robot(name)
        end = time.monotonic() + float(seconds)
        while time.monotonic() < end:
            robot.motors.set_velocity(*decide(robot))
            time.sleep(PERIOD)
        robot.motors.stop()
        x, y, heading = robot.odometry.pose()
    print(f"{name} drove to x {x:.2f} m, y {y:.2f} m, heading {heading:.2f} rad")


if __name__ == "__main__":
    main(*sys.argv[1:])
