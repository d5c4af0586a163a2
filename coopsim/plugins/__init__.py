"""Engines, devices, control laws and robot types by name: built-in, installed and loose ones, all alike.

An installed package registers through entry points (`coopsim.devices`, `coopsim.engines`, `coopsim.controllers`,
`coopsim.robots`), a loose file through a dictionary `PLUGINS` of the same groups and names:

```
PLUGINS = {"devices": {"lamp": Lamp}}
```

A device is a class, an engine too; a control law is a module with `main(arguments)`, or that function; a robot type is
the path of a `.robot` file. Whatever foreign code raises becomes `PluginFailed` with its file and line.
"""

from coopsim.plugins._blame import blame, blamed, is_interrupt, place_of, shown, words
from coopsim.plugins._loose import GROUPS, LooseFile
from coopsim.plugins._registry import Plugin, add, forget, is_foreign, load, loose_files, registered

__all__ = [
    "GROUPS",
    "LooseFile",
    "Plugin",
    "add",
    "blame",
    "blamed",
    "forget",
    "is_foreign",
    "is_interrupt",
    "load",
    "loose_files",
    "place_of",
    "registered",
    "shown",
    "words",
]
