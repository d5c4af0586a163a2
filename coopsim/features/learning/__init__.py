"""Learning: many worlds of a scenario in one process, with the bits of each of them alone.

```
from coopsim.features.learning import StartRule, Worlds

with Worlds("formation", 256, starts=[StartRule(distance=0.3)]) as worlds:
    worlds.command("motors", 10, (0.3, 0.1))
    worlds.step(10)
    ranges = worlds.readings("sonars")
```

See docs/learning.md.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from coopsim.features.learning.program import End
    from coopsim.features.learning.ranges import Vary
    from coopsim.features.learning.starts import StartRule
    from coopsim.features.learning.worlds import Worlds

__all__ = ["End", "StartRule", "Vary", "Worlds"]

# imported when first asked for: a policy that drives a robot needs no simulator
_ROOMS = {"End": "program", "StartRule": "starts", "Vary": "ranges", "Worlds": "worlds"}


def __getattr__(name: str) -> Any:
    """Import what is asked for.

    Raises:
        AttributeError: There is no such name.
    """
    if name not in _ROOMS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(f"{__name__}.{_ROOMS[name]}"), name)
