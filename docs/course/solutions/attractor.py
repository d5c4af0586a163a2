"""Exercise 3: drive to a target and around what is in the way, by attractor dynamics of the heading."""

import numpy as np

from coopsim.client import connect

STEP = 0.1  # s
BEARINGS = np.radians(np.linspace(-110.0, 110.0, 11))  # of the sonars, from right to left


def turn_rate(ranges, goal):
    """Return dphi/dt [rad/s] from what the sonars read [m] and the bearing of the goal [rad]."""
    # yours
    attractor = 1.2 * np.sin(goal)
    strength = 4.0 * np.exp(-ranges / 0.5)
    width = 0.35 + np.arctan(0.25 / (0.25 + ranges))
    repellers = -strength * BEARINGS * np.exp(-(BEARINGS**2) / (2.0 * width**2))
    rate = attractor + repellers.sum()
    # end of yours
    return rate


def speed(ranges, distance, fastest=0.35):
    """Return v [m/s]: slower where something is ahead, and near the goal."""
    return min(fastest, 0.8 * distance, max(0.05, 0.8 * (ranges[3:8].min() - 0.1)))


def main():
    """Drive the first robot of the scene `formation` to its red target, in lockstep."""
    nearest, steps = np.inf, 0
    with connect() as sim:
        sim.clock.set_mode("lockstep")
        sim.world.load("formation")
        sim.clock.set_step(STEP)
        with sim.stepper(["robot1"]) as stepper:
            robot = stepper.step([(0.0, 0.0)])["robot1"]
            distance, bearing, _ = robot.target.table("targets")[0]
            while distance > 0.3 and steps < 600:
                ranges = robot.sonars.ranges
                robot = stepper.step([(speed(ranges, distance), turn_rate(ranges, bearing))])["robot1"]
                distance, bearing, _ = robot.target.table("targets")[0]
                nearest, steps = min(nearest, robot.sonars.ranges.min()), steps + 1
    print(f"{distance:.1f} m from the target after {steps * STEP:.1f} s, nothing nearer than {nearest:.2f} m")


if __name__ == "__main__":
    main()
