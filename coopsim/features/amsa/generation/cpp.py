"""Names and values of a model in C++."""

import math
from typing import Final

from coopsim.features.amsa.components.model import DataValue

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
