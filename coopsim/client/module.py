"""A hardware module of a robot, or of the simulation, as an object made from its own description."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from coopsim.client.compiled_calls import CompiledCall
from coopsim.client.flows import Ask
from coopsim.client.module_description import (
    BoundCommand,
    bound_commands,
    describing,
    getting,
    no_attribute,
    no_command,
    parameter_names,
    read_again,
    setting,
)
from coopsim.client.pool import ConnectionPool
from coopsim.client.prepared import SentRequest
from coopsim.errors import MalformedMessage
from coopsim.interfaces import Command, Interface, Value
from coopsim.message import Message


class Module:
    """A client of one module: its commands are methods, its parameters a mapping.

    The methods come from the module's DESCRIBE, so unknown kinds of modules work, too. Each takes its values by
    position or by name, and besides them `timeout` [s] and `tick` (the step it is meant for, 0 = the next).

    Source: CoopDynSim, section III (one client per module).

    Attributes:
        target: Name of the module, `/robot1/motors`.
    """

    def __init__(self, pool: ConnectionPool, target: str) -> None:
        self.target = target
        self._pool = pool
        self._interface: Interface | None = None
        self._calls: dict[str, Call] = {}
        self._bound: Mapping[str, BoundCommand] = {}

    @property
    def interface(self) -> Interface:
        """Interface of the module, asked once."""
        return self._interface or self.refresh()

    @property
    def parameters(self) -> "Parameters":
        """The module's parameters: `motors.parameters["max_speed"] = 0.3`."""
        return Parameters(self)

    def refresh(self) -> Interface:
        """Ask the module again what it understands: targets may have come or gone."""
        interface = self._pool.do(describing(self.target))
        known = bound_commands(interface)
        calls = {id(bound): Call(self, self._pool, bound) for bound in known.values()}
        self._calls = {name: calls[id(bound)] for name, bound in known.items()}
        # plain attributes are found twice as fast as by __getattr__
        self.__dict__.update({name: call for name, call in self._calls.items() if not hasattr(type(self), name)})
        self._interface, self._bound = interface, known
        return interface

    def call(self, command: str | int, *values: Any, timeout: float | None = None, tick: int = 0, **named: Any) -> Any:
        """Send the command of this name or number.

        Raises:
            NoSuchCommand: The module has none.
        """
        calls = self._known_calls()
        for call in calls.values():
            if command in {call.command.name, call.command.number}:
                return call(*values, timeout=timeout, tick=tick, **named)
        raise no_command(self.target, self.interface, command, calls)

    def get_parameter(self, name: str, *, timeout: float | None = None) -> Value:
        """Return the value of a parameter.

        Raises:
            NoSuchCommand: The module has no such parameter.
        """
        return self._pool.do(getting(self.target, self.interface, name, timeout))

    def set_parameter(self, name: str, value: Value, *, timeout: float | None = None) -> Value:
        """Change a parameter and return its value, now in force.

        Raises:
            NoSuchCommand: The module has no such parameter.
            BadArgument: It is fixed, or `value` has the wrong type or is out of range.
        """
        return self._pool.do(setting(self.target, self.interface, name, value, timeout))

    def _prepare(self, command: str | int, values: Sequence[Any]) -> tuple[Ask, Callable[[Message], Any]]:
        calls = self._known_calls()
        for bound in self._bound.values():
            if command in {bound.command.name, bound.command.number}:
                return bound.ask(self.target, values, {}, None, 0), partial(self._read, bound)
        raise no_command(self.target, self.interface, command, calls)

    def _read(self, bound: BoundCommand, reply: Message) -> Any:
        try:
            return bound.read(reply)
        except MalformedMessage:
            return read_again(self.refresh(), bound, reply)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        calls = self._known_calls()
        if name in calls:
            return calls[name]
        raise no_attribute(self.target, self.interface, name, calls)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._known_calls()})

    def __repr__(self) -> str:
        return f"<module {self.target}>"

    def _known_calls(self) -> dict[str, "Call"]:
        if self._interface is None:
            self.refresh()
        return self._calls


def prepared(module: Module, command: str | int, values: Sequence[Any]) -> tuple[Ask, Callable[[Message], Any]]:
    """Return the request that sends a command, and what reads its reply.

    Raises:
        NoSuchCommand: The module has none of this name or number.
        BadArgument: The values do not fit the command.
    """
    return module._prepare(command, values)  # noqa: SLF001 - no method, since a module's are commands


class Call:
    """A command of a module, to be called like a method."""

    def __init__(self, module: Module, pool: ConnectionPool, bound: BoundCommand) -> None:
        self.__name__ = bound.command.name
        self.__doc__ = bound.manual
        self._module, self._bound, self._pool = module, bound, pool
        self._compiled = CompiledCall(pool, module.target, bound) if bound.is_plain else None

    @property
    def command(self) -> Command:
        """Command that it sends."""
        return self._bound.command

    @property
    def names(self) -> tuple[str, ...]:
        """Attributes it is found under: `continue` is a word of Python, so `continue_` is another."""
        return self._bound.names

    def __call__(self, *values: Any, timeout: float | None = None, tick: int = 0, **named: Any) -> Any:
        """Send the command; return what it gives, None where it gives nothing."""
        compiled, sent = self._compiled, None
        with self._pool.lock:  # what was sent has its reply on the same connection
            if compiled is not None:
                reply = compiled.make(values, named, tick, timeout)
                if reply is not None and not isinstance(reply, SentRequest):
                    return compiled.read(*reply)
                sent = reply
            ask = self._bound.ask(self._module.target, values, named, timeout, tick)
            answer = self._pool.ask(ask if sent is None else ask._replace(sent=sent))
            if compiled is not None:
                compiled.learn(answer)
        try:
            return self._bound.read(answer)
        except MalformedMessage:
            return read_again(self._module.refresh(), self._bound, answer)

    @property
    def __signature__(self) -> inspect.Signature:
        """Shown by `help` and by editors."""
        return self._bound.signature

    def __repr__(self) -> str:
        return f"<command {self._module.target} {self.command.name}>"


class Parameters(Mapping[str, Value]):
    """The parameters of a module by name; reading and writing ask the module."""

    __slots__ = ("_module",)

    def __init__(self, module: Module) -> None:
        self._module = module

    def __getitem__(self, name: str) -> Value:
        """Return the value of a parameter; raises NoSuchCommand for an unknown one."""
        return self._module.get_parameter(name)

    def __setitem__(self, name: str, value: Value) -> None:
        """Change a parameter; see `Module.set_parameter`."""
        self._module.set_parameter(name, value)

    def __contains__(self, name: object) -> bool:
        """Return whether the module has a parameter of this name, without a request."""
        return name in parameter_names(self._module.interface)

    def __iter__(self) -> Iterator[str]:
        """Return the names."""
        return iter(parameter_names(self._module.interface))

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._module.interface.parameters)

    def __repr__(self) -> str:
        return f"<parameters of {self._module.target}: {', '.join(self) or 'none'}>"
