"""Drives several robots, each by a task of its own, over one connection: `python aio_drive.py [SECONDS [ROBOT...]]`."""

import asyncio
import sys

from coopsim.client.aio import Robot, connect

PERIOD = 0.1  # s, ten decisions a second


async def drive(robot: Robot) -> None:
    """Drive until cancelled, turning away from whatever comes near; stop in the end."""
    try:
        while True:
            ranges = (await robot.sonars.ranges()).ranges
            middle = len(ranges) // 2
            if ranges[middle - 1 : middle + 2].min() < 0.6:
                await robot.motors.set_velocity(0.0, 0.8 if ranges[middle:].min() >= ranges[:middle].min() else -0.8)
            else:
                await robot.motors.set_velocity(0.3, 0.0)
            await asyncio.sleep(PERIOD)
    finally:
        await robot.motors.stop()


async def main(seconds: str = "10", *names: str) -> None:
    async with connect() as sim:
        robots = [sim.robot(name) for name in names or await sim.robots()]
        tasks = [asyncio.create_task(drive(robot)) for robot in robots]
        done, running = await asyncio.wait(tasks, timeout=float(seconds), return_when=asyncio.FIRST_EXCEPTION)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        for task in done:
            task.result()  # it ended by itself: something went wrong
        for robot, pose in zip(robots, await asyncio.gather(*(robot.odometry.pose() for robot in robots)), strict=True):
            print(f"{robot.name} drove to x {pose.x:.2f} m, y {pose.y:.2f} m")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
