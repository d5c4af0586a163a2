"""Drives three robots by names: commands, readings, parameters and refusals as this language has them."""

from coopsim_client import Client, ErrorCode, Refused, Stepper
from coopsim_client.modules import Odometry, Sonars, World

ROBOTS = ("robot1", "robot2", "robot3")

with Client() as sim:
    World(sim).reset()
    with Stepper(sim, *ROBOTS) as stepper:
        for _ in range(40):
            for number, robot in enumerate(ROBOTS, start=1):
                stepper.set_differential_drive(robot, v=0.1 * number, w=0.05)
            seen = stepper.step()
        for robot in ROBOTS:
            nearest, speed = min(seen.sonars(robot).ranges), seen.differential_drive(robot).v
            print(f"{robot}: nearest {nearest:.3f} m, speed {speed:.3f} m/s")
    pose = Odometry(sim, "/robot3/odometry").pose()
    print(f"robot3 is at x {pose.x:.3f} m, y {pose.y:.3f} m")
    sonars = Sonars(sim, "/robot1/sonars")
    reach = sonars.get_reach()
    print(f"reach was {reach:.1f} m, is {sonars.set_reach(2.0):.1f} m")
    sonars.set_reach(reach)
    try:
        Sonars(sim, "/robotX/sonars").ranges()
    except Refused as refusal:
        print(f"refused: no such name {refusal.number == ErrorCode.NO_SUCH_NAME}".lower())
