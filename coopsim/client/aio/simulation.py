"""A running simulation as its client sees it; for asyncio."""

from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from coopsim.client import layout as layouts
from coopsim.client.aio.module import Module
from coopsim.client.aio.robot import Robot
from coopsim.client.aio.stepper import Law, Stepper
from coopsim.client.aio.stream import Stream
from coopsim.client.aio.switchboard import Switchboard
from coopsim.client.endpoints import chosen, chosen_timeout
from coopsim.client.keys import Keys
from coopsim.client.keys import chosen as chosen_keys
from coopsim.client.link import LinkSource, server_or_default
from coopsim.client.robot import naming
from coopsim.client.scene import SceneView
from coopsim.client.scene import fetching as scene_fetching
from coopsim.client.simulation import informing
from coopsim.message import EVERYTHING


class Simulation:
    """A connection to a simulation; `async with` opens it and closes it. It belongs to one event loop.

    Tasks may share it, any number of requests at a time. The modules under `/sim` are attributes:
    `await sim.clock.status()`, `await sim.world.insert(text)`.

    Attributes:
        endpoint: Where the server listens.
        timeout: How long a request waits for its reply when it does not say itself [s].
    """

    def __init__(self, switchboard: Switchboard) -> None:
        self._switchboard = switchboard
        self._modules: dict[str, Module] = {}
        self._robots: dict[tuple[str, bool], Robot] = {}

    @property
    def endpoint(self) -> str:
        """Where the server listens."""
        return str(self._switchboard.endpoint)

    @property
    def timeout(self) -> float:
        """How long a request waits for its reply when it does not say itself [s]."""
        return self._switchboard.timeout

    @property
    def run_number(self) -> int:
        """The run that requests are meant for; another one refuses them. 0 = the server has no such number."""
        return self._switchboard.run

    def robot(self, name: str, *, own_endpoint: bool = False) -> Robot:
        """Return the modules of a robot, the same object each time, so that they are described once.

        One that is not there is an error as soon as a module of it is awaited.

        Args:
            name: `robot1`; a member of a team is `team1/leader`.
            own_endpoint: Ask the robot's own server instead of the common one, as with a real robot.
        """
        key = (name.strip("/"), own_endpoint)
        if key not in self._robots:
            self._robots[key] = Robot(self._switchboard, name, own_endpoint=own_endpoint)
        return self._robots[key]

    async def robots(self) -> tuple[str, ...]:
        """Return the names of all robots that can be stepped."""
        layout = await self._switchboard.do(layouts.fetching())
        return tuple(layout.robots)

    def module(self, target: str) -> Module:
        """Return the module of this name, `/robot1/motors` or `/sim/clock`, with its interface asked once."""
        if target not in self._modules:
            self._modules[target] = Module(self._switchboard, target)
        return self._modules[target]

    async def names(self, prefix: str = "") -> tuple[str, ...]:
        """Return the names of all modules that begin with `prefix`."""
        return await self._switchboard.do(naming(prefix))

    async def info(self) -> dict[str, Any]:
        """Return what is running: version, protocol, ports, scenario, seed, engine.

        Raises:
            MalformedMessage: The server tells it in no known way.
        """
        return await self._switchboard.do(informing())

    async def scene(self) -> SceneView:
        """Return everything there is with what it looks like: shapes, sizes, poses, colours, textures.

        Raises:
            MalformedMessage: The server tells it in no known way.
        """
        return await self._switchboard.do(scene_fetching())

    def stepper(self, robots: Sequence[str] | None = None, *, timeout: float | None = None) -> Stepper:
        """Return what claims robots and drives them step by step, all in one message; to be entered, or awaited.

        Args:
            robots: Their names; None = all.
            timeout: How long a step may take in real time [s]; infinity = as long as the server is alive.
        """
        return Stepper(self._switchboard, [robots] if isinstance(robots, str) else robots, timeout)

    async def run(
        self, law: Law, robots: Sequence[str] | None = None, *, until: Callable[[], bool] | None = None
    ) -> int:
        """Drive robots by `law` until it returns None or the run ends; return the number of steps.

        Args:
            law: Gets the readings before each step and returns the commands, see `Stepper.step`; it may be a
                coroutine function.
            robots: Their names; None = all.
            until: Asked before each step; true ends too.
        """
        async with self.stepper(robots, timeout=float("inf")) as stepper:
            return await stepper.run(law, until=until)

    def stream(
        self, name: str = EVERYTHING, *, every: int = 1, conflate: bool = True, timeout: float | None = None
    ) -> Stream:
        """Listen to the state of the simulation, tick by tick, without asking: `async for state in sim.stream()`.

        Args:
            name: `/robot1`, or `/sim/state` for all robots and all bodies.
            every: One of so many records is sent.
            conflate: Drop all but the newest state while nobody looks; else they queue up.
            timeout: How long to wait for each [s]; None = as long as for a reply.

        Raises:
            BadArgument: `name` or `every` cannot be.
        """
        return Stream(self._switchboard, name, every=every, conflate=conflate, timeout=timeout)

    async def reconnect(self) -> None:
        """Go on with the run that is here now, after a WrongRun said that the simulation was restarted.

        What was claimed in the old run is over: make a new stepper.

        Raises:
            NoReply: No server answers.
        """
        await self._switchboard.reconnect()
        self._modules.clear()
        self._robots.clear()

    async def close(self) -> None:
        """Close all connections; whoever still waits for a reply gets a NoReply."""
        self._switchboard.close()

    def __await__(self) -> Generator[Any, None, Self]:
        """Connect."""
        return self._open().__await__()

    async def __aenter__(self) -> Self:
        return await self._open()

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __getattr__(self, name: str) -> Module:
        if name.startswith("_"):
            raise AttributeError(name)
        return self.module(f"/sim/{name}")

    def __repr__(self) -> str:
        return f"<simulation at {self.endpoint}>"

    async def _open(self) -> Self:
        self._switchboard.open()
        try:
            await self._switchboard.greet()
        except BaseException:
            self._switchboard.close()
            raise
        return self


def connect(
    endpoint: str | LinkSource | None = None, *, timeout: float | None = None, keys: Keys | str | Path | None = None
) -> Simulation:
    """Return a running simulation, not connected yet.

    `async with connect() as sim` connects for a block, `sim = await connect()` until `await sim.close()`.

    Args:
        endpoint: `tcp://host:port`, `tcp+plain://host:port` for the plain TCP gateway (port + 1 as a rule), or a
            server in this process. Without one the environment variable COOPSIM_ENDPOINT is read, then
            tcp://127.0.0.1:5570 taken.
        timeout: How long to wait for a server, and later for each reply that says nothing else [s]. Without one the
            environment variable COOPSIM_TIMEOUT is read, then 2 s taken.
        keys: Folder with our keys, where the server wants some (`coopsim keys`). Without them the environment
            variables COOPSIM_KEYS (folder) and COOPSIM_SERVER (name of the server's key) are read.

    Raises:
        NoKey: A key is missing.
        BadArgument: The endpoint is not of these forms, or COOPSIM_TIMEOUT is no number. When it is entered or awaited:
        NoReply: No server answers there.
        KeyRefused: The server does not trust our key, or we do not trust its.
    """
    endpoint = server_or_default(endpoint)
    source = None if isinstance(endpoint, str | None) else endpoint
    return Simulation(Switchboard(chosen(endpoint), chosen_timeout(timeout), chosen_keys(keys), source))
