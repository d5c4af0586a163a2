"""`coopsim bench camera`: images per second of one camera, and how fast lockstep goes with ten."""

import asyncio
import time
from typing import Any

import click

from coopsim.features.files.figures import at_least, show
from coopsim.testkit import Run

IMAGES_BOUND, LOCKSTEP_BOUND = 60.0, 2.0  # images/s of a screen; lockstep twice as fast as real time
_ROBOTS, _STEPS_PER_IMAGE = 10, 10  # ten robots, each image after ten steps of 10 ms
_PERIOD = 0.1  # s between two images

Row = dict[str, Any]


@click.command()
@click.option("--seconds", default=5.0, show_default=True, type=click.FloatRange(0.1), help="Length of each part.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
def camera(seconds: float, as_json: bool) -> None:
    """Measure images of 320 x 240 pixels: one after the other as a client gets them, and of ten robots in lockstep.

    The ten have cameras of 10 Hz: after every ten steps of all robots ten images are waited for at once. For figures
    that mean something the machine must have nothing else to do.
    """
    with Run(_scene(), "--no-controllers") as run:
        rows = asyncio.run(_measure(run.endpoint, seconds))
    show(rows, as_json=as_json)


def _scene() -> str:
    robots = "".join(
        f"[ROBOT_{number}]\ntype observer\nname robot{number}\nposition {number % 5} {number // 5} 0\n\n"
        for number in range(1, _ROBOTS + 1)
    )
    return f"[TARGET]\nred 8 0 0\n\n{robots}[SIMULATION]\nmode lockstep\n"


async def _measure(endpoint: str, seconds: float) -> list[Row]:
    from coopsim.client.aio import connect

    async with connect(endpoint) as sim, sim.stepper() as stepper:
        cameras = [sim.robot(name).camera for name in stepper.robots]
        await stepper.step()
        await cameras[0].image()  # the process has started
        begin, count = time.perf_counter(), 0
        while time.perf_counter() - begin < seconds:
            await cameras[0].image()
            count += 1
        rate = count / (time.perf_counter() - begin)
        begin, rounds = time.perf_counter(), 0
        while time.perf_counter() - begin < seconds:
            for _ in range(_STEPS_PER_IMAGE):
                await stepper.step()
            await asyncio.gather(*(camera.image() for camera in cameras))
            rounds += 1
        factor = rounds * _PERIOD / (time.perf_counter() - begin)
    return [
        at_least("one camera, 320 x 240", "images/s", rate, IMAGES_BOUND),
        at_least("ten cameras of 10 Hz in lockstep", "x real time", factor, LOCKSTEP_BOUND),
    ]
