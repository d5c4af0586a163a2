"""Service for the clients of one run, whatever carries their messages and wherever the records come from."""

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from coopsim.errors import CoopsimError
from coopsim.server.access.trusted import TrustedKeys
from coopsim.server.audit import Audit
from coopsim.server.background import BackgroundWorker
from coopsim.server.dispossession import Dispossession
from coopsim.server.edits import EditForwarder
from coopsim.server.event_channel import EVENTS_MODULE, EventChannel
from coopsim.server.event_delivery import EventFeed
from coopsim.server.event_log import EventLog
from coopsim.server.fair_queue import FairQueue
from coopsim.server.keyed_connections import KeyedConnections
from coopsim.server.listener import Listeners
from coopsim.server.lockstep.coordinator import LockstepCoordinator
from coopsim.server.lockstep.ownership import Ownership
from coopsim.server.lockstep.sessions import CoordinatorHooks, Session
from coopsim.server.modules.clock import ClockModule
from coopsim.server.modules.controllers import ControllersModule
from coopsim.server.modules.dispatch import Modules
from coopsim.server.modules.events import EventsModule
from coopsim.server.modules.info import InfoModule
from coopsim.server.modules.mesh_store import MeshStore
from coopsim.server.modules.names import NamesModule
from coopsim.server.modules.offered_names import OfferedNames, RecordedNames
from coopsim.server.modules.recorder import PlaybackModule
from coopsim.server.modules.renderer import RendererModule
from coopsim.server.modules.scene_files import SceneFiles
from coopsim.server.modules.scenes import SceneStore
from coopsim.server.modules.served import ServedModule
from coopsim.server.modules.step import StepModule
from coopsim.server.modules.world import WorldModule
from coopsim.server.options import HostOptions
from coopsim.server.registry import Registry
from coopsim.server.speed_meter import SpeedMeter
from coopsim.server.subscriptions import Subscriptions
from coopsim.transport import Source


class Service:
    """Ownership, lockstep and all modules of one run.

    Args:
        source: Live, recorded, or in this process.
        options: How the run is served.
        listeners: Their ports are reported, their connections counted.
        wake: Wakes the thread that calls `Modules.turn`.
        more: Modules that only some runs have, by name.
        lock: Held while a request is answered or a record is taken in; None = one of its own.

    Raises:
        NoKey: Our own key cannot be read.

    Attributes:
        modules: Answers requests.
        coordinator: Ownership and barrier.
        ownership: Who controls which robot.
        pace: How fast simulated time goes.
        subscriptions: Who gets states by TCP.
        events: What is told to those who listen to topics.
        renderer: Says what draws.
        trusted: Accepted keys; None = connections need no key.
    """

    def __init__(
        self,
        source: Source,
        options: HostOptions,
        listeners: Listeners,
        wake: Callable[[], object] = lambda: None,
        more: Mapping[str, ServedModule] | None = None,
        lock: AbstractContextManager[bool] | None = None,
    ) -> None:
        self._source, self._options, self._listeners = source, options, listeners
        self._facts: dict[str, Any] = options.facts
        self.pace, self.ownership, queue, lock = SpeedMeter(), Ownership(), FairQueue(), lock or threading.RLock()
        hooks = CoordinatorHooks(wake, listeners.follow, queue.is_waiting)
        self.coordinator = LockstepCoordinator(
            source, options.barrier, self.ownership, time.monotonic, hooks, is_recording=options.is_recording
        )
        self._edits = EditForwarder(source, queue, self.coordinator.pending.retry, self.coordinator.faults)
        offers = RecordedNames if options.is_recording else OfferedNames
        self._offers = offers(self.coordinator, self._edits)
        self._registry = Registry(lambda owner: isinstance(owner, Session) and owner.is_gone)
        self._worker = BackgroundWorker(lock, self.coordinator.faults)
        self.subscriptions = Subscriptions(source, options.run, faults=self.coordinator.faults)
        self._event_log = EventLog(source)
        channel = EventChannel(wake, faults=self.coordinator.faults)
        self.events = EventFeed(channel, self._event_log, is_recording=options.is_recording)
        self.trusted = TrustedKeys(options.listen.keys) if options.listen.keys is not None else None
        dispossession = Dispossession(self.coordinator, self._offers.lost)
        keyed_connections = KeyedConnections(dispossession, options.audit or Audit(is_silent=True), self.trusted)
        self.renderer = RendererModule(source, self._edits, self._facts, lambda: self.modules.images)
        fixed = self._make_modules(more or {})
        self.modules = Modules(
            self.coordinator, self._edits, fixed, self._elsewhere, options.run, keyed_connections, lock, self._offers
        )

    def close(self) -> None:
        """Answer what waits, and end the present work with files."""
        self.modules.refuse_all()
        with self.modules.lock:
            self.events.channel.end()
        self._worker.close()

    def report_cameras(self, problem: str) -> None:
        """Say in `/sim/info` why nothing draws what cameras see; "" = something does."""
        self._facts.pop("cameras", None)
        if problem:
            self._facts["cameras"] = problem

    def _make_modules(self, more: Mapping[str, ServedModule]) -> dict[str, ServedModule]:
        source, edits, listeners = self._source, self._edits, self._listeners
        modules: dict[str, ServedModule] = {
            "/sim/clock": ClockModule(self.coordinator, edits, self.pace, lambda: listeners.clients),
            EVENTS_MODULE: EventsModule(
                source, self.events.channel, self._event_log, is_recording=self._options.is_recording
            ),
            "/sim/info": InfoModule(
                source, self._facts, lambda: listeners.ports, self.subscriptions, self.coordinator.faults
            ),
            "/sim/renderer": self.renderer,
            "/sim/step": StepModule(self.coordinator, self._options.run),
            "/sim/world": self._make_world(more.get("/sim/controllers")),
            **more,
        }
        if self._options.is_recording:
            modules["/sim/playback"] = PlaybackModule(edits)
        names = sorted([*modules, "/sim/names"])
        module = NamesModule(source, names, self._endpoints, self._registry, self._offers, self._now)
        return {**modules, "/sim/names": module}

    def _make_world(self, laws: ServedModule | None) -> WorldModule:
        options = self._options
        if isinstance(laws, ControllersModule):
            laws.attach(self._edits)
        files = SceneFiles(options.scenario, options.world, Path.cwd(), is_read=not options.is_continued)
        ending = laws if isinstance(laws, ControllersModule) else None
        library = SceneStore(self._source, self._edits, files, self._worker, self._facts, ending)
        # a recording may come from anywhere, and name any file, that of its scenario among them
        scene_files = SceneFiles("", "", Path.cwd())
        meshes = MeshStore(self._worker, scene_files.is_within if options.is_recording else lambda _: True)
        return WorldModule(self._source, self._edits, library, meshes)

    def _elsewhere(self, name: str) -> CoopsimError | None:
        return self._registry.elsewhere(name, self._now())

    def _now(self) -> float:
        return self.coordinator.clock()

    def _endpoints(self, robot: str) -> tuple[str, str]:
        ports, address = self._listeners.ports, self._options.listen.host
        scheme = "tls" if self._options.is_tls else "tcp"
        zeromq = (self._listeners.port_of(robot) if robot else 0) or ports.get("zmq", 0)
        plain = ports.get("tcp", 0)
        return f"tcp://{address}:{zeromq}" if zeromq else "", f"{scheme}://{address}:{plain}" if plain else ""
