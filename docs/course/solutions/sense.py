"""Exercise 2: drive about in an arena and touch nothing."""

import numpy as np

from coopsim.client import connect

STEPS = 200  # of 0.1 s
STEP = 0.1  # s


def command(ranges):
    """Return (v, w) from what eleven sonars read, from right to left [m]."""
    # yours
    right, ahead, left = ranges[:5].min(), ranges[3:8].min(), ranges[6:].min()
    v = 0.5 * np.clip((ahead - 0.3) / 0.7, 0.0, 1.0)
    if ahead < 0.8:
        w = 1.0 if left >= right else -1.0
    else:
        w = 0.5 * (left - right) / (left + right)
    # end of yours
    return v, w


def main():
    """Drive twenty seconds in lockstep."""
    way, nearest = 0.0, np.inf
    with connect() as sim:
        sim.clock.set_mode("lockstep")
        sim.world.load("single")
        sim.clock.set_step(STEP)
        with sim.stepper(["robot1"]) as stepper:
            robot = stepper.step([(0.0, 0.0)])["robot1"]
            for _ in range(STEPS):
                robot = stepper.step([command(robot.sonars.ranges)])["robot1"]
                way += STEP * robot.motors.v
                nearest = min(nearest, robot.sonars.ranges.min())
    print(f"drove {way:.1f} m, nothing nearer than {nearest:.2f} m")


if __name__ == "__main__":
    main()
