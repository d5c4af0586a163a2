"""Exercise 6: the law of exercise 1 drives a simulated robot and a real one; only parameters differ."""

import time
from math import copysign

from drive import command

from coopsim.client import connect

CORNERS = [(0.6, 0.0), (0.6, 0.6), (0.0, 0.0)]  # m
HALF_TRACK = 0.18  # m
NEAR = 0.02  # m, then a corner is reached
PERIOD = 0.05  # s
SETTINGS = {  # gain of the rate of turn, dead zone of a wheel [m/s]
    "robot1": (3.0, 0.0),
    # yours
    "real2": (2.0, 0.15),
    # end of yours
}


def lifted(v, w, dead_zone):
    """Return (v, w) with which both wheels move that shall move, also those of a motor with a dead zone."""
    # yours
    wheels = [v - w * HALF_TRACK, v + w * HALF_TRACK]
    left, right = (copysign(max(abs(wheel), dead_zone * 1.1), wheel) if abs(wheel) > 0.005 else 0.0 for wheel in wheels)
    v, w = (left + right) / 2.0, (right - left) / (2.0 * HALF_TRACK)
    # end of yours
    return v, w


def drive_on(robot, left, settings):
    """Command a robot towards the first of the corners that are left; take out those that are reached."""
    gain, dead_zone = settings
    pose = robot.odometry.pose()
    if left and abs(complex(left[0][0] - pose.x, left[0][1] - pose.y)) < NEAR:
        left.pop(0)
    if left:
        robot.motors.set_velocity(*lifted(*command(pose, left[0], gain), dead_zone))
    else:
        robot.motors.stop()


def main():
    """Drive both robots at the same time, by the wall clock."""
    with connect() as sim:
        sim.clock.set_mode("real-time")
        sim.world.load("single")
        robots = {name: sim.robot(name) for name in SETTINGS}
        left = {name: list(CORNERS) for name in SETTINGS}
        for robot in robots.values():
            robot.odometry.reset(0.0, 0.0, 0.0)
        begun = time.monotonic()
        while any(left.values()) and time.monotonic() < begun + 60.0:
            for name, robot in robots.items():
                drive_on(robot, left[name], SETTINGS[name])
            time.sleep(PERIOD)
        for name, robot in robots.items():
            robot.motors.stop()
            print(f"{name}: {3 - len(left[name])} corners")
        print(f"{time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    main()
