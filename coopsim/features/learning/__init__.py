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

from coopsim.features.learning.program import End
from coopsim.features.learning.ranges import Vary
from coopsim.features.learning.starts import StartRule
from coopsim.features.learning.worlds import Worlds

__all__ = ["End", "StartRule", "Vary", "Worlds"]
