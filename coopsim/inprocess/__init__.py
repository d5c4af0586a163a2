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

from importlib import import_module
from typing import TYPE_CHECKING, Any

from coopsim.inprocess.source import DirectSource

if TYPE_CHECKING:
    from coopsim.inprocess.server import LocalServer, connect, open_scenario

__all__ = ["DirectSource", "LocalServer", "connect", "open_scenario"]


def __getattr__(name: str) -> Any:
    """Import the server when it is first asked for: who ticks by himself needs none."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("coopsim.inprocess.server"), name)
