"""Limits of ROS and C++ on a model: names and large whole numbers."""

import re
from typing import Final

from coopsim.features.amsa.components import Leaf, SystemModel
from coopsim.features.amsa.components.model import NamedValue
from coopsim.features.amsa.components.scenario import SCENARIO_NODE
from coopsim.features.amsa.generation import cpp
from coopsim.scene import Problems, Span

_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_INT32: Final = 2**31


def check_names(model: SystemModel) -> None:
    """Raise every name and number of a system that ROS or C++ does not take.

    Raises:
        BadFile: There is one.
    """
    problems = Problems()
    if not model.leaves:
        problems.add(model.root.span, f"{model.name} has no leaves, of which nodes could be made")
    named: list[tuple[str, Span]] = [(model.name, model.root.span)]
    for leaf in model.leaves.values():
        named += [(leaf.name, leaf.span), (leaf.template.name, leaf.template.span)]
        named += [(link.data, link.span) for link in (*leaf.reads, *leaf.writes)]
        named += [(port.name, port.span) for port in (*leaf.template.inputs, *leaf.template.outputs)]
        named += [(parameter.name, parameter.span) for parameter in leaf.template.parameters]
        _check_whole_numbers(leaf, problems)
        if leaf.name == SCENARIO_NODE:
            problems.add(
                leaf.span, f"{SCENARIO_NODE} is the node that plays scenarios; give the component another name"
            )
        for word in (leaf.name, leaf.template.name):
            if cpp.name(word) != word:
                problems.add(leaf.span, f"{word!r} is a word of C++; give it another name")
    for text, span in dict.fromkeys(named):
        if not _NAME.fullmatch(text):
            problems.add(span, f"ROS takes no name {text!r}: letters a to z, digits and _, beginning with a letter")
    problems.raise_any()


def _check_whole_numbers(leaf: Leaf, problems: Problems) -> None:
    settings = {setting.name: setting for setting in leaf.settings}
    for parameter in leaf.template.parameters:
        given = settings.get(parameter.name, NamedValue(parameter.name, parameter.parameter.default, parameter.span))
        if parameter.type == "int" and not -_INT32 <= int(given.value) < _INT32:
            problems.add(given.span, f"{leaf.name}: whole numbers of ROS parameters have 32 bits, got {given.value}")
