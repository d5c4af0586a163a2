"""The host of a run: everything that clients talk to.

Source: CoopDynSim, Fig. 1 (hardware abstraction layer: a server per module).
"""

import contextlib
import select
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import zmq

from coopsim.errors import CoopsimError, NoSuchName, SimulationEnded
from coopsim.server.cameras import CameraChannel, CameraLink
from coopsim.server.conductor import Conductor
from coopsim.server.event_delivery import EventDelivery
from coopsim.server.lane.lane import Lane
from coopsim.server.lane.library import find
from coopsim.server.lane.lock import CallingLock
from coopsim.server.launcher import LauncherLink
from coopsim.server.listener import Listener, Listeners
from coopsim.server.modules.controllers import ControllersModule
from coopsim.server.modules.dispatch import Modules
from coopsim.server.modules.recorder import RecorderModule
from coopsim.server.modules.served import ServedModule
from coopsim.server.options import HostOptions
from coopsim.server.polling import Poller
from coopsim.server.service import Service
from coopsim.server.sockets.authenticator import CurveAuthenticator
from coopsim.server.sockets.gateway import Gateway
from coopsim.server.sockets.listening import LINGER_MS
from coopsim.server.sockets.robot_threads import RobotThreads
from coopsim.server.sockets.router import Router
from coopsim.server.sockets.state_publisher import StatePublisher
from coopsim.server.sockets.tls import TlsServer
from coopsim.server.sockets.zmtp_gateway import ZmtpGateway
from coopsim.transport import Channel, SourceLink
from coopsim.transport.control import HostSummary, HostToLauncher, LauncherToHost, ProcessFailed, StartCameras
from coopsim.transport.last_words import leave_words

_MAX_SOCKETS = 8192  # one for each robot of a large crowd and its clients
# long enough for requests under way on loopback, short enough to end with the run
_LAST_WORDS = 0.2
"""Time in which late requests are answered with `SimulationEnded` [s]."""

MakeListener: TypeAlias = Callable[[Modules, Poller], Listener]
"""Opens another way in, given what answers and where to wait."""


