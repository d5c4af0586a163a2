"""A simulation and its clients in one process: no sockets, no other processes, the same client and the same hashes.

```
import coopsim

with coopsim.open("formation") as sim, sim.stepper() as stepper:
    for _ in range(100):
        readings = stepper.step([(0.3, 0.0)] * len(stepper.robots))
```

`LocalServer` serves several clients, and whole programs such as our control laws, which `connect()` by themselves.
Time stands still between steps, as in lockstep: a tick is done when all robots that have an owner were commanded.
"""

from coopsim.inprocess.server import LocalServer, connect, open_scenario
from coopsim.inprocess.source import DirectSource

__all__ = ["DirectSource", "LocalServer", "connect", "open_scenario"]
