"""A server without sockets: the modules of a simulation for clients in the same process."""

import contextvars
import itertools
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Protocol, TypeVar

from coopsim import client
from coopsim.client.link import default_server
from coopsim.inprocess.link import LocalLink
from coopsim.inprocess.source import DirectSource
from coopsim.message import Message
from coopsim.plugins import add
from coopsim.robots import load
from coopsim.scene.told import scenario_facts
from coopsim.server import HostOptions
from coopsim.server.listener import Listener, Listeners
from coopsim.server.lockstep.sessions import Session
from coopsim.server.modules.camera import ImageSource
from coopsim.server.service import Service
from coopsim.simulation import Simulation
from coopsim.state import Layout, Record

_T = TypeVar("_T")


class LocalImageSource(ImageSource, Protocol):
    """Source of camera images in this process."""

    def keep(self, layout: Layout, record: Record) -> None:
        """Keep a record as long as images belong to it."""
        ...


class LocalServer(Listener):
    """Serves a simulation to clients in this process; `connect` of `coopsim.client` takes it in place of an address.

    It ticks in the thread of whichever client brought the last command that was missing.

    Args:
        simulation: What is served; only the server may tick it meanwhile.
        duration: Simulated time after which it ends [s]; None = never.
        wait_for: Names of robots, or how many, that must have an owner before the first step.
        published: Called with each record, under a lock.
        is_over: Asked after each tick whether it was the last one.
        images: Draws what cameras see: `coopsim.features.desktop.cameras.LocalImages`; None = cameras give no images.
        is_hashed: Whether records have state hashes.

    Raises:
        BadArgument: The simulation is served already.
    """

    def __init__(
        self,
        simulation: Simulation,
        *,
        duration: float | None = None,
        wait_for: Sequence[str] | int = (),
        published: Callable[[Record], object] = lambda _: None,
        is_over: Callable[[], bool] = lambda: False,
        images: LocalImageSource | None = None,
        is_hashed: bool = True,
    ) -> None:
        scenario = simulation.spec.scenario
        settings = scenario.settings
        options = HostOptions(
            wait_for=wait_for if isinstance(wait_for, int) else tuple(wait_for),
            patience=settings.patience,
            policy=settings.policy,
            info={
                "scenario": Path(scenario.file).stem,
                "seed": simulation.seed,
                **scenario_facts(scenario),
            },
            scenario=scenario.file,
            world=scenario.world.file,
        )
        self._links: set[LocalLink] = set()
        self._numbers = itertools.count(1)

        def publish(record: Record) -> None:
            if images is not None:
                images.keep(simulation.layout, record)
            published(record)
            if self._service is not None and self._service.events.needs_records:
                self._service.events.publish(simulation.layout, record)

        self._service: Service | None = None
        self._source = DirectSource(
            simulation, duration=duration, published=publish, is_over=is_over, is_hashed=is_hashed
        )
        listeners = Listeners()
        listeners.add(self)
        self._service = service = Service(self._source, options, listeners)
        self._events, self._modules = service.events, service.modules
        self._modules.images = images or self._modules.images
        self._modules.poll()

    @property
    def clients(self) -> int:
        """Number of connections."""
        return len(self._links)

    def open_link(self) -> LocalLink:
        """Return a new connection."""
        link = LocalLink(self, f"client {next(self._numbers)}")
        self._links.add(link)
        return link

    def connect(self, *, timeout: float | None = None) -> client.Client:
        """Return a client.

        Args:
            timeout: How long a request waits for its reply when it does not say itself [s]; None = as usual.
        """
        return client.connect(self, timeout=timeout)

    def run(self, *programs: Callable[[], _T]) -> list[_T]:
        """Call programs whose `connect()` reaches this server, all at once; return what they return.

        Args:
            programs: One runs in this thread, several in threads of their own.
        """
        with default_server(self):
            if len(programs) == 1:
                return [programs[0]()]
            with ThreadPoolExecutor(max(1, len(programs))) as pool:
                running = [pool.submit(contextvars.copy_context().run, program) for program in programs]
                return [future.result() for future in running]

    def respond(self, raw: bytes, session: Session) -> bytes | None:
        """Return the reply to a request, None if it comes later; do the ticks that it allows."""
        reply = self._modules.respond(raw, session)
        self._work()
        return reply

    def answer(self, request: Message, session: Session) -> Message | None:
        """Do the same without bytes."""
        reply = self._modules.answer(request, session)
        self._work()
        return reply

    def turn(self, _now: float = 0.0, /) -> None:
        """Go on without robots that are overdue."""
        self._modules.turn(time.monotonic())
        self._work()

    def lost(self, link: LocalLink, session: Session) -> None:
        """Forget a connection; its robots are free."""
        self._links.discard(link)
        self._modules.lost(session)
        self._work()

    def _work(self) -> None:
        """Do the ticks that are permitted, and answer who waited for them."""
        with self._modules.lock:
            try:
                while self._source.work():
                    self._modules.poll()
                if self._events.is_waiting:
                    self._events.send(self._source.record)
            except BaseException:
                self._modules.refuse_all()
                raise


def connect(simulation: Simulation, *, timeout: float | None = None) -> client.Client:
    """Return a client of a simulation in this process; for several clients, or programs, make a `LocalServer`.

    Args:
        simulation: What is served; only the server may tick it meanwhile.
        timeout: How long a request waits for its reply when it does not say itself [s]; None = as usual.

    Raises:
        BadArgument: The simulation is served already.
    """
    return LocalServer(simulation).connect(timeout=timeout)


# A scenario as a client of it in this process: the shortest way to drive robots from Python.
def open_scenario(
    scenario: str | Path,
    *,
    engine: str | None = None,
    seed: int | None = None,
    step: float | None = None,
    duration: float | None = None,
    plugins: Sequence[str | Path] = (),
    timeout: float | None = None,
) -> client.Client:
    """Return a client of a scenario that is simulated in this process: no ports, no other processes.

    Time passes as in lockstep: a tick is done as soon as every robot with an owner was commanded, so a loop runs as
    fast as this machine can. Robots stand still until they are commanded; controllers of the scenario are not started.

    Args:
        scenario: A path, or the bare name of a built-in scenario (`single`).
        engine: Name of a registered physics engine, instead of the scenario's.
        seed: Seed of all noise, instead of the scenario's.
        step: Simulated seconds per tick, instead of the scenario's.
        duration: Simulated time after which the run ends [s]; None = never.
        plugins: Python files and `.robot` files with devices, engines and robot types that the scenario needs.
        timeout: Time that a request waits for its reply when it does not say itself [s]; None = as usual.

    Raises:
        NoSuchFile: There is no such scenario, world or plugin.
        BadFile: It has mistakes; the error carries all of them.
        PluginFailed: The plugin, or a device of it, cannot be made.
        EngineCannot: The engine cannot represent the scene.
    """
    for file in plugins:
        add(file)
    simulation = Simulation(load(scenario), engine=engine, seed=seed, step=step)
    return LocalServer(simulation, duration=duration).connect(timeout=timeout)