class Host:
    """Serves one run from the first record to the end.

    Args:
        link: The source, live or recorded.
        launcher: Channel to the launcher.
        options: How to serve.
        more: Open further ways in, beside ZeroMQ, plain TCP, the state stream and the robots' own endpoints.
        cameras: To processes that draw what cameras see, one after the other, see `CameraLink`.

    Raises:
        NoKey: Our own key cannot be read.
    """

    def __init__(
        self,
        link: SourceLink,
        launcher: Channel[HostToLauncher, LauncherToHost],
        options: HostOptions,
        more: Sequence[MakeListener] = (),
        cameras: Sequence[CameraChannel] = (),
    ) -> None:
        self._link, self._options, self._more = link, options, more
        self._poller, self._listeners = Poller(), Listeners()
        self._recorder = RecorderModule(link, launcher)
        self._controllers = ControllersModule(link, launcher)
        own: dict[str, ServedModule] = {"/sim/recorder": self._recorder, "/sim/controllers": self._controllers}
        library, lock = find(), CallingLock(self._poller.wake)
        self._service = Service(link, options, self._listeners, self._poller.wake, own, lock)
        self._modules = self._service.modules
        self._lane = Lane(library, link, self._modules, lock, self._poller) if library is not None else None
        start, renderer = lambda: launcher.send(StartCameras()), self._service.renderer
        self._cameras = CameraLink(
            self._modules, cameras, start, renderer=lambda: renderer.order, report=self._service.report_cameras
        )
        self._modules.images = self._cameras
        service = self._service
        self._launcher = LauncherLink(
            launcher,
            self._modules,
            self._recorder,
            self._controllers,
            service.pace,
            self._listeners,
            service.events,
        )

    def run(self) -> int:
        """Serve until the launcher says stop, or it or the source is gone; return the exit code."""
        context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        context.set(zmq.MAX_SOCKETS, _MAX_SOCKETS)
        try:
            with self._poller:
                self._serve(context)
        except CoopsimError as problem:
            leave_words(problem)
            self._launcher.say_last(ProcessFailed.of(problem))
            return 1
        finally:
            context.destroy(LINGER_MS)
        return 0

    def _serve(self, context: "zmq.Context[zmq.Socket[bytes]]") -> None:
        """Open everything, serve, and close everything in reverse order; what waits is answered first."""
        modules, service = self._modules, self._service
        with contextlib.ExitStack() as open_things:
            if service.trusted is not None:
                authenticator = CurveAuthenticator(
                    context, service.trusted, modules.review, modules.audit.record_stranger, modules.faults
                )
                open_things.callback(authenticator.close)
            for listener in self._open_listeners(context):
                open_things.callback(listener.close)
                self._listeners.add(listener)
            open_things.callback(service.close)
            open_things.callback(self._recorder.refuse_all)
            open_things.callback(self._controllers.refuse_all)
            if self._await_source():
                modules.poll()
                self._launcher.ready()
                conductor = Conductor(self._link, self._launcher, modules, self._listeners, self._poller, self._lane)
                conductor.run()
                conductor.say_farewell(_LAST_WORDS)
            summary = self._summary()
        self._launcher.report_audit(is_last=True)
        self._launcher.say_last(summary)

    def _open_listeners(self, context: "zmq.Context[zmq.Socket[bytes]]") -> Iterator[Listener]:
        """Open one way in after the other; they are closed in reverse order."""
        service, modules, options, poller = self._service, self._modules, self._options, self._poller
        port, listen = options.port, options.listen
        # first, for whatever is sent on the router's socket must come before it looks for requests
        yield EventDelivery(self._link, service.events, modules.lock)
        if listen.keys is None and not options.is_libzmq:
            yield ZmtpGateway(port, modules, poller, address=listen.address)
        else:
            yield Router(context, port, modules, poller.wake, listen=listen)
        yield Gateway(
            port + 1 if port else 0,
            modules,
            poller,
            address=listen.address if options.plain_tcp or options.is_tls else "",
            tls=TlsServer(service.trusted) if service.trusted is not None and options.is_tls else None,
        )
        if options.websocket is not None:
            # who serves no pages need not have what it takes
            from coopsim.server.sockets.websocket import WebSocketEnds, WebSocketGateway

            ends = WebSocketEnds(options.origins)
            yield WebSocketGateway(options.websocket, modules, poller, address=listen.address, tls=ends)
        yield service.subscriptions
        publisher = StatePublisher(
            context, port + 2 if port else 0, self._link, listen, run=options.run, listens=modules.listens
        )
        publisher.faults = modules.faults
        yield publisher
        yield RobotThreads(context, modules, options.threads, listen)
        yield self._cameras
        for make in self._more:
            yield make(modules, poller)

    def _await_source(self) -> bool:
        """Wait for the first record; False when the source or the launcher is gone before it.

        Raises:
            NoSuchName: It is to be waited for a robot that is not there.
        """
        waiter = select.poll()
        for end in (self._link.woken.reader, self._link.channel.fileno(), self._launcher.channel.fileno()):
            waiter.register(end, select.POLLIN)
        while True:
            self._link.poll()
            try:
                layout, _ = self._link.now
                break
            except SimulationEnded:
                self._launcher.listen()
                if self._link.ended or self._launcher.is_stopped:
                    return False
            waiter.poll(1000)
        wanted = self._options.wait_for
        missing = [name for name in wanted if name not in layout.robot] if not isinstance(wanted, int) else []
        if missing:
            names = ", ".join(sorted(layout.robot)[:20]) or "none"
            raise NoSuchName(f"no robot {', '.join(missing)} to wait for; there are: {names}")
        return True

    def _summary(self) -> HostSummary:
        service, ownership = self._service, self._service.ownership
        owners = {name: owner for name, owner in ownership.labels(self._link.layout.robot).items() if owner is not None}
        return HostSummary(dict(sorted(owners.items())), len(ownership.driven), service.coordinator.barrier.fired)
