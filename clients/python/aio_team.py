"""Drives all robots in step, and thinks in a coroutine: `python aio_team.py [STEPS]`."""

import asyncio
import sys

import numpy as np

from coopsim.client.aio import Readings, connect


async def think(seen: Readings) -> np.ndarray:
    """Return a row (v, w) for each robot; whatever takes its time, such as a network, may be awaited here."""
    await asyncio.sleep(0)
    ahead = seen.sonars.ranges[:, 4:7].min(axis=1)
    return np.column_stack([np.minimum(0.4, 0.2 * ahead), np.where(ahead < 0.5, 0.8, 0.0)])


async def main(most: str = "200") -> None:
    async with connect() as sim, sim.stepper() as stepper:
        seen = await stepper.readings
        for _ in range(int(most)):
            seen = await stepper.step(await think(seen))
        for robot in stepper.robots:
            x, y = seen[robot].odometry.x, seen[robot].odometry.y
            print(f"{robot}: {x:.2f} m forward, {y:.2f} m to the left")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
