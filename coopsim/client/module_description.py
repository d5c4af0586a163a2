"""Description of a module: its commands, its parameters, what it answers."""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from coopsim.client import interface_json
from coopsim.client.arguments import pack, usage
from coopsim.client.flows import Ask, Flow
from coopsim.client.images import Image, decoded, encoding_of
from coopsim.client.reading import Reading, reading_class, unpack
from coopsim.errors import BadArgument, MalformedMessage, NoSuchCommand, NoSuchName
from coopsim.interfaces import RENDERER, Command, Common, Effect, Interface, Value
from coopsim.message import Message
from coopsim.suggest import did_you_mean, listed

_STARTS_RENDERER = ("/sim/renderer", RENDERER.command("set").number)
"""A request of seconds without a graphics card, although nothing of the run waits for it."""


def describing(target: str) -> Flow[Interface]:
    """Ask a module what it understands.

    Raises:
        MalformedMessage: It tells it in no known way.
    """
    reply = yield Ask(Message(target, Common.DESCRIBE))
    text = reply.params[0] if reply.params else ""
    return interface_json.read(str(text), target)


def getting(target: str, interface: Interface, name: str, timeout: float | None) -> Flow[Value]:
    """Ask for the value of a parameter.

    Raises:
        NoSuchCommand: The module has no such parameter.
    """
    _check_parameter(target, interface, name)
    reply = yield Ask(Message(target, Common.GET_PARAMETER, (name,)), timeout)
    return _value(target, reply)


def setting(target: str, interface: Interface, name: str, value: Value, timeout: float | None) -> Flow[Value]:
    """Change a parameter; return its value, now in force.

    Raises:
        NoSuchCommand: The module has no such parameter.
        BadArgument: It is fixed, or `value` has the wrong type or is out of range.
    """
    _check_parameter(target, interface, name)
    parameter = interface.parameter(name)
    if parameter.fixed:
        raise BadArgument(f"{target}: {name} is given in files alone and cannot change while running")
    if isinstance(value, bool):
        raise BadArgument(f"{target}: {name} must be {parameter.kind.__name__}, got {value}; say 1 or 0")
    request = Message(target, Common.SET_PARAMETER, (name, parameter.check(value)))
    reply = yield Ask(request, timeout, is_edit=True)
    return _value(target, reply)


class BoundCommand:
    """A command as a client uses it: values to a request, a reply to a reading.

    Attributes:
        is_binary: Whether data travel as bytes: runs of numbers are cheaper so, single ones as msgpack.
        reading: Class of what it gives.
    """

    def __init__(self, command: Command) -> None:
        self.command = command
        self.is_binary = any(field.place == "data" and field.count != 1 for field in command.gives)
        self.reading, self._encoding = reading_class(command), encoding_of(command)

    @property
    def names(self) -> tuple[str, ...]:
        """Attributes it is found under: `continue` is a word of Python, so `continue_` is another."""
        name = self.command.name
        return (name, f"{name}_") if name == "continue" else (name,)

    @property
    def is_plain(self) -> bool:
        """Whether it takes single numbers, and needs no longer than a reading does."""
        is_prompt = self.command.effect is not Effect.EDIT and not self._encoding
        return is_prompt and all(field.place == "data" and field.count == 1 for field in self.command.takes)

    @property
    def manual(self) -> str:
        """Manual: its action and its arguments, for people."""
        return f"{self.command.summary}\n\n{usage(self.command)}."

    def ask(
        self, target: str, values: Sequence[Any], named: Mapping[str, Any], timeout: float | None, tick: int
    ) -> Ask:
        """Return the request that sends the command to a module.

        Raises:
            BadArgument: The values do not fit the command.
        """
        command = self.command
        params, data = pack(command, values, named)
        message = Message(target, command.number, params, data, tick, binary=self.is_binary)
        is_slow = command.effect is Effect.EDIT or bool(self._encoding) or (target, command.number) == _STARTS_RENDERER
        return Ask(message, timeout, is_slow)

    def read(self, reply: Message) -> Reading | Image | bytes | None:
        """Return what a reply says, an image as an array; None where the command gives nothing.

        Raises:
            MalformedMessage: It says more or less than the command gives.
        """
        if not self.command.gives:
            return None
        reading = self.reading(unpack(self.command.gives, reply), reply.tick)
        return decoded(reading, self._encoding) if self._encoding else reading

    @property
    def signature(self) -> inspect.Signature:
        """Shown by `help` and by editors."""
        kinds = [
            inspect.Parameter(
                field.name,
                inspect.Parameter.POSITIONAL_OR_KEYWORD,
                default=_shown_default(field.default, is_any=field.count == 0),
            )
            for field in self.command.takes
            if field.name.isidentifier()
        ]
        extra = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
            for name, default in (("timeout", None), ("tick", 0))
        ]
        try:
            return inspect.Signature([*kinds, *extra])
        except ValueError:
            return inspect.Signature(extra)


