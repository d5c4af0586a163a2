"""Leaves and data as modules: what others read of them and may set, out of what a template declares."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from coopsim.features.amsa.components.bindings import from_text
from coopsim.features.amsa.components.model import Leaf
from coopsim.features.amsa.components.whole_text import model_of
from coopsim.interfaces import Command, Effect, Field, Interface, Output, Parameter, Value
from coopsim.message.targets import DATA_FOLDER

DECLARED, SHOWN = "_declared", "_shown"
"""Settings of such a device that are no parameters: what it declares, as JSON, and whose face it is."""
_KINDS: Final[Mapping[str, Any]] = {"float": float, "int": int, "str": str}

LEAF: Final = Interface(
    "leaf",
    "A leaf of a system of components; a section [SYSTEM_n] makes it.",
    (
        Command(10, "outputs", "What it put out last.", gives=(Field("is_running", "1", "1 while it steps, else 0"),)),
        Command(11, "replace", "Take its place: these are its outputs from now on.", effect=Effect.SET),
        Command(12, "resume", "Let it step again.", effect=Effect.SET),
    ),
    is_stepped=False,
)
DATA: Final = Interface(
    "data",
    "Data of a system of components; a section [SYSTEM_n] makes it.",
    (
        Command(
            10,
            "read",
            "The newest value.",
            gives=(Field("value", "1", "what was written last"), Field("is_written", "1", "1 while a client writes")),
        ),
        Command(
            11, "write", "Write it in the place of its leaf.", (Field("value", "1", "from now on"),), (), Effect.SET
        ),
        Command(12, "release", "Leave it to its leaf again.", effect=Effect.SET),
    ),
    is_stepped=False,
)
SYSTEM: Final = Interface(
    "system",
    "A system of components on board of a robot; a section [SYSTEM_n] makes it.",
    (
        Command(
            10,
            "state",
            "What it is doing.",
            gives=(Field("time", "s", "since it began"), Field("off", "1", "how many leaves are switched off")),
        ),
    ),
    (
        Parameter("model", str, "", summary="templates and system", fixed=True),
        Parameter("inputs", str, "", summary="readings that become data", fixed=True),
        Parameter("drives", str, "", summary="data that become commands", fixed=True),
    ),
)
# equal on purpose: the device looks at one number, whether a leaf or data is commanded
REPLACE = WRITE = 11
"""Numbers of the commands by which a client takes the place of a leaf."""


def declared(leaf: Leaf) -> str:
    """Return what the module of a leaf declares, as text."""
    module_fields = {
        "kind": leaf.template.name,
        "role": leaf.kind.value,
        "outputs": [port.name for port in leaf.template.outputs],
        "parameters": [_plain(parameter.parameter) for parameter in leaf.template.parameters],
    }
    return json.dumps(module_fields, separators=(",", ":"))


def leaf_interface(settings: Mapping[str, Value]) -> Interface:
    """Return the interface of the module of a leaf, out of the settings of its device."""
    # asked for the tables of the manual, where no system has made the leaf
    if DECLARED not in settings:
        return LEAF
    module_fields = json.loads(str(settings[DECLARED]))
    outputs, replace_, resume = LEAF.commands
    fields = tuple(Field(name, "1", "output") for name in module_fields["outputs"])
    numbers = (replace(outputs, gives=(*fields, *outputs.gives)), replace(replace_, takes=fields), resume)
    summary = f"A leaf of a system of components: {module_fields['role']}, template {module_fields['kind']}."
    commands = numbers if fields else (outputs,)
    parameters = tuple(map(_parameter, module_fields["parameters"]))
    return Interface(module_fields["kind"], summary, commands, parameters, is_stepped=False)


def data_interface(_settings: Mapping[str, Value]) -> Interface:
    """Return the interface of the module of data, the same for all."""
    return DATA


def system_interface(settings: Mapping[str, Value]) -> Interface:
    """Return the interface of a system: it commands its faces, which clients command, and devices of its robot."""
    if not settings.get("model"):
        return SYSTEM
    model = model_of(str(settings["model"]))
    # a leaf without outputs has nothing that a client could put in its place
    leaves = [leaf for leaf in model.leaves.values() if leaf.template.outputs]
    faces = [Output(name, name, ("write",)) for name in map(data_module, model.producers())]
    faces += [Output(leaf.name, leaf.name, ("replace",)) for leaf in leaves]
    own = {(link.to.module, link.to.name) for link in from_text(str(settings["drives"])) if not link.to.robot}
    return replace(SYSTEM, outputs=(*faces, *(Output(f"{a}.{b}", a, (b,)) for a, b in sorted(own))))


def data_module(name: str) -> str:
    """Return the name of the module of data on a robot."""
    return DATA_FOLDER + name


def _plain(parameter: Parameter) -> list[Any]:
    """Return a parameter as JSON holds it: infinite limits as none."""
    low, high = (None if abs(limit) == float("inf") else limit for limit in (parameter.low, parameter.high))
    return [parameter.name, parameter.kind.__name__, parameter.default, parameter.unit, low, high, parameter.summary]


def _parameter(plain: list[Any]) -> Parameter:
    name, kind, default, unit, low, high, summary = plain
    low, high = -float("inf") if low is None else low, float("inf") if high is None else high
    return Parameter(name, _KINDS[kind], default, unit, low, high, summary)
