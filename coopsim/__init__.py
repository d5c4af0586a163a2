"""coopsim: a multi-robot simulator whose robots look on the network exactly like real ones.

```
import coopsim

with coopsim.open("single") as sim:
    sim.robot("robot1").motors.set_velocity(0.3, 0.1)
```

| name | for |
|---|---|
| `open` | a scenario that is simulated in this process, as its client |
| `connect` | a client of a simulation, a recording or a real robot on the network |
| `open_recording` | the records of a recording |
| `sweep` | many runs of a scenario, with values and seeds |
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from coopsim.client import connect
    from coopsim.inprocess import open_scenario as open  # noqa: A004 - `coopsim.open`, as `gzip.open`
    from coopsim.recording import Recording as open_recording  # noqa: N813 - it is called to open

    __version__: str

__all__ = ["connect", "open", "open_recording", "show", "sweep"]

# imported when first asked for: `import coopsim.client` must need no simulator
_SHORT_NAMES = {
    "connect": ("coopsim.client", "connect"),
    "open": ("coopsim.inprocess", "open_scenario"),
    "open_recording": ("coopsim.recording", "Recording"),
    "__version__": ("coopsim.version", "VERSION"),
}


def __getattr__(name: str) -> Any:
    """Import what a short name stands for.

    Raises:
        AttributeError: There is no such name.
    """
    if name in _SHORT_NAMES:
        module, member = _SHORT_NAMES[name]
        return getattr(import_module(module), member)
    # a submodule that nobody has imported yet is asked for here first: no scan of all packages for it
    if find_spec(f"coopsim.{name}") is None:
        from coopsim.plugins import entry_points

        for point in entry_points("coopsim.short_names").select(name=name):
            return point.load()
    raise AttributeError(f"module 'coopsim' has no attribute {name!r}; it has {', '.join(__all__)}, and its rooms")
