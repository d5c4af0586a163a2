"""Results of a command, as a tuple with names."""

import keyword
from collections.abc import Sequence
from operator import itemgetter
from typing import Any, ClassVar

import numpy as np

from coopsim.errors import MalformedMessage
from coopsim.geometry import Floats
from coopsim.interfaces import Command, Field
from coopsim.message import Message, Param


class Reading(tuple[Any, ...]):
    """The answer of a module: a tuple whose items have names, `reading.ranges`.

    One physical value is a float, a run of them an array of float64; one param is itself, a run of them a tuple.
    """

    _fields: ClassVar[tuple[str, ...]] = ()

    def __new__(cls, values: Sequence[Any], tick: int) -> "Reading":
        """Return a reading of `tick`."""
        reading = super().__new__(cls, values)
        reading._tick = tick
        return reading

    _tick: int

    @property
    def tick(self) -> int:
        """The tick that the reading speaks of."""
        return self._tick

    def _asdict(self) -> dict[str, Any]:
        return dict(zip(self._fields, self, strict=True))

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self._asdict().items())
        return f"{type(self).__name__}({shown})"


def reading_class(command: Command) -> type[Reading]:
    """Return the class of what `command` gives."""
    names = tuple(_identifier(field.name) for field in command.gives)
    body: dict[str, Any] = {"_fields": names, "__doc__": command.summary}
    for place, (name, field) in enumerate(zip(names, command.gives, strict=True)):
        body[name] = property(itemgetter(place), doc=f"{field.summary} [{field.unit}]" if field.unit else field.summary)
    return type(command.name, (Reading,), body)


def unpack(fields: tuple[Field, ...], reply: Message) -> list[Any]:
    """Return the values of `fields` out of a reply.

    Raises:
        MalformedMessage: The reply has more or fewer values than the fields.
    """
    params = _Source(*_completed(reply.params, [field for field in fields if field.place == "params"]))
    data = _Source(reply.data, [field for field in fields if field.place == "data"])
    values = [_number(field, data) if field.place == "data" else _param(field, params) for field in fields]
    if not params.is_used_up or not data.is_used_up:
        raise MalformedMessage(
            f"{reply.target} gave {len(reply.params)} params and {len(reply.data)} data, not as described"
        )
    return values


def field_slices(fields: Sequence[Field], count: int) -> list[slice] | None:
    """Return which of so many values are those of each field, None where the fields have more or fewer."""
    source, values, at = _Source(range(count), list(fields)), [], 0
    for field in fields:
        try:
            end = at + len(source.read(int(field.count)))
        except MalformedMessage:
            return None
        values.append(slice(at, end))
        at = end
    return values if source.is_used_up else None


def _completed(params: Sequence[Param], fields: list[Field]) -> tuple[Sequence[Param], list[Field]]:
    """Return the params with the defaults of those that an older server leaves out at the end."""
    wanted = [field for field in fields if field.count != 0]
    missing = wanted[len(params) :]
    if missing and all(field.default is not None for field in missing):
        params = (*params, *(field.default for field in missing if field.default is not None))
    return params, fields


class _Source:
    """Values that are taken from the front; a field of any number leaves what the others need."""

    def __init__(self, values: Sequence[Any] | Floats, fields: list[Field]) -> None:
        self._values = values
        self._at = 0
        self._any = len(values) - sum(int(field.count) for field in fields)

    @property
    def is_used_up(self) -> bool:
        return self._at == len(self._values)

    def read(self, count: int) -> Sequence[Any] | Floats:
        length = count or max(self._any, 0)
        taken = self._values[self._at : self._at + length]
        if len(taken) < length:
            raise MalformedMessage(f"{length} values were expected, {len(taken)} are left")
        self._at += length
        return taken


def _number(field: Field, data: _Source) -> float | Floats:
    taken = data.read(int(field.count))
    return float(taken[0]) if field.count == 1 else np.asarray(taken, np.float64)


def _param(field: Field, params: _Source) -> Param | tuple[Param, ...]:
    taken = params.read(int(field.count))
    return taken[0] if field.count == 1 else tuple(taken)


def _identifier(name: str) -> str:
    return name if name.isidentifier() and not keyword.iskeyword(name) else f"{name}_"
