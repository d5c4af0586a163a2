"""Drives a robot for a while, turning away from whatever its sonars see: `python drive.py [ROBOT [SECONDS]]`."""

import sys
import time

from coopsim_tcp import Coopsim

PERIOD = 0.1  # s, ten decisions a second


def decide(ranges: list[float]) -> tuple[float, float]:
    """Return (v, w): forward, slower where there is little room, turning to the side with more of it."""
    middle = len(ranges) // 2
    right, left, ahead = min(ranges[: middle + 1]), min(ranges[middle:]), min(ranges[middle - 1 : middle + 2])
    if ahead < 0.6:
        return 0.0, 0.8 if left >= right else -0.8
    return 0.3, 0.4 * (left - right) / (left + right + 0.1)


def main(robot: str = "robot1", seconds: str = "10") -> None:
    sim = Coopsim()
    end = time.monotonic() + float(seconds)
    while time.monotonic() < end:
        _, ranges = sim.ask(f"/{robot}/sonars", 10)
        sim.ask(f"/{robot}/motors", 10, data=decide(ranges))
        time.sleep(PERIOD)
    sim.ask(f"/{robot}/motors", 12)
    _, pose = sim.ask(f"/{robot}/odometry", 10)
    print(f"{robot} drove to x {pose[0]:.2f} m, y {pose[1]:.2f} m, heading {pose[2]:.2f} rad")


if __name__ == "__main__":
    main(*sys.argv[1:])
