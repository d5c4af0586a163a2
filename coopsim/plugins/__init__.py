"""Engines, devices, control laws and robot types by name: built-in, installed and loose ones, all alike.

An installed package registers through entry points (`coopsim.devices`, `coopsim.engines`, `coopsim.controllers`,
`coopsim.robots`), a loose file through a dictionary `PLUGINS` of the same groups and names:

```
PLUGINS = {"devices": {"lamp": Lamp}}
```

A device is a class, an engine too; a control law is a module with `main(arguments)`, or that function; a robot type is
the path of a `.robot` file. A file without the dictionary is a control law if it has a function `law`. Whatever foreign
code raises becomes `PluginFailed` with its file and line.
"""

from coopsim.plugins._blame import blame, blamed, blamed_location, defined_at, is_interrupt, shown, words
from coopsim.plugins._loose import GROUPS, LooseFile, PlainLaw, is_loading, spelled_path
from coopsim.plugins._registry import (
    Plugin,
    add,
    bring,
    entry_points,
    forget,
    is_foreign,
    is_law_file,
    law_name,
    load,
    loading,
    loose_files,
    process_command,
    registered,
)

__all__ = [
    "GROUPS",
    "LooseFile",
    "PlainLaw",
    "Plugin",
    "add",
    "blame",
    "blamed",
    "blamed_location",
    "bring",
    "defined_at",
    "entry_points",
    "forget",
    "is_foreign",
    "is_interrupt",
    "is_law_file",
    "is_loading",
    "law_name",
    "load",
    "loading",
    "loose_files",
    "process_command",
    "registered",
    "shown",
    "spelled_path",
    "words",
]
