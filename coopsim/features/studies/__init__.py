"""Runs that are judged, many of them, and what they say together.

```
from coopsim.features.studies import sweep

for row in sweep("formation", ["formation.spacing=0.6:1:0.2"], seeds=5, jitter=0.1):
    print(row["values"], row["seed"], row["success"], row["metrics"]["formation_error_max"])
```
"""

from coopsim.features.studies.sweeping import sweep

__all__ = ["sweep"]
