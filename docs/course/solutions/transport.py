"""Exercise 5: two robots carry a bar through a door; the helper feels nothing but the bar."""

import numpy as np
from attractor import BEARINGS, speed, turn_rate

from coopsim.client import connect

STEP = 0.1  # s
TEAM = ["team1/leader", "team1/helper"]


def help_carry(angle, force, u):
    """Return (v, w, u) of the helper.

    Args:
        angle: Where the bar points, from the heading [rad].
        force: With which the bar pulls in that direction [N].
        u: Speed along the bar, as returned the last time [m/s].
    """
    # yours
    mass, drag = 20.0, 15.0  # kg, N s/m
    u = (u + force * STEP / mass) / (1.0 + drag * STEP / mass)
    v = u * np.cos(angle)
    w = 2.0 * np.sin(angle) if abs(angle) < np.pi / 2 else np.copysign(2.0, angle)
    # end of yours
    return v, w, u


def lead(robot):
    """Return (v, w) of the leader: to the target, but not away from a helper that cannot follow."""
    distance, bearing, _ = robot.target.table("targets")[0]
    ranges = without_mate(robot)
    pull = np.hypot(robot.support.force_x, robot.support.force_y)
    v = speed(ranges, distance, 0.25) * np.clip(1.0 - pull / 60.0, 0.0, 1.0)
    return v, turn_rate(ranges, bearing)


def without_mate(robot):
    """Return what the sonars read with the echo of the other robot, at the other end of the bar, taken out."""
    ranges = robot.sonars.ranges.copy()
    off = np.remainder(BEARINGS - robot.support.angle + np.pi, 2.0 * np.pi) - np.pi
    ranges[(np.abs(off) < 0.5) & (ranges > 1.2)] = 3.0
    return ranges


def main():
    """Carry the bar of the scene `doorway` to its target, in lockstep."""
    u, pull, steps = 0.0, 0.0, 0
    with connect() as sim:
        sim.clock.set_mode("lockstep")
        sim.world.load("doorway")
        sim.clock.set_step(STEP)
        with sim.stepper(TEAM) as stepper:
            seen = stepper.step([(0.0, 0.0)] * 2)
            distance = 10.0
            while distance > 0.35 and steps < 900:
                bar = seen["team1/helper"].support
                force = bar.force_x * np.cos(bar.angle) + bar.force_y * np.sin(bar.angle)
                v, w, u = help_carry(bar.angle, force, u)
                seen, steps = stepper.step([lead(seen["team1/leader"]), (v, w)]), steps + 1
                distance = seen["team1/leader"].target.table("targets")[0, 0]
                pull = max(pull, abs(force))
    print(f"{distance:.1f} m from the target after {steps * STEP:.1f} s, the bar pulled with {pull:.0f} N at most")


if __name__ == "__main__":
    main()
