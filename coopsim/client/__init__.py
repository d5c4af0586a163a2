"""Client for controllers in Python: connect() and the modules of robots, by name.

```
from coopsim.client import connect

with connect() as sim:
    robot = sim.robot("robot1")
    robot.motors.set_velocity(0.3, 0.1)
    print(robot.sonars.ranges().ranges)
```

Many robots in one message per step, in lockstep and in real time alike:

```
with connect() as sim, sim.stepper(["robot1", "robot2"]) as stepper:
    while stepper.readings.sonars.ranges.min() > 0.3:
        stepper.step([(0.3, 0.0), (0.2, 0.1)])
```

A time-out is an `errors.NoReply` that says where, how long and, if the server still answers, why. A refusal is the
exception of its number. A simulator is not imported: a controller needs numpy, msgpack and pyzmq alone.
"""

from coopsim.client.client import Client, connect
from coopsim.client.endpoints import DEFAULT, VARIABLE
from coopsim.client.events import EventStream
from coopsim.client.images import Image
from coopsim.client.keys import Keys
from coopsim.client.module import Call, Module, Parameters
from coopsim.client.reading import Reading
from coopsim.client.readings import ModuleReadings, Readings, Rows
from coopsim.client.robot import Robot
from coopsim.client.stepper import Law, Stepper
from coopsim.client.stream import Stream
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
