"""The host of a run: everything that clients talk to.

Source: CoopDynSim, Fig. 1 (hardware abstraction layer: a server per module).
"""

import contextlib
import select
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import zmq

from coopsim.errors import BadArgument, CoopsimError, NoSuchName, SimulationEnded
from coopsim.server.access.trusted import TrustedKeys
from coopsim.server.audit import Audit
from coopsim.server.conductor import CONTROLLER_PATIENCE, Conductor
from coopsim.server.edits import Edits
from coopsim.server.lockstep.barrier import PATIENCE, Barrier
from coopsim.server.lockstep.ownership import Ownership
from coopsim.server.lockstep.sessions import Session
from coopsim.server.lockstep.stepping import Stepping
from coopsim.server.modules.clock import ClockModule
from coopsim.server.modules.dispatch import Module, Modules
from coopsim.server.modules.info import InfoModule
from coopsim.server.modules.names import NamesModule
from coopsim.server.modules.playback import PlaybackModule
from coopsim.server.modules.recorder import RecorderModule
from coopsim.server.modules.scene_files import SceneFiles
from coopsim.server.modules.scenes import Library
from coopsim.server.modules.step import StepModule
from coopsim.server.modules.world import WorldModule
from coopsim.server.pace import Pace
from coopsim.server.registry import Registry
from coopsim.server.sockets.authenticator import Doorman
from coopsim.server.sockets.gateway import Gateway
from coopsim.server.sockets.listening import LOCAL, Door
from coopsim.server.sockets.robot_threads import MOST_THREADS, RobotThreads
from coopsim.server.sockets.router import Router
from coopsim.server.sockets.stream import Stream
from coopsim.server.sockets.tls import TlsServer
from coopsim.server.subscriptions import Subscriptions
from coopsim.server.workshop import Workshop
from coopsim.transport import Channel, SourceLink, Wake

_MAX_SOCKETS = 8192
_LINGER_MS = 200
_LAST_WORDS = 0.2
"""So long clients that still ask are told that the simulation has ended [s]."""
_FAREWELL = 1.0


@dataclass(frozen=True, slots=True)
class HostOptions:
    """How a run is served.

    Attributes:
        port: Of ZeroMQ; plain TCP takes the next one, the state stream the one after; 0 takes free ones.
        door: Where to listen, and who gets in.
        plain_tcp: Whether TCP is served in the clear; where it is not, and our key has a certificate, it is with TLS.
        wait_for: Names of robots, or how many, that must have an owner before the first lockstep step.
        patience: How long one robot may hold up the others in lockstep [s]; 0 = for ever.
        policy: What happens then: `stop`, `hold`, `wait` or `evict`.
        robot_threads: "auto" (one per robot, at most 16), "off", or at most so many.
        controllers: Robots driven by controllers that the launcher started.
        run: Number of the run; 0 = it has none.
        info: What `/sim/info` says besides: scenario, seed, engine.
        scenario: The file that the run began with, "" = none.
        world: The world file of that, "" = none.
        is_continued: Whether the run goes on from a recording, so that these may have changed since.
        is_recording: Whether the source is a recording: no commands, and `/sim/playback` moves it.
        is_audited: Whether every edit and claim is told, also of clients without keys.
    """

    port: int = 5570
    door: Door = LOCAL
    plain_tcp: bool = True
    wait_for: tuple[str, ...] | int = ()
    patience: float = PATIENCE
    policy: str = "stop"
    robot_threads: str | int = "auto"
    controllers: tuple[str, ...] = ()
    run: int = 0
    info: Mapping[str, Any] = field(default_factory=dict)
    scenario: str = ""
    world: str = ""
    is_continued: bool = False
    is_recording: bool = False
    is_audited: bool = False

    @property
    def audit(self) -> Audit | None:
        """Who is told what clients do; None = nobody: without keys a replay is only looked at."""
        is_complete = self.is_audited or self.door.keys is not None
        if self.is_recording and not is_complete:
            return None
        where = " on loopback" * self.door.is_local
        return Audit(is_complete=is_complete, anybody=f"someone{where}")

    @property
    def threads(self) -> int:
        """How many robot threads there may be.

        Raises:
            BadArgument: `robot_threads` is neither "auto", "off" nor a number.
        """
        if isinstance(self.robot_threads, int) and self.robot_threads >= 0:
            return self.robot_threads
        known = {"auto": MOST_THREADS, "off": 0}
        if self.robot_threads not in known:
            raise BadArgument(f"robot threads must be auto, off or a number, got {self.robot_threads!r}")
        return known[str(self.robot_threads)]


