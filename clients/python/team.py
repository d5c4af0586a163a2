"""Drives all robots in step until one of them has something in front of it: `python team.py [STEPS]`.

One message carries all commands and brings back all readings; in lockstep the result is the same every time.
"""

import sys

import numpy as np

from coopsim.client import Readings, connect

NEAR = 0.5  # m


def law(seen: Readings) -> np.ndarray | None:
    """Return a row (v, w) for each robot: faster where there is more room; None to end."""
    ahead = seen.sonars.ranges[:, 4:7].min(axis=1)
    if (ahead < NEAR).any():
        return None
    return np.column_stack([np.minimum(0.4, 0.2 * ahead), np.zeros(len(seen))])


def main(most: str = "200") -> None:
    with connect() as sim, sim.stepper() as stepper:
        steps = stepper.run(law, until=lambda: stepper.tick >= int(most))
        poses = stepper.readings.odometry
        for robot, x, y in zip(stepper.robots, poses.x, poses.y, strict=True):
            print(f"{robot}: {x:.2f} m forward, {y:.2f} m to the left")
    print(f"{steps} steps")


if __name__ == "__main__":
    main(*sys.argv[1:])