_MOST_KNOWN = 64  # descriptions in the cache: many times the kinds of modules of a scene
_known: dict[int, tuple[Interface, dict[str, BoundCommand]]] = {}
"""Commands by the identity of their interface, which is held, so that no other one gets it."""


def bound_commands(interface: Interface) -> Mapping[str, BoundCommand]:
    """Return every command of a module by the attributes it is found under, the common ones first."""
    entry = _known.get(id(interface))
    if entry is None:
        every = [BoundCommand(command) for command in interface_json.every_command(interface)]
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        entry = _known[id(interface)] = interface, {name: bound for bound in every for name in bound.names}
    return entry[1]


def read_again(interface: Interface, bound: BoundCommand, reply: Message) -> Any:
    """Return what a reply says by the interface of now: the number of targets may have changed.

    Raises:
        MalformedMessage: It says more or less than the command gives.
    """
    number = bound.command.number
    now = next((BoundCommand(command) for command in interface.commands if command.number == number), bound)
    return now.read(reply)


def no_command(target: str, interface: Interface, command: str | int, commands: Mapping[str, Any]) -> NoSuchCommand:
    """Return the error of asking for a command that is not there."""
    command_words = ", ".join(f"{command.number} {command.name}" for command in interface.commands)
    hint = did_you_mean(command, commands) if isinstance(command, str) else ""
    return NoSuchCommand(f"{target} has no command {command!r}{hint}; it has {command_words or 'none'}")


class NoSuchAttribute(NoSuchCommand, AttributeError):
    """A command that is not there, asked for as an attribute: what a server offers is up to the server."""


class NoSuchModuleAttribute(NoSuchName, AttributeError):
    """A module that is not there, asked for as an attribute."""


def no_attribute(target: str, interface: Interface, name: str, names: Mapping[str, Any]) -> NoSuchAttribute:
    """Return the error of an attribute that is no command."""
    hint = did_you_mean(name, names)
    if name in parameter_names(interface):
        hint = f"; it is a parameter: .parameters[{name!r}]"
    return NoSuchAttribute(f"{target} has no command {name!r}{hint}; it has {listed(names)}")


def parameter_names(interface: Interface) -> list[str]:
    """Return the names of a module's parameters."""
    return [parameter.name for parameter in interface.parameters]


def _check_parameter(target: str, interface: Interface, name: str) -> None:
    names_allowed = parameter_names(interface)
    if name not in names_allowed:
        raise NoSuchCommand(
            f"{target} has no parameter {name!r}{did_you_mean(name, names_allowed)}; it has {listed(names_allowed)}"
        )


def _value(target: str, reply: Message) -> Value:
    if not reply.params:
        raise MalformedMessage(f"{target} answered without the value of the parameter")
    return reply.params[0]


def _shown_default(default: Value | None, *, is_any: bool) -> Any:
    if default is not None:
        return default
    return () if is_any else inspect.Parameter.empty
