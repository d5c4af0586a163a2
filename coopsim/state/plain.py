"""Plain data from foreign files: counted while it is unpacked, compared with annotations before it is used."""

import math
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, NotRequired, TypeAlias, Union, get_args, get_origin, get_type_hints, is_typeddict

import msgpack

MOST_ITEMS = 1 << 21
"""How many values plain data may hold: each takes some fifty bytes of memory, but as little as one of a file."""
_BYTES_OF_ITEM = 8  # of a longer text; snapshots of large worlds have ten to a value
_DEEPEST = 64  # levels; a stranger's nested list must not exhaust the stack
_SHOWN = 40  # letters of a name in a path

Check: TypeAlias = Callable[[Any], None]
Count = Annotated[int, 0]
"""A whole number from 0; the second argument of `Annotated` is the lowest value, a third one the highest."""
AnyFloat = Annotated[float, "any"]
"""A number that may be infinite or undefined, too."""
AnyParam = Annotated[int | float | str, "any"]
"""Params of a reply; its sender has checked them."""


class Misfit(ValueError):
    """A value that is not what it should be; `str` says where, what was expected and what is there."""

    def __init__(self, expected: str, value: Any, place: str = "") -> None:
        self._expected, self._found, self._place = expected, value, place
        super().__init__(expected, value, place)

    def within(self, place: str) -> "Misfit":
        """Return it as seen from outside: `[3]`, `.name`."""
        return Misfit(self._expected, self._found, place + self._place)

    def __str__(self) -> str:
        place = self._place.lstrip(".")
        return f"{place}{': ' * bool(place)}expected {self._expected}, found {_shown(self._found)}"