class Host:
    """Serves one run from the first record to the end.

    Args:
        link: The source, live or recorded.
        launcher: Channel to the launcher.
        options: How to serve.
    """

    def __init__(self, link: SourceLink, launcher: Channel, options: HostOptions) -> None:
        self._link, self._launcher, self._options = link, launcher, options
        barrier = Barrier(
            patience=options.patience, policy=options.policy, wait_for=options.wait_for, now=time.monotonic()
        )
        barrier.allow(options.controllers, CONTROLLER_PATIENCE)
        self._ownership = Ownership()
        self._stepping = Stepping(link, barrier, self._ownership, time.monotonic, is_recording=options.is_recording)
        self._pace = Pace()
        self._facts: dict[str, Any] = {"run": options.run, **options.info}
        self._recorder = RecorderModule(link, launcher)
        self._registry = Registry(lambda owner: isinstance(owner, Session) and owner.is_gone)
        self._workshop = Workshop()
        self._subscriptions = Subscriptions(link, options.run)
        modules = self._make_modules()
        self._modules = Modules(self._stepping, *modules, self._elsewhere, options.run, options.audit)
        self._workshop.lock = self._modules.lock

    def run(self) -> int:
        """Serve until the launcher says stop, or it or the source is gone; return the exit code."""
        context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        context.set(zmq.MAX_SOCKETS, _MAX_SOCKETS)
        poller = select.epoll()
        try:
            self._serve(context, poller)
        except CoopsimError as problem:
            self._say({"problem": {"error": problem.code, "text": str(problem), "cure": problem.cure}})
            return 1
        finally:
            context.destroy(_LINGER_MS)
            poller.close()
        return 0

    def _make_modules(self) -> tuple[Edits, dict[str, Module]]:
        edits = Edits(self._link)
        self._clock = ClockModule(self._stepping, edits, self._pace)
        modules: dict[str, Module] = {
            "/sim/clock": self._clock,
            "/sim/info": InfoModule(self._link, self._facts, self._subscriptions),
            "/sim/recorder": self._recorder,
            "/sim/step": StepModule(self._stepping, self._options.run),
            "/sim/world": WorldModule(self._link, edits, self._make_library(edits)),
        }
        if self._options.is_recording:
            modules["/sim/playback"] = PlaybackModule(edits)
        names = sorted([*modules, "/sim/names"])
        names_module = NamesModule(self._link, names, self._endpoints, self._registry, self._now)
        return edits, {**modules, "/sim/names": names_module}

    def _make_library(self, edits: Edits) -> Library:
        options = self._options
        is_read = not options.is_continued
        files = SceneFiles(options.scenario, options.world, Path.cwd(), is_read=is_read)
        return Library(self._link, edits, files, self._workshop, self._facts)

    def _elsewhere(self, name: str) -> CoopsimError | None:
        return self._registry.elsewhere(name, self._now())

    def _now(self) -> float:
        return self._stepping.clock()

    def _endpoints(self, robot: str) -> tuple[str, str]:
        ports, address = self._facts["ports"], self._options.door.host
        own = self._threads.port(robot) if robot else 0
        scheme = "tls" if self._facts["tls"] else "tcp"
        plain = f"{scheme}://{address}:{ports['tcp']}" if ports["tcp"] else ""
        return f"tcp://{address}:{own or ports['zmq']}", plain

    def _serve(self, context: "zmq.Context[zmq.Socket[bytes]]", poller: select.epoll) -> None:
        """Open everything, serve, and close everything in reverse order; what waits is answered first."""
        modules, port, door = self._modules, self._options.port, self._options.door
        with contextlib.ExitStack() as open_things:
            reader, writer = Wake.pair()
            open_things.callback(reader.close)
            open_things.callback(writer.close)
            self._stepping.wake = writer.ring
            tls = None
            if door.keys is not None:
                trusted = modules.guests.trusted = TrustedKeys(door.keys)
                open_things.callback(Doorman(context, trusted, modules.review).close)
                is_tls = trusted.own.has_tls_secret and not self._options.plain_tcp
                tls = TlsServer(trusted) if is_tls else None
            router = Router(context, port, modules, writer.ring, door=door)
            open_things.callback(router.close, _LINGER_MS)
            address = door.address if self._options.plain_tcp or tls else ""
            gateway = Gateway(port + 1 if port else 0, modules, poller, writer.ring, address=address, tls=tls)
            open_things.callback(gateway.close)
            stream = Stream(
                context, port + 2 if port else 0, self._link, door, run=self._options.run, listens=modules.listens
            )
            open_things.callback(stream.close, _LINGER_MS)
            self._threads = RobotThreads(context, modules, self._options.threads, door)
            open_things.callback(self._threads.close)
            open_things.callback(self._workshop.close)
            open_things.callback(self._recorder.refuse_all)
            open_things.callback(modules.refuse_all)
            self._clock.clients = lambda: router.clients + gateway.clients + self._threads.clients
            self._facts["tls"] = int(tls is not None)
            self._facts["ports"] = {"zmq": router.port, "tcp": gateway.port, "stream": stream.port}
            if self._await_source():
                self._stepping.on_layout.append(lambda layout: self._threads.follow(layout.robot))
                modules.look()
                self._launcher.send({"ready": self._facts["ports"]})
                ends = (router, gateway, self._threads)
                streams = stream, self._subscriptions
                conductor = Conductor(
                    self._link, self._launcher, modules, *ends, self._pace, poller, reader, self._recorder, *streams
                )
                conductor.run()
                conductor.say_farewell(_LAST_WORDS)
            summary = self._summary()
        lines = self._modules.audit.take(is_last=True)
        self._say({**({"audit": lines} if lines else {}), "summary": summary})

    def _await_source(self) -> bool:
        """Wait for the first record; False when the source or the launcher is gone before it.

        Raises:
            NoSuchName: It is to be waited for a robot that is not there.
        """
        waiter = select.poll()
        for end in (self._link.woken.reader, self._link.channel.fileno(), self._launcher.fileno()):
            waiter.register(end, select.POLLIN)
        while True:
            self._link.poll()
            try:
                layout, _ = self._link.now
                break
            except SimulationEnded:
                if self._link.ended or self._is_stopped():
                    return False
            waiter.poll(1000)
        wanted = self._options.wait_for
        missing = [name for name in wanted if name not in layout.robot] if not isinstance(wanted, int) else []
        if missing:
            known = ", ".join(sorted(layout.robot)[:20]) or "none"
            raise NoSuchName(f"no robot {', '.join(missing)} to wait for; there are: {known}")
        return True

    def _is_stopped(self) -> bool:
        return any("stop" in message for message in self._launcher.receive()) or self._launcher.closed

    def _summary(self) -> dict[str, Any]:
        robots = sorted(self._link.layout.robot)
        return {
            "owners": self._ownership.labels(robots),
            "driven": len(self._ownership.driven),
            "patience_fired": self._stepping.barrier.fired,
        }

    def _say(self, message: dict[str, Any]) -> None:
        """Send a last message to the launcher and wait until it is on its way."""
        self._launcher.send(message)
        deadline = time.monotonic() + _FAREWELL
        waiter = select.poll()
        if not self._launcher.closed:
            waiter.register(self._launcher.fileno(), select.POLLOUT)
        while self._launcher.pending and not self._launcher.closed and time.monotonic() < deadline:
            waiter.poll(10)
            self._launcher.flush()
