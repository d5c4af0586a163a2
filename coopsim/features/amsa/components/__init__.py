"""Systems of components: templates, leaves, data and the order in which they run; their text; scenarios of parameters.

Knows no sockets and no clocks: a system is a value, and time is a number that its steps count.

```
system = System(load_system("challenge"))
system.initialize()
system.run_until(10.0)
print(system.value("distanceFollowerLeader"))
```
"""

from coopsim.features.amsa.components.behavior import Behavior
from coopsim.features.amsa.components.checking import check_model
from coopsim.features.amsa.components.files import load_scenario, load_system
from coopsim.features.amsa.components.kinds import LeafKind
from coopsim.features.amsa.components.measures import SystemMetric, SystemRun
from coopsim.features.amsa.components.model import (
    Alias,
    Composite,
    DataLink,
    Leaf,
    NamedValue,
    Port,
    SystemModel,
    Template,
    TypedParameter,
)
from coopsim.features.amsa.components.order import execution_order
from coopsim.features.amsa.components.scenario import ParameterScenario
from coopsim.features.amsa.components.system import LeafFault, System

__all__ = [
    "Alias",
    "Behavior",
    "Composite",
    "DataLink",
    "Leaf",
    "LeafFault",
    "LeafKind",
    "NamedValue",
    "ParameterScenario",
    "Port",
    "System",
    "SystemMetric",
    "SystemModel",
    "SystemRun",
    "Template",
    "TypedParameter",
    "check_model",
    "execution_order",
    "load_scenario",
    "load_system",
]
