"""A running simulation as its client sees it; for asyncio."""

import asyncio
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from coopsim.client import layout as layouts
from coopsim.client.aio.events import EventStream
from coopsim.client.aio.module import Module
from coopsim.client.aio.pool import ConnectionPool
from coopsim.client.aio.robot import Robot
from coopsim.client.aio.stepper import Law, Stepper
from coopsim.client.aio.stream import Stream
from coopsim.client.client import BaseClient
from coopsim.client.events import publishing, publishing_all
from coopsim.client.info import informing
from coopsim.client.keys import Keys
from coopsim.client.link import LinkSource
from coopsim.client.meshes import ServedMesh, fetching_triangles
from coopsim.client.meshes import listing as mesh_listing
from coopsim.client.offering import offering
from coopsim.client.robot import naming
from coopsim.client.scene import SceneView
from coopsim.client.scene import fetching as scene_fetching
from coopsim.errors import CoopsimError, NoReply
from coopsim.geometry import Floats
from coopsim.interfaces import Parameter
from coopsim.message import EVERYTHING


class Client(BaseClient):
    """A connection to a simulation; `async with` opens it and closes it. It belongs to one event loop.

    Tasks may share it, any number of requests at a time. The modules under `/sim` are attributes:
    `await sim.clock.status()`, `await sim.world.insert(text)`.

    Attributes:
        endpoint: Where the server listens.
        timeout: How long a request waits for its reply when it does not say itself [s].
    """

    _pool: ConnectionPool

    def __init__(self, pool: ConnectionPool) -> None:
        super().__init__(pool)
        self._modules: dict[str, Module] = {}
        self._robots: dict[tuple[str, bool], Robot] = {}

    def robot(self, name: str, *, own_endpoint: bool = False) -> Robot:
        """Return the modules of a robot, the same object each time, so that they are described once.

        One that is not there is an error as soon as a module of it is awaited. Arguments as of
        `coopsim.client.Client.robot`.
        """
        key = (name.strip("/"), own_endpoint)
        if key not in self._robots:
            self._robots[key] = Robot(self._pool, name, own_endpoint=own_endpoint)
        return self._robots[key]

    async def robots(self) -> tuple[str, ...]:
        """Return the names of all robots that can be stepped."""
        layout = await self._pool.do(layouts.fetching())
        return tuple(layout.robots)

    def module(self, target: str) -> Module:
        """Return the module of this name, `/robot1/motors` or `/sim/clock`, with its interface asked once."""
        if target not in self._modules:
            self._modules[target] = Module(self._pool, target)
        return self._modules[target]

    async def call_all(self, calls: Iterable[tuple[str, str | int, Sequence[Any]]]) -> list[Any]:
        """Send commands to many modules at once; see `coopsim.client.Client.call_all`."""
        return await asyncio.gather(*(self._tried(*call) for call in calls))

    async def _tried(self, target: str, command: str | int, values: Sequence[Any]) -> Any:
        try:
            return await self.module(target).call(command, *values)
        except NoReply:
            raise
        except CoopsimError as problem:
            return problem

    async def names(self, prefix: str = "") -> tuple[str, ...]:
        """Return the names of all modules that begin with `prefix`."""
        return await self._pool.do(naming(prefix))

    async def info(self) -> dict[str, Any]:
        """Return what is running: version, protocol, ports, scenario, seed, engine."""
        return await self._pool.do(informing())

    async def scene(self) -> SceneView:
        """Return everything there is with what it looks like: shapes, sizes, poses, colours, textures.

        Raises:
            MalformedMessage: The server tells it in no known way.
        """
        return await self._pool.do(scene_fetching())

    async def meshes(self) -> tuple[ServedMesh, ...]:
        """Return the meshes that everything is drawn with, as visuals of `scene` name them.

        Raises:
            MalformedMessage: The server tells them in no known way.
        """
        return await self._pool.do(mesh_listing())

    async def mesh(self, mesh: ServedMesh) -> Floats:
        """Return the corners of the triangles of a mesh, shape (n, 3, 3); the server reads the file.

        Raises:
            NoSuchName: The server does not hand it out.
            MalformedMessage: Something else came than what `mesh` says.
        """
        return await self._pool.do(fetching_triangles(mesh))

    async def offer(
        self, name: str, values: Mapping[str, str], parameters: Sequence[Parameter] = (), *, summary: str = ""
    ) -> Module:
        """Offer a module through which this program tells others something, until its connection ends.

        Arguments and errors as of `coopsim.client.Client.offer`.
        """
        await self._pool.do(offering(name, values, parameters, summary))
        self._modules.pop(name, None)
        return self.module(name)

    async def publish(self, topic: str, text: str = "", data: Sequence[float] = ()) -> None:
        """Tell an event to everybody who listens to its topic; see `coopsim.client.Client.publish`."""
        await self._pool.do(publishing(topic, text, data))

    async def publish_all(self, events: Iterable[tuple[str, str, Sequence[float]]]) -> None:
        """Tell several events: topic, text and data of each; see `coopsim.client.Client.publish_all`."""
        await self._pool.do(publishing_all(events))

    def listen(self, *patterns: str) -> EventStream:
        """Listen to events: `async with sim.listen("/game/**") as events`, `async for event in events`.

        Arguments and errors as of `coopsim.client.Client.listen`.
        """
        return EventStream(self._pool, patterns)

    def stepper(self, robots: Sequence[str] | None = None, *, timeout: float | None = None, every: int = 1) -> Stepper:
        """Return what claims robots and drives them step by step, all in one message; to be entered, or awaited.

        Arguments as of `coopsim.client.Client.stepper`.
        """
        return Stepper(self._pool, [robots] if isinstance(robots, str) else robots, timeout, every)

    async def run(
        self, law: Law, robots: Sequence[str] | None = None, *, until: Callable[[], bool] | None = None
    ) -> int:
        """Drive robots by `law` until it returns None or the run ends; return the number of steps.

        Arguments as of `coopsim.client.Client.run`; `law` may be a coroutine function.
        """
        async with self.stepper(robots, timeout=float("inf")) as stepper:
            return await stepper.run(law, until=until)

    def stream(
        self, name: str = EVERYTHING, *, every: int = 1, conflate: bool = True, timeout: float | None = None
    ) -> Stream:
        """Listen to the state of the simulation, tick by tick, without asking: `async for state in sim.stream()`.

        Arguments and errors as of `coopsim.client.Client.stream`.
        """
        return Stream(self._pool, name, every=every, conflate=conflate, timeout=timeout)

    async def reconnect(self) -> None:
        """Go on with the run that is here now; see `coopsim.client.Client.reconnect`."""
        await self._pool.run(self._pool.reconnecting())
        self._modules.clear()
        self._robots.clear()

    async def close(self) -> None:
        """Close all connections; waiting requests raise NoReply."""
        self._pool.close()

    def __await__(self) -> Generator[Any, None, Self]:
        """Connect."""
        return self.__aenter__().__await__()

    async def __aenter__(self) -> Self:
        self._pool.open()
        try:
            await self._pool.run(self._pool.greeting())
        except BaseException:
            self._pool.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __getattr__(self, name: str) -> Module:
        if name.startswith("_"):
            raise AttributeError(name)
        return self.module(f"/sim/{name}")


def connect(
    endpoint: str | LinkSource | None = None, *, timeout: float | None = None, keys: Keys | str | Path | None = None
) -> Client:
    """Return a running simulation, not connected yet.

    `async with connect() as sim` connects for a block, `sim = await connect()` until `await sim.close()`.

    Arguments and errors as of `coopsim.client.connect`; NoReply and KeyRefused come when it is entered or awaited.
    """
    return Client(ConnectionPool.to(endpoint, timeout, keys))
