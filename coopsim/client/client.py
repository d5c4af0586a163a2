"""A running simulation as its client sees it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from coopsim.client import layout as layouts
from coopsim.client.events import EventStream, publishing, publishing_all
from coopsim.client.info import informing
from coopsim.client.keys import Keys
from coopsim.client.link import LinkSource
from coopsim.client.meshes import ServedMesh, fetching_triangles
from coopsim.client.meshes import listing as mesh_listing
from coopsim.client.module import Module, prepared
from coopsim.client.module_description import NoSuchModuleAttribute
from coopsim.client.offering import offering
from coopsim.client.pipelining import asking_all
from coopsim.client.pool import ConnectionPool
from coopsim.client.robot import Robot, naming
from coopsim.client.routing import RequestRouter
from coopsim.client.scene import SceneView
from coopsim.client.scene import fetching as scene_fetching
from coopsim.client.stepper import Law, Stepper
from coopsim.client.stream import Stream
from coopsim.errors import CoopsimError, NoReply
from coopsim.geometry import Floats
from coopsim.interfaces import Parameter
from coopsim.message import EVERYTHING
from coopsim.suggest import did_you_mean, listed

_T = TypeVar("_T")


class BaseClient:
    """The part that both clients share: their connection, described."""

    def __init__(self, pool: RequestRouter) -> None:
        self._pool = pool

    @property
    def endpoint(self) -> str:
        """Address where the server listens."""
        return str(self._pool.endpoint)

    @property
    def timeout(self) -> float:
        """Time that a request waits for its reply unless it says another [s]."""
        return self._pool.timeout

    @property
    def run_number(self) -> int:
        """The run that requests are meant for; another one refuses them. 0 = the server has no such number."""
        return self._pool.run_number

    def show(self, **choices: Any) -> Any:
        """Return a page of the run for a notebook, see `coopsim.show`."""
        return import_module("coopsim").show(self, **choices)

    def __repr__(self) -> str:
        return f"<simulation at {self.endpoint}>"


class Client(BaseClient):
    """A connection to a simulation; a context manager. Threads may share it, one request at a time.

    The modules under `/sim` are attributes: `sim.clock.status()`, `sim.world.insert(text)`.

    Attributes:
        endpoint: Where the server listens.
        timeout: How long a request waits for its reply when it does not say itself [s].
    """

    _pool: ConnectionPool

    def __init__(self, pool: ConnectionPool) -> None:
        super().__init__(pool)
        self._modules: dict[str, Module] = {}
        self._found: list[str] = []

    def robot(self, name: str, *, own_endpoint: bool = False) -> Robot:
        """Return the modules of a robot.

        Args:
            name: `robot1`; a member of a team is `team1/leader`.
            own_endpoint: Ask the robot's own server instead of the common one, as with a real robot.

        Raises:
            NoSuchName: There is no such robot.
        """
        return Robot(self._pool, name, own_endpoint=own_endpoint)

    def robots(self) -> tuple[str, ...]:
        """Return the names of all robots that can be stepped."""
        return tuple(self._pool.do(layouts.fetching()).robots)

    def module(self, target: str) -> Module:
        """Return the module of this name, `/robot1/motors` or `/sim/clock`, with its interface asked once."""
        if target not in self._modules:
            self._modules[target] = Module(self._pool, target)
        return self._modules[target]

    def call_all(self, calls: Iterable[tuple[str, str | int, Sequence[Any]]]) -> list[Any]:
        """Send commands to many modules, which takes hardly longer than one: no reply is awaited before all are sent.

        What one module is told comes to it in this order.

        Args:
            calls: Module (`/robot1/motors`), command and values of each.

        Returns:
            What each gives, None where it gives nothing, or the error (a `CoopsimError`) with which it was refused.

        Raises:
            NoReply: To one of them no reply came in time.
        """
        ready = [_tried(prepared, self.module(target), command, values) for target, command, values in calls]
        sent = [request for request in ready if not isinstance(request, CoopsimError)]
        answers = iter(self._pool.run(asking_all(self._pool, [ask for ask, _ in sent])))
        results: list[Any] = []
        for each in ready:
            if isinstance(each, CoopsimError):
                results.append(each)
            else:
                answer = next(answers)
                results.append(answer if isinstance(answer, CoopsimError) else _tried(each[1], answer))
        return results

    def names(self, prefix: str = "") -> tuple[str, ...]:
        """Return the names of all modules that begin with `prefix`."""
        return self._pool.do(naming(prefix))

    def info(self) -> dict[str, Any]:
        """Return what is running: version, protocol, ports, scenario, seed, engine.

        Raises:
            MalformedMessage: The server tells it in no known way.
        """
        return self._pool.do(informing())

    def scene(self) -> SceneView:
        """Return everything there is with what it looks like: shapes, sizes, poses, colours, textures.

        Raises:
            MalformedMessage: The server tells it in no known way.
        """
        return self._pool.do(scene_fetching())

    def meshes(self) -> tuple[ServedMesh, ...]:
        """Return the meshes that everything is drawn with, as visuals of `scene` name them.

        Raises:
            MalformedMessage: The server tells them in no known way.
        """
        return self._pool.do(mesh_listing())

    def mesh(self, mesh: ServedMesh) -> Floats:
        """Return the corners of the triangles of a mesh, shape (n, 3, 3); the server reads the file.

        Raises:
            NoSuchName: The server does not hand it out.
            MalformedMessage: Something else came than what `mesh` says.
        """
        return self._pool.do(fetching_triangles(mesh))

    def offer(
        self, name: str, values: Mapping[str, str], parameters: Sequence[Parameter] = (), *, summary: str = ""
    ) -> Module:
        """Offer a module through which this program tells others something, until its connection ends.

        Others find it by its name: `sim.module("/team1/leader/intent").read()`.

        Args:
            name: `/team1/leader/intent`.
            values: Unit of each value by name; "" = a text, "1" = a number without a unit.
            parameters: What others may change.
            summary: What it is for.

        Returns:
            The module; its `write` tells all values, in this order.

        Raises:
            OwnedByAnother: Another program offers it.
            BadArgument: It is the name of a robot's module, or a limit is passed.
        """
        self._pool.do(offering(name, values, parameters, summary))
        self._modules.pop(name, None)
        return self.module(name)

    def publish(self, topic: str, text: str = "", data: Sequence[float] = ()) -> None:
        """Tell an event to everybody who listens to its topic; the recording keeps it.

        Args:
            topic: `/game/score`; topics under `/sim` are the simulation's own.
            text: What happened, at most 4096 bytes.
            data: At most 64 numbers.

        Raises:
            BadArgument: It is no event, or too many are published.
            NotAllowed: Only the simulation publishes under `/sim`.
        """
        self._pool.do(publishing(topic, text, data))

    def publish_all(self, events: Iterable[tuple[str, str, Sequence[float]]]) -> None:
        """Tell several events: topic, text and data of each.

        Errors as of `publish`; what fits one message is told as a whole or not at all.
        """
        self._pool.do(publishing_all(events))

    def listen(self, *patterns: str) -> EventStream:
        """Listen to events from now on: `with sim.listen("/game/**") as events`, `for event in events`.

        Args:
            patterns: Topics; `*` = any one level, `**` at the end = whatever follows.

        Raises:
            BadArgument: One is no pattern, or there are too many.
            NoReply: No server answers.
        """
        return EventStream(self._pool, patterns)

    def stepper(self, robots: Sequence[str] | None = None, *, timeout: float | None = None, every: int = 1) -> Stepper:
        """Claim robots and return what drives them step by step, all in one message.

        Args:
            robots: Their names; None = all.
            timeout: How long a step may take in real time [s]; infinity = as long as the server is alive.
            every: How many ticks a step takes: a command counts for all of them, and the readings are of the last.

        Raises:
            NoSuchName: There is no such robot.
            OwnedByAnother: Another client controls one of them.
        """
        return Stepper(self._pool, [robots] if isinstance(robots, str) else robots, timeout, every)

    def run(self, law: Law, robots: Sequence[str] | None = None, *, until: Callable[[], bool] | None = None) -> int:
        """Drive robots by `law` until it returns None or the run ends; return the number of steps.

        Args:
            law: Gets the readings before each step and returns the commands, see `Stepper.step`.
            robots: Their names; None = all.
            until: Asked before each step; true ends too.
        """
        with self.stepper(robots, timeout=float("inf")) as stepper:
            return stepper.run(law, until=until)

    def stream(
        self, name: str = EVERYTHING, *, every: int = 1, conflate: bool = True, timeout: float | None = None
    ) -> Stream:
        """Listen to the state of the simulation, tick by tick, without asking.

        Args:
            name: `/robot1`, or `/sim/state` for all robots and all bodies.
            every: Send one record of this number.
            conflate: Keep only the newest unread state; else they queue up.
            timeout: How long to wait for each [s]; None = as long as for a reply.

        Raises:
            BadArgument: `name` or `every` cannot be.
            NoReply: The server does not say where its stream is.
        """
        return Stream(self._pool, name, every=every, conflate=conflate, timeout=timeout)

    def reconnect(self) -> None:
        """Go on with the present run, after a WrongRun reported that the simulation was restarted.

        What was claimed in the old run is over: make a new stepper.

        Raises:
            NoReply: No server answers.
        """
        self._pool.run(self._pool.reconnecting())
        self._modules.clear()
        self._found.clear()

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __getattr__(self, name: str) -> Module:
        if name.startswith("_"):
            raise AttributeError(name)
        readings_known = self._known()
        if name not in readings_known:
            hint = did_you_mean(name, [*readings_known, "robot", "names", "info", "stepper", "run"])
            raise NoSuchModuleAttribute(f"the simulation has no module {name!r}{hint}; it has {listed(readings_known)}")
        return self.module(f"/sim/{name}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._known()})

    def _known(self) -> list[str]:
        if not self._found:
            self._found = [name.removeprefix("/sim/") for name in self.names("/sim/")]
        return self._found


def connect(
    endpoint: str | LinkSource | None = None, *, timeout: float | None = None, keys: Keys | str | Path | None = None
) -> Client:
    """Connect to a running simulation.

    Args:
        endpoint: `tcp://host:port`, `tcp+plain://host:port` for the plain TCP gateway (port + 1 as a rule), or a
            server in this process. Without one the environment variable COOPSIM_ENDPOINT is read, then
            tcp://127.0.0.1:5570 taken.
        timeout: How long to wait for a server, and later for each reply that says nothing else [s]. Without one the
            environment variable COOPSIM_TIMEOUT is read, then 2 s taken.
        keys: Folder with our keys, where the server wants some (`coopsim keys`). Without them the environment
            variables COOPSIM_KEYS (folder) and COOPSIM_SERVER (name of the server's key) are read.

    Raises:
        NoReply: No server answers there.
        KeyRefused: The server does not trust our key, or we do not trust its.
        NoKey: A key is missing.
        BadArgument: The endpoint is not of these forms, or COOPSIM_TIMEOUT is no number.
    """
    pool = ConnectionPool.to(endpoint, timeout, keys)
    try:
        pool.run(pool.greeting())
    except BaseException:
        pool.close()
        raise
    return Client(pool)


def _tried(do: Callable[..., _T], *values: Any) -> _T | CoopsimError:
    """Return what a function returns, or the error that it raises, unless that is silence."""
    try:
        return do(*values)
    except NoReply:
        raise
    except CoopsimError as problem:
        return problem
