"""Behaviors of leaves: a class or a function, looked up by the template's name."""

import keyword
import random
import re
import sys
from collections.abc import Mapping
from typing import Any

from coopsim import plugins
from coopsim.errors import NoSuchPlugin, PluginFailed
from coopsim.features.amsa.components.model import Leaf
from coopsim.suggest import hint

GROUP = "components"


class Behavior:
    """Computation of a leaf; classes may derive from it, or have the same two methods.

    Attributes:
        name: Of the leaf.
        period: Time between two steps [s].
        random: Random numbers of this leaf: they follow from the seed and its name, and begin anew with `initialize`.
    """

    name: str
    period: float
    random: random.Random

    def initialize(self) -> None:
        """Prepare for the first step, at the start and at each reset."""

    def do_step(self, inputs: Any, parameters: Any) -> Any:
        """Carry out a step.

        Args:
            inputs: Newest data by the names of the inputs, `inputs.posX`; they do not change during a step.
            parameters: Values of the parameters by name, `parameters.Kv`.

        Returns:
            The outputs: a tuple in the template's order, a mapping by name, or the value of a single output.
        """
        raise NotImplementedError


class _OfFunction(Behavior):
    """A leaf without memory: one function `(inputs, parameters) -> outputs`."""

    def __init__(self, function: Any) -> None:
        self.do_step = function  # type: ignore[method-assign]  # the step is the function itself


def behavior_of(leaf: Leaf, given: Mapping[str, Any]) -> Any:
    """Return a new behavior for a leaf.

    Args:
        leaf: Whose.
        given: Classes and functions by the name of the template, looked at before the registered ones.

    Raises:
        NoSuchPlugin: There is none for the template.
        PluginFailed: It cannot be made, or has no `do_step`.
    """
    template = leaf.template.name
    component = given[template] if template in given else _registered(template)
    what = f"component {template}"
    with plugins.blamed(what):
        behavior = (
            component() if isinstance(component, type) else _OfFunction(component) if callable(component) else component
        )
    if not callable(getattr(behavior, "do_step", None)):
        raise PluginFailed(f"{what}: needs a method do_step(inputs, parameters)")
    with plugins.blamed(what):
        behavior.name, behavior.period = leaf.name, float(1 / leaf.rate)
    return behavior


def _registered(template: str) -> Any:
    templates = plugins.registered(GROUP)
    if template not in templates:
        names = ", ".join(templates) or "none"
        raise NoSuchPlugin(
            f"nothing says what template {template!r} does{hint(template, templates)}; registered components: {names}"
        ).advise(f"`coopsim new component {_file_name(template)}` writes one; --plugin FILE.py loads it.")
    return plugins.load(GROUP, template)


def _file_name(template: str) -> str:
    """Return the name that files of a component have: of `GainSwitch` it is gain_switch."""
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", template).lower()
    return f"my_{name}" if name in sys.stdlib_module_names or keyword.iskeyword(name) else name
