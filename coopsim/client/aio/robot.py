"""A robot as its modules: `robot.motors`, `robot.sonars`; for asyncio."""

from collections.abc import AsyncIterator

from coopsim.client.aio.module import Module
from coopsim.client.aio.pool import ConnectionPool
from coopsim.client.robot import naming_modules


class Robot:
    """The modules of one robot, by name; the first await asks the server for them.

    Source: CoopDynSim, section III (each robot consists of hardware modules that are servers).

    Attributes:
        name: `robot1`; a member of a team is `team1/leader`.
    """

    def __init__(self, pool: ConnectionPool, name: str, *, own_endpoint: bool = False) -> None:
        self.name = name.strip("/")
        self._pool = pool
        self._own_endpoint = own_endpoint
        self._modules: dict[str, Module] = {}

    def module(self, name: str) -> Module:
        """Return the module of this name; one that is not there is an error as soon as it is awaited."""
        if name not in self._modules:
            target = f"/{self.name}/{name}"
            self._modules[name] = Module(self._pool, target, own_endpoint=self._own_endpoint)
        return self._modules[name]

    def __getattr__(self, name: str) -> Module:
        if name.startswith("_"):
            raise AttributeError(name)
        return self.module(name)

    async def __aiter__(self) -> AsyncIterator[Module]:
        """Yield the modules, sorted by name; raises NoSuchName where there is no such robot."""
        for name in await self._pool.do(naming_modules(self.name)):
            yield self.module(name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._modules})

    def __repr__(self) -> str:
        return f"<robot {self.name}>"
