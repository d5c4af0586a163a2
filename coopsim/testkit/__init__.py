"""Public checkers for people who write an engine, a device, a controller, a client or a server.

* `ChaosProxy` makes the network between client and server bad, repeatably.
* `Run` is a simulation in processes of its own; `Driver` a controller that can be killed, stopped, or made to hang.
* `RawClient` sends bytes without manners; `MALFORMED` are messages that no server may accept.
* `check_engine` holds a physics engine to the contract, one line for each promise.
* `coopsim.testkit.hostile` sends hostile values to every command of every module of a run, or of your own server.
* `coopsim.testkit.fuzz` feeds mutated inputs to every reader of foreign bytes.
"""

from coopsim.testkit.chaos import Chaos, Fate
from coopsim.testkit.chaos_proxy import ChaosProxy, Counts
from coopsim.testkit.driver import Driver
from coopsim.testkit.engines import EngineReport, check_engine
from coopsim.testkit.raw import MALFORMED, RawClient
from coopsim.testkit.run import Run, children, descriptors_of, memory_of

__all__ = [
    "MALFORMED",
    "Chaos",
    "ChaosProxy",
    "Counts",
    "Driver",
    "EngineReport",
    "Fate",
    "RawClient",
    "Run",
    "check_engine",
    "children",
    "descriptors_of",
    "memory_of",
]
