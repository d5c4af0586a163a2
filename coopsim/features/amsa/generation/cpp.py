"""Names and values of a model in C++ and ROS, and those that they do not take."""

import math
import re
from typing import Final

from coopsim.features.amsa.components.model import DataValue, Leaf, NamedValue, SystemModel
from coopsim.features.amsa.components.scenario import SCENARIO_NODE
from coopsim.scene import Problems, Span

TYPES: Final = {"double": "double", "int": "std::int64_t", "bool": "bool", "text": "std::string"}
"""Types of data and parameters."""
_WORDS: Final = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const
consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default delete do
double dynamic_cast else enum explicit export extern false float for friend goto if inline int long main
mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register
reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch template
this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t
while xor xor_eq
"""
_KEYWORDS: Final = frozenset(_WORDS.split())


def name(text: str) -> str:
    """Return a name that C++ takes: words of the language get an underscore."""
    return f"{text}_" if text in _KEYWORDS else text


def literal(value: DataValue, type_name: str) -> str:
    """Return a value as C++ spells it."""
    if type_name == "text":
        return quoted(str(value))
    if type_name == "bool":
        return "true" if value else "false"
    return str(int(value)) if type_name == "int" else number(float(value))


def number(value: float) -> str:
    """Return a number exactly."""
    if math.isinf(value):
        bound = "std::numeric_limits<double>::infinity()"
        return bound if value > 0 else f"-{bound}"
    return repr(float(value))


def quoted(text: str) -> str:
    """Return a text between quotation marks, with bytes beyond ASCII in octal."""
    shown = "".join(
        chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}" for byte in text.encode()
    )
    return f'"{shown}"'


# Limits of ROS and C++ on a model: names and large whole numbers.
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_INT32: Final = 2**31  # parameters of messages are int32 in ROS


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
            if name(word) != word:
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
