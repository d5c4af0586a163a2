"""Shows where a robot is, as it moves, while another task drives it: `python aio_watch.py [ROBOT [STATES]]`."""

import asyncio
import sys

from coopsim.client.aio import Client, connect


async def drive(sim: Client, name: str) -> None:
    """Drive in circles."""
    while True:
        await sim.robot(name).motors.set_velocity(0.3, 0.5)
        await asyncio.sleep(0.5)


async def watch(sim: Client, name: str, most: int) -> None:
    """Print one of ten states."""
    seen = 0
    async with sim.stream(f"/{name}", every=10) as states:
        async for state in states:
            x, y = state.pose(name)[:2]
            print(f"{state.time:7.2f} s  x {x:6.2f} m  y {y:6.2f} m")
            seen += 1
            if seen == most:
                break


async def main(name: str = "robot1", most: str = "20") -> None:
    async with connect() as sim:
        driving = asyncio.create_task(drive(sim, name))
        try:
            await watch(sim, name, int(most))
        finally:
            driving.cancel()
        await asyncio.gather(driving, return_exceptions=True)
        await sim.robot(name).motors.stop()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
