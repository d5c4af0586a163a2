"""A hardware module of a robot, or of the simulation, as an object made from its own description."""

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

from coopsim.client import describe
from coopsim.client.arguments import pack, usage
from coopsim.client.reading import Reading, reading_class, unpack
from coopsim.client.suggest import listed, nearest
from coopsim.client.switchboard import Switchboard
from coopsim.errors import BadArgument, MalformedMessage, NoSuchCommand
from coopsim.interfaces import Command, Common, Interface, Value
from coopsim.message import Message


class Module:
    """A client of one module: its commands are methods, its parameters a mapping.

    The methods come from the module's DESCRIBE, so a module nobody foresaw works too. Each takes its values by
    position or by name, and besides them `timeout` [s] and `tick` (the step it is meant for, 0 = the next).

    Source: CoopDynSim, section III (one client per module).

    Attributes:
        target: Name of the module, `/robot1/motors`.
    """

    def __init__(self, switchboard: Switchboard, target: str) -> None:
        self.target = target
        self._switchboard = switchboard
        self._interface: Interface | None = None
        self._calls: dict[str, Call] = {}

    @property
    def interface(self) -> Interface:
        """What the module understands, asked once."""
        return self._interface or self.refresh()

    @property
    def parameters(self) -> "Parameters":
        """The module's parameters: `motors.parameters["max_speed"] = 0.3`."""
        return Parameters(self)

    def refresh(self) -> Interface:
        """Ask the module again what it understands: targets may have come or gone."""
        reply = self._switchboard.ask(self.target, Common.DESCRIBE)
        text = reply.params[0] if reply.params else ""
        interface = describe.read(str(text), self.target)
        calls = [Call(self, self._switchboard, command) for command in describe.every_command(interface)]
        self._calls = {name: call for call in calls for name in call.names}
        # plain attributes are found twice as fast as by __getattr__
        self.__dict__.update({name: call for name, call in self._calls.items() if not hasattr(type(self), name)})
        self._interface = interface
        return interface

    def call(
        self, command: str | int, *values: Any, timeout: float | None = None, tick: int = 0, **named: Any
    ) -> Reading | None:
        """Send the command of this name or number.

        Raises:
            NoSuchCommand: The module has none.
        """
        calls = self._known_calls()
        for each in calls.values():
            if command in {each.command.name, each.command.number}:
                return each(*values, timeout=timeout, tick=tick, **named)
        known = ", ".join(f"{each.number} {each.name}" for each in self.interface.commands)
        hint = nearest(command, calls) if isinstance(command, str) else ""
        raise NoSuchCommand(f"{self.target} has no command {command!r}{hint}; it has {known or 'none'}")

    def get_parameter(self, name: str, *, timeout: float | None = None) -> Value:
        """Return the value of a parameter.

        Raises:
            NoSuchCommand: The module has no such parameter.
        """
        self._parameter_is_known(name)
        return self._value(self._switchboard.ask(self.target, Common.GET_PARAMETER, (name,), timeout=timeout))

    def set_parameter(self, name: str, value: Value, *, timeout: float | None = None) -> Value:
        """Change a parameter and return its value, now in force.

        Raises:
            NoSuchCommand: The module has no such parameter.
            BadArgument: It is fixed, or `value` has the wrong type or is out of range.
        """
        self._parameter_is_known(name)
        parameter = self.interface.parameter(name)
        if parameter.fixed:
            raise BadArgument(f"{self.target}: {name} is given in files alone and cannot change while running")
        if isinstance(value, bool):
            raise BadArgument(f"{self.target}: {name} must be {parameter.kind.__name__}, got {value}; say 1 or 0")
        checked = parameter.check(value)
        return self._value(self._switchboard.ask(self.target, Common.SET_PARAMETER, (name, checked), timeout=timeout))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        calls = self._known_calls()
        if name in calls:
            return calls[name]
        hint = nearest(name, calls)
        if name in _parameter_names(self.interface):
            hint = f"; it is a parameter: .parameters[{name!r}]"
        raise AttributeError(f"{self.target} has no command {name!r}{hint}; it has {listed(calls)}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._known_calls()})

    def __repr__(self) -> str:
        return f"<module {self.target}>"

    def _known_calls(self) -> dict[str, "Call"]:
        if self._interface is None:
            self.refresh()
        return self._calls

    def _parameter_is_known(self, name: str) -> None:
        known = _parameter_names(self.interface)
        if name not in known:
            raise NoSuchCommand(
                f"{self.target} has no parameter {name!r}{nearest(name, known)}; it has {listed(known)}"
            )

    def _value(self, reply: Message) -> Value:
        if not reply.params:
            raise MalformedMessage(f"{self.target} answered without the value of the parameter")
        return reply.params[0]


class Call:
    """One command of a module, to be called like a method."""

    def __init__(self, module: Module, switchboard: Switchboard, command: Command) -> None:
        self.command = command
        self.__name__ = command.name
        self.__doc__ = f"{command.summary}\n\n{usage(command)}."
        self._module = module
        self._ask = switchboard.ask
        self._reading = reading_class(command)
        # runs of numbers are cheaper as bytes, single ones as msgpack
        self._binary = any(field.place == "data" and field.count != 1 for field in command.gives)

    @property
    def names(self) -> tuple[str, ...]:
        """Attributes it is found under: `continue` is a word of Python, so `continue_` is another."""
        name = self.command.name
        return (name, f"{name}_") if name == "continue" else (name,)

    def __call__(self, *values: Any, timeout: float | None = None, tick: int = 0, **named: Any) -> Reading | None:
        """Send the command; return what it gives, None where it gives nothing."""
        params, data = pack(self.command, values, named)
        command, target = self.command, self._module.target
        reply = self._ask(target, command.number, params, data, tick=tick, binary=self._binary, timeout=timeout)
        if not command.gives:
            return None
        try:
            return self._reading(unpack(command.gives, reply), reply.tick)
        except MalformedMessage:
            return self._again_with_fresh_interface(reply)

    @property
    def __signature__(self) -> inspect.Signature:
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

    def __repr__(self) -> str:
        return f"<command {self._module.target} {self.command.name}>"

    def _again_with_fresh_interface(self, reply: Message) -> Reading:
        """Read a reply once more: the number of targets may have changed since the module was described."""
        self._module.refresh()
        command = next((each for each in self._module.interface.commands if each.number == self.command.number), None)
        fresh = command or self.command
        return reading_class(fresh)(unpack(fresh.gives, reply), reply.tick)


class Parameters(Mapping[str, Value]):
    """The parameters of a module by name; reading and writing ask the module."""

    def __init__(self, module: Module) -> None:
        self._module = module

    def __getitem__(self, name: str) -> Value:
        """Return the value of a parameter; raises NoSuchCommand for an unknown one."""
        return self._module.get_parameter(name)

    def __setitem__(self, name: str, value: Value) -> None:
        """Change a parameter; see `Module.set_parameter`."""
        self._module.set_parameter(name, value)

    def __contains__(self, name: object) -> bool:
        """Return whether the module has a parameter of this name; asks nobody."""
        return name in _parameter_names(self._module.interface)

    def __iter__(self) -> Iterator[str]:
        """Return the names."""
        return iter(_parameter_names(self._module.interface))

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._module.interface.parameters)

    def __repr__(self) -> str:
        return f"<parameters of {self._module.target}: {', '.join(self) or 'none'}>"


def _parameter_names(interface: Interface) -> list[str]:
    return [parameter.name for parameter in interface.parameters]


def _shown_default(default: Value | None, *, is_any: bool) -> Any:
    if default is not None:
        return default
    return () if is_any else inspect.Parameter.empty
