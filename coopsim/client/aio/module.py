"""A hardware module of a robot, or of the simulation, as an object made from its own description; for asyncio."""

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Mapping
from typing import Any

from coopsim.client.aio.pool import ConnectionPool, shared
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
from coopsim.errors import MalformedMessage
from coopsim.interfaces import Command, Interface, Value


class Module:
    """A client of one module: its commands are coroutine functions, its parameters are awaited.

    The commands come from the module's DESCRIBE, asked when the first of them is awaited. Each takes its values by
    position or by name, and besides them `timeout` [s] and `tick` (the step it is meant for, 0 = the next).

    Source: CoopDynSim, section III (one client per module).

    Args:
        pool: The client.
        target: Name of the module, `/robot1/motors`.
        own_endpoint: Ask its robot's own server instead of the common one.

    Attributes:
        target: Name of the module, `/robot1/motors`.
    """

    def __init__(self, pool: ConnectionPool, target: str, *, own_endpoint: bool = False) -> None:
        self.target = target
        self._pool = pool
        self._must_use_own_endpoint = own_endpoint
        self._interface: Interface | None = None
        self._commands: Mapping[str, BoundCommand] = {}
        self._describing: asyncio.Task[Interface] | None = None

    @property
    def interface(self) -> Awaitable[Interface]:
        """Interface of the module, asked once."""
        return self._known()

    @property
    def parameters(self) -> "Parameters":
        """The module's parameters: `await motors.parameters["max_speed"]`."""
        return Parameters(self)

    async def refresh(self) -> Interface:
        """Ask the module again what it understands: targets may have come or gone."""
        if self._must_use_own_endpoint:
            await self._pool.run(self._pool.using_own_endpoint(self.target))
            self._must_use_own_endpoint = False
        interface = await self._pool.do(describing(self.target))
        self._interface, self._commands = interface, bound_commands(interface)
        return interface

    async def call(
        self, command: str | int, *values: Any, timeout: float | None = None, tick: int = 0, **named: Any
    ) -> Any:
        """Send the command of this name or number.

        Raises:
            NoSuchCommand: The module has none.
        """
        bound = await self._bound(command)
        reply = await self._pool.ask(bound.ask(self.target, values, named, timeout, tick))
        try:
            return bound.read(reply)
        except MalformedMessage:
            return read_again(await self.refresh(), bound, reply)

    async def get_parameter(self, name: str, *, timeout: float | None = None) -> Value:
        """Return the value of a parameter; see `coopsim.client.Module.get_parameter`."""
        return await self._pool.do(getting(self.target, await self._known(), name, timeout))

    async def set_parameter(self, name: str, value: Value, *, timeout: float | None = None) -> Value:
        """Change a parameter and return its value, now in force; see `coopsim.client.Module.set_parameter`."""
        return await self._pool.do(setting(self.target, await self._known(), name, value, timeout))

    def __getattr__(self, name: str) -> "Call":
        if name.startswith("_"):
            raise AttributeError(name)
        if self._interface is not None and name not in self._commands:
            raise no_attribute(self.target, self._interface, name, self._commands)
        return Call(self, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._commands})

    def __repr__(self) -> str:
        return f"<module {self.target}>"

    async def _known(self) -> Interface:
        """Return the interface; many that need it at once ask once."""
        if self._interface is not None:
            return self._interface
        self._describing = shared(self._describing, self.refresh)
        return await asyncio.shield(self._describing)

    async def _bound(self, command: str | int) -> BoundCommand:
        interface = await self._known()
        if isinstance(command, str) and command in self._commands:
            return self._commands[command]
        for bound in self._commands.values():
            if bound.command.number == command:
                return bound
        raise no_command(self.target, interface, command, self._commands)


class Call:
    """A command of a module, to be awaited like a coroutine function."""

    def __init__(self, module: Module, name: str) -> None:
        self.__name__ = name
        self._module = module

    @property
    def command(self) -> Command:
        """Command that it sends; known as soon as the module was asked.

        Raises:
            AttributeError: It was not yet: `await module.interface`.
        """
        return self._bound.command

    @property
    def names(self) -> tuple[str, ...]:
        """Attributes it is found under; known as soon as the module was asked."""
        return self._bound.names

    async def __call__(self, *values: Any, timeout: float | None = None, tick: int = 0, **named: Any) -> Any:
        """Send the command; return what it gives, None where it gives nothing.

        Raises:
            NoSuchCommand: The module has none of this name.
        """
        return await self._module.call(self.__name__, *values, timeout=timeout, tick=tick, **named)

    @property
    def __signature__(self) -> inspect.Signature:
        """Shown by `help` and by editors."""
        return self._bound.signature

    def __repr__(self) -> str:
        return f"<command {self._module.target} {self.__name__}>"

    @property
    def _bound(self) -> BoundCommand:
        commands = self._module._commands  # noqa: SLF001 - both are one thing
        if self.__name__ not in commands:
            raise AttributeError(f"{self._module.target} was not asked yet: `await module.interface`")
        return commands[self.__name__]


class Parameters:
    """The parameters of a module by name; reading them asks the module."""

    __slots__ = ("_module",)

    def __init__(self, module: Module) -> None:
        self._module = module

    def __getitem__(self, name: str) -> Awaitable[Value]:
        """Ask for the value of a parameter, to be awaited; raises NoSuchCommand for an unknown one."""
        return self._module.get_parameter(name)

    def __setitem__(self, name: str, value: Value) -> None:
        """Raise with the cure: an assignment cannot be awaited."""
        raise TypeError(f"a parameter is changed by `await module.set_parameter({name!r}, {value!r})`")

    async def keys(self) -> list[str]:
        """Return the names."""
        return parameter_names(await self._module.interface)

    async def values(self) -> list[Value]:
        """Return all values."""
        return [value for _, value in await self.items()]

    async def items(self) -> list[tuple[str, Value]]:
        """Return all names with their values."""
        names = await self.keys()
        return list(zip(names, await asyncio.gather(*(self[name] for name in names)), strict=True))

    async def get(self, name: str, default: Value | None = None) -> Value | None:
        """Return the value of a parameter, `default` where the module has none of this name."""
        return await self[name] if name in await self.keys() else default

    async def __aiter__(self) -> AsyncIterator[str]:
        """Yield the names."""
        for name in await self.keys():
            yield name

    def __repr__(self) -> str:
        return f"<parameters of {self._module.target}>"
