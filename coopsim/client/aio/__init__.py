"""The client for asyncio: the names of `coopsim.client`, and whatever asks the simulation is awaited.

```
import asyncio

from coopsim.client.aio import connect

async def main():
    async with connect() as sim:
        robot = sim.robot("robot1")
        await robot.motors.set_velocity(0.3, 0.1)
        seen = await robot.sonars.ranges()
        print(seen.ranges)

asyncio.run(main())
```

Any number of requests may be under way on one connection. Each has its own time-out. A cancelled one is forgotten: the
connection goes on, and a late reply is ignored. Names are looked up when they are
first awaited, so that a wrong one is an error there and not before. What differs from the waiting client:

* `async with` and `async for` where there is `with` and `for`; `sim = await connect()` without a block;
* `await module.interface`, `await module.parameters["reach"]`, `await stepper.readings`: they may have to ask;
* a parameter is changed by `await module.set_parameter("reach", 2.0)`;
* a law of `run` may be a coroutine function.
"""

from coopsim.client.aio.client import Client, connect
from coopsim.client.aio.events import EventStream
from coopsim.client.aio.module import Call, Module, Parameters
from coopsim.client.aio.robot import Robot
from coopsim.client.aio.stepper import Law, Stepper
from coopsim.client.aio.stream import Stream
from coopsim.client.endpoints import DEFAULT, VARIABLE
from coopsim.client.images import Image
from coopsim.client.keys import Keys
from coopsim.client.reading import Reading
from coopsim.client.readings import ModuleReadings, Readings, Rows
from coopsim.client.stream_base import State

__all__ = [
    "DEFAULT",
    "VARIABLE",
    "Call",
    "Client",
    "EventStream",
    "Image",
    "Keys",
    "Law",
    "Module",
    "ModuleReadings",
    "Parameters",
    "Reading",
    "Readings",
    "Robot",
    "Rows",
    "State",
    "Stepper",
    "Stream",
    "connect",
]