def unpack(raw: bytes | memoryview, *, use_list: bool = True) -> Any:
    """Return what a msgpack text says.

    Args:
        raw: The text.
        use_list: Whether arrays become lists; else tuples.

    Raises:
        ValueError: It is none, or it holds more than `MOST_ITEMS` values, and more than its length is worth.
    """
    most = max(MOST_ITEMS, len(raw) // _BYTES_OF_ITEM)
    try:
        counter = _Counter(most)
        return msgpack.unpackb(
            raw,
            use_list=use_list,
            list_hook=counter.count,
            object_hook=counter.count,
            max_array_len=most,
            max_map_len=most,
        )
    except (msgpack.UnpackException, OverflowError) as problem:
        raise ValueError(f"it cannot be unpacked: {problem or type(problem).__name__}") from None


class _Counter:
    def __init__(self, most: int) -> None:
        self._most = self._left = most

    def count(self, value: Any) -> Any:
        """Return what was unpacked, counted."""
        # counted while unpacking: msgpack limits each list, not what nested ones hold together
        self._left -= 1 + len(value)
        if self._left < 0:
            raise ValueError(f"it holds more than {self._most} values")
        return value


def check(value: Any, kind: Any, place: str = "") -> None:
    """Check that a value is what an annotation says.

    Args:
        value: Plain data; dictionaries stand for `TypedDict`s, lists for tuples, dataclasses for themselves.
        kind: `float` means a finite number; `Any` whatever JSON can hold; `object` whatever there is.
        place: What to call it.

    Raises:
        Misfit: It is something else.
    """
    try:
        checker(kind)(value)
    except Misfit as problem:
        raise problem.within(place) from None


def check_members(thing: Any) -> None:
    """Check that the members of a dataclass are what their annotations say.

    Raises:
        Misfit: One is something else.
    """
    kind: Any = type(thing)
    for name, checked in _members(kind):
        _at(f".{name}", checked, getattr(thing, name))


@cache
def checker(kind: Any) -> Check:
    """Return what compares values with an annotation."""
    origin, arguments = get_origin(kind), get_args(kind)
    # before `Annotated`: AnyFloat and AnyParam are annotated themselves, and listed whole
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    if origin is Annotated:
        return _within(*kind.__metadata__)
    if origin in (Union, UnionType):
        return _one_of(kind, tuple(map(checker, arguments)))
    if origin is tuple and arguments[-1:] != (...,):
        return _row(tuple(map(checker, arguments)))
    if origin in (tuple, list):
        return _many(checker(arguments[0]))
    if is_typeddict(kind):
        return _keys(kind)
    if is_dataclass(kind):
        return _instance(kind)
    return _map(*map(checker, arguments))


def _at(place: str, checked: Check, value: Any) -> None:
    try:
        checked(value)
    except Misfit as problem:
        raise problem.within(place) from None


@cache
def _members(kind: Any) -> tuple[tuple[str, Check], ...]:
    hints = get_type_hints(kind, include_extras=True)
    return tuple((field.name, checker(hints[field.name])) for field in fields(kind))


# values


def _float(value: Any) -> None:
    # `type`, not isinstance: bool is a kind of int, and no number here
    if type(value) not in (int, float) or not math.isfinite(value):
        raise Misfit("a finite number", value)


def _any_float(value: Any) -> None:
    if type(value) not in (int, float):
        raise Misfit("a number", value)


def _int(value: Any) -> None:
    # 64 bits: kernels and the other languages hold no more
    if type(value) is not int or not -(2**63) <= value < 2**63:
        raise Misfit("a whole number", value)


def _str(value: Any) -> None:
    if type(value) is not str:
        raise Misfit("text", value)


def _bool(value: Any) -> None:
    if type(value) is not bool:
        raise Misfit("yes or no", value)


def _bytes(value: Any) -> None:
    if type(value) is not bytes:
        raise Misfit("bytes", value)


def _none(value: Any) -> None:
    if value is not None:
        raise Misfit("nothing", value)


def _json(value: Any, deep: int = 0) -> None:
    match value:
        case list() | tuple() if deep < _DEEPEST:
            for index, element in enumerate(value):
                _at(f"[{index}]", lambda value: _json(value, deep + 1), element)
        case dict() if deep < _DEEPEST:
            for name, member in value.items():
                _str(name)
                _at(f".{name[:_SHOWN]}", lambda value: _json(value, deep + 1), member)
        case int() | float() | str() | None if _is_plain(value):
            return
        case _:
            raise Misfit("a number, text, or a list or map of such", value)


def _is_plain(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    # the range of msgpack, which refuses any other whole number with an OverflowError
    return not isinstance(value, int) or -(2**63) <= value < 2**64


_SIMPLE: dict[Any, Check] = {
    float: _float,
    AnyFloat: _any_float,
    AnyParam: lambda _: None,
    int: _int,
    str: _str,
    bool: _bool,
    bytes: _bytes,
    NoneType: _none,
    Any: _json,
    object: lambda _: None,
}


def _within(low: float, high: float = 2**63 - 1) -> Check:
    def checked(value: Any) -> None:
        if type(value) is not int or not low <= value <= high:
            raise Misfit(f"a whole number from {low}" + (f" to {high}" if high < 2**62 else ""), value)

    return checked


# containers


def _many(inner: Check) -> Check:
    def checked(value: Any) -> None:
        if type(value) not in (list, tuple):
            raise Misfit("a list", value)
        for index, element in enumerate(value):
            try:
                inner(element)
            except Misfit as problem:
                raise problem.within(f"[{index}]") from None

    return checked


def _row(inners: tuple[Check, ...]) -> Check:
    def checked(value: Any) -> None:
        if type(value) not in (list, tuple) or len(value) != len(inners):
            raise Misfit(f"a list of {len(inners)}", value)
        for index, (inner, element) in enumerate(zip(inners, value, strict=True)):
            _at(f"[{index}]", inner, element)

    return checked


def _map(key: Check, inner: Check) -> Check:
    def checked(value: Any) -> None:
        if not isinstance(value, Mapping):
            raise Misfit("a map", value)
        for name, member in value.items():
            key(name)
            _at(f".{_shown(name)}", inner, member)

    return checked


def _keys(kind: Any) -> Check:
    hints = {
        name: checker(_unwrapped(type_hint)) for name, type_hint in get_type_hints(kind, include_extras=True).items()
    }
    needed = kind.__required_keys__

    def checked(value: Any) -> None:
        if type(value) is not dict:
            raise Misfit("a map", value)
        for name, inner in hints.items():
            if name in value:
                _at(f".{name}", inner, value[name])
            elif name in needed:
                raise Misfit("a value", None, f".{name}")

    return checked


def _unwrapped(kind: Any) -> Any:
    """Return an annotation without `NotRequired`."""
    return get_args(kind)[0] if get_origin(kind) is NotRequired else kind


def _one_of(kind: Any, inners: tuple[Check, ...]) -> Check:
    names = " or ".join(getattr(arg, "__name__", str(arg)) for arg in get_args(kind))

    def checked(value: Any) -> None:
        for inner in inners:
            try:
                return inner(value)
            except Misfit:
                continue
        raise Misfit(names, value)

    return checked


def _instance(kind: Any) -> Check:
    def checked(value: Any) -> None:
        if type(value) is not kind:
            raise Misfit(f"a {kind.__name__}", value)
        check_members(value)

    return checked


def _shown(value: Any) -> str:
    """Return a value as short text without control characters."""
    if isinstance(value, list | tuple | dict | bytes):
        return f"{type(value).__name__} of {len(value)}"
    # repr of a huge number takes seconds, and Python may refuse it
    text = repr(value)[: _SHOWN + 1] if not isinstance(value, int) or -(2**70) < value < 2**70 else "a huge number"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
