"""Exercise 1: drive a square and come back to where you began."""

from math import atan2, cos, hypot, pi, remainder

from coopsim.client import connect

CORNERS = [(1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.0, 0.0)]  # m
FASTEST = 0.4  # m/s
NEAR = 0.02  # m, then a corner is reached
STEP = 0.1  # s


def command(pose, corner, gain=3.0):
    """Return (v, w), speed [m/s] and rate of turn [rad/s], that bring a robot nearer to a corner."""
    # yours
    x, y = corner[0] - pose.x, corner[1] - pose.y
    error = remainder(atan2(y, x) - pose.heading, 2.0 * pi)
    v = min(FASTEST, 2.0 * hypot(x, y)) * max(0.0, cos(error)) ** 3
    w = gain * error
    # end of yours
    return v, w


def is_there(pose, corner):
    """Return whether a robot has reached a corner."""
    return hypot(corner[0] - pose.x, corner[1] - pose.y) < NEAR


def main():
    """Drive the square in lockstep: one message per step."""
    with connect() as sim:
        sim.clock.set_mode("lockstep")
        sim.world.load("single")
        sim.clock.set_step(STEP)
        begun = sim.world.get("robot1").pose
        with sim.stepper(["robot1"]) as stepper:
            seen, steps, left = stepper.step([(0.0, 0.0)]), 0, list(CORNERS)
            while left and steps < 400:
                pose = seen["robot1"].odometry
                if is_there(pose, left[0]):
                    left.pop(0)
                else:
                    seen, steps = stepper.step([command(pose, left[0])]), steps + 1
        x, y = sim.world.get("robot1").pose[:2] - begun[:2]
    print(f"{4 - len(left)} corners after {steps * STEP:.1f} s, {hypot(x, y):.2f} m from where it began")


if __name__ == "__main__":
    main()
