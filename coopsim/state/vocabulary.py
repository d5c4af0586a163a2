"""Frozen dataclasses as plain data and back: each says under a mark which one it is."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Generic, TypeVar, Union, get_args, get_origin, get_type_hints

from coopsim.state.plain import Misfit, checker

Kind = TypeVar("Kind")


class Declared:
    """Equality, hash and text of dataclasses.

    They stand here once: to generate them for each of a hundred classes would take a tenth of a second at each start.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        # exact: an edit of a subclass does something else, even with equal fields
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in _compared(type(self)))

    def __hash__(self) -> int:
        return hash((type(self), *(getattr(self, name) for name in _compared(type(self)))))

    def __repr__(self) -> str:
        kind: Any = type(self)
        return f"{kind.__name__}({', '.join(f'{field.name}={getattr(self, field.name)!r}' for field in fields(kind))})"


class Vocabulary(Generic[Kind]):
    """Dataclasses by name, and their serialised form: plain data without defaults.

    The name of `SetSpeed` is `set_speed`, unless the class says otherwise in `word`.

    Args:
        mark: The key under which the serialised form has the name.
        kinds: The dataclasses.
    """

    def __init__(self, mark: str, kinds: Iterable[type[Kind]] = ()) -> None:
        self.mark = mark
        self._kinds: dict[str, type[Kind]] = {}
        for kind in kinds:
            self.register(kind)

    def register(self, kind: type[Kind]) -> None:
        """Add a dataclass.

        Raises:
            ValueError: Another one has its name.
        """
        name = name_of(kind)
        # the same class again is no mistake; another one of its name would make old texts mean something else
        if self._kinds.setdefault(name, kind) is not kind:
            raise ValueError(f"there are two of the name {name!r}: {self._kinds[name].__name__} and {kind.__name__}")

    def __getitem__(self, name: str) -> type[Kind]:
        return self._kinds[name]

    def __contains__(self, name: object) -> bool:
        return name in self._kinds

    @property
    def names(self) -> list[str]:
        """Of all dataclasses, in the order in which they were added."""
        return list(self._kinds)

    def knows(self, plain: Mapping[str, Any]) -> bool:
        """Return whether there may be a message of this name with fields of these names.

        Raises:
            Misfit: It has no name.
        """
        kind: Any = self._kinds.get(self._name(plain))
        return kind is not None and plain.keys() <= {self.mark, *_readers(kind)}

    def to_plain(self, message: Kind) -> dict[str, Any]:
        """Return the serialised form of a message."""
        return {self.mark: name_of(type(message)), **members(message)}

    def from_plain(self, plain: Any) -> Kind:
        """Return the message of a serialised form.

        Raises:
            Misfit: It is none, or one of its fields is missing, unknown or of another type.
        """
        if not isinstance(plain, Mapping):
            raise Misfit("a map", plain)
        name = self._name(plain)
        if name not in self._kinds:
            raise Misfit(f"one of {', '.join(self._kinds)}", name, f".{self.mark}")
        instance: Kind = _made(self._kinds[name], {key: value for key, value in plain.items() if key != self.mark})
        return instance

    def _name(self, plain: Mapping[str, Any]) -> str:
        name = plain.get(self.mark)
        if not isinstance(name, str):
            raise Misfit("a name" if name is None else "text", name, f".{self.mark}")
        return name


def _compare_fields(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.compare)


_compared: Callable[[Any], tuple[str, ...]] = cache(_compare_fields)


@cache
def _name_of(kind: Any) -> str:
    """Return the name of a dataclass in a vocabulary."""
    return kind.__dict__.get("word") or re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()


name_of: Callable[[Any], str] = _name_of


def members(thing: Any) -> dict[str, Any]:
    """Return the fields of a dataclass that are not as by default; dataclasses within become dictionaries, too."""
    kinds = {}
    kind: Any = type(thing)
    for name, default in _defaults(kind):
        value = getattr(thing, name)
        # defaults are left out, so that a new field leaves the bytes of old edits as they are
        if default is MISSING or value != default:
            kinds[name] = plain_of(value) if is_dataclass(value) else value
    return kinds


def plain_of(value: Any) -> dict[str, Any]:
    """Return the serialised form of a dataclass within a message.

    Raises:
        TypeError: It is no dataclass.
    """
    if hasattr(value, "to_plain"):
        plain: dict[str, Any] = value.to_plain()
        return plain
    if not is_dataclass(value):
        raise TypeError(f"a {type(value).__name__} cannot travel")
    return members(value)


@cache
def _defaults(kind: Any) -> tuple[tuple[str, Any], ...]:
    return tuple(
        (field.name, field.default if field.default_factory is MISSING else field.default_factory())
        for field in fields(kind)
    )


# reading

_Reader = Callable[[Any], Any]
_is_dataclass: Callable[[Any], bool] = is_dataclass


@cache
def _readers(kind: Any) -> dict[str, tuple[_Reader, bool]]:
    """Return for each field what reads it, and whether it must be there."""
    hints = get_type_hints(kind, include_extras=True)
    return {
        field.name: (_reader(hints[field.name]), field.default is MISSING and field.default_factory is MISSING)
        for field in fields(kind)
    }


def _made(kind: Any, plain: Mapping[str, Any]) -> Any:
    readers = _readers(kind)
    for name in plain:
        # an unknown field is refused: a newer version may mean something by it that matters
        if name not in readers:
            raise Misfit(f"no field of this name, but {', '.join(readers) or 'none'}", plain[name], f".{name}")
    kinds = {}
    for name, (reader, is_needed) in readers.items():
        if name in plain:
            kinds[name] = _at(f".{name}", reader, plain[name])
        elif is_needed:
            raise Misfit("a value", None, f".{name}")
    return kind(**kinds)


def _at(place: str, reader: _Reader, value: Any) -> Any:
    try:
        return reader(value)
    except Misfit as problem:
        raise problem.within(place) from None


@cache
def _reader(kind: Any) -> _Reader:
    """Return what checks a value and makes of it what an annotation says."""
    origin: Any = get_origin(kind)
    arguments: tuple[Any, ...] = get_args(kind)
    if hasattr(kind, "from_plain"):
        reader: _Reader = kind.from_plain
        return reader
    if is_dataclass(kind):
        return _converting(dict[str, object], lambda value: _made(kind, value))
    if origin in (Union, UnionType) and any(map(is_dataclass, arguments)):
        some: Any = next(argument for argument in arguments if argument is not NoneType)
        inner = _reader(some)
        return lambda value: None if value is None else inner(value)
    if origin is tuple and arguments[-1] is ...:
        inner = _reader(arguments[0])
        return _converting(
            list[object], lambda values: tuple(_at(f"[{i}]", inner, value) for i, value in enumerate(values))
        )
    if origin is tuple:
        return _converting(kind, tuple)
    if origin is dict and _is_dataclass(arguments[1]):
        inner = _reader(arguments[1])
        return _converting(
            dict[str, object], lambda values: {name: _at(f".{name}", inner, value) for name, value in values.items()}
        )
    return _converting(kind, lambda value: value)


def _converting(kind: Any, convert: _Reader) -> _Reader:
    """Return what checks a value and then converts it."""
    check = checker(kind)

    def read(value: Any) -> Any:
        check(value)
        return convert(value)

    return read
