"""Window on a world of a batch: the processes that serve and show it, from the first picture to the end."""

import atexit
import contextlib
import logging
import subprocess
import threading
import time

from coopsim import plugins
from coopsim.client import connect
from coopsim.errors import CannotDraw, NoReply
from coopsim.features.learning.human.source import EpisodeSource
from coopsim.features.learning.worlds import Worlds
from coopsim.interpreter import module_command
from coopsim.launch.child import Child
from coopsim.launch.config import LaunchConfig
from coopsim.launch.descriptors import ChildDescriptors
from coopsim.launch.options import RunOptions
from coopsim.launch.ring_room import create_ring
from coopsim.transport import Channel, Notifier, remove_abandoned_rings
from coopsim.transport.control import Start, Stop

_log = logging.getLogger(__name__)
_HOST = module_command("coopsim.launch.host_process")
_STARTING = 60.0  # s; a machine under load takes ten for a window, and a training that waits for ever helps nobody
_STOPPING = 5.0  # s; a host closes its sockets in a tenth
_CHECKED_EVERY = 0.02  # s; a person sees no difference


def view_command(endpoint: str) -> tuple[str, ...]:
    """Return the command of the window on what answers at an endpoint."""
    return module_command("coopsim", "view", "--quiet", endpoint, *plugins.loading("renderers"))


class EpisodeWindow:
    """A window that follows a world of a batch through all its episodes.

    Robots belong to the training: other clients may look, and are refused as drivers. To close the window by hand ends
    nothing but the window.

    Args:
        worlds: The batch.
        world: Number of the world.

    Attributes:
        endpoint: Where `coopsim view`, or `coopsim web`, may look on, too.

    Raises:
        CannotDraw: The window did not open.
        NoReply: The server did not start.
    """

    def __init__(self, worlds: Worlds, world: int = 0) -> None:
        self._worlds, self._world = worlds, world
        self._is_closed = False
        self._stack = contextlib.ExitStack()
        try:
            self._serve()
            self._claim()
            self._open()
        except BaseException:
            self._stack.close()
            raise
        atexit.register(self.close)

    @property
    def is_open(self) -> bool:
        """Whether it can be seen."""
        return not self._is_closed and self._view.poll() is None

    def show(self, seconds: float) -> None:
        """Show the world as it is now, and wait for the end of the step.

        Args:
            seconds: Simulated time of the step; 0 = an episode begins [s].
        """
        if self._is_closed:
            return
        if not self.is_open:
            _log.warning("the window was closed; episodes go on without it, as fast as they can")
            self.close()
            return
        self._source.publish()
        self._source.pace.wait(seconds, lambda: self.is_open)

    def close(self) -> None:
        """Close it, and end what served it."""
        if not self._is_closed:
            self._is_closed = True
            atexit.unregister(self.close)
            self._source.publish(is_last=True)
            self._stack.close()

    def _serve(self) -> None:
        """Start the host, and the thread that is its source."""
        remove_abandoned_rings()
        spec = self._worlds.spec(self._world)
        ring = create_ring(spec, len(self._worlds.robots))
        self._stack.callback(ring.unlink)
        (reports, far_reports), (own, far), (orders, far_orders) = (Channel.pair() for _ in range(3))
        (woken, wake), (permit, permitting) = Notifier.pair(), Notifier.pair()
        ends = ChildDescriptors(str(ring.path), far_reports.fileno(), far.fileno(), woken.reader, permitting.writer)
        self._host = Child("host process", [*_HOST, *ends.arguments()], pass_fds=ends.descriptors)
        for end in (far_reports, far, woken, permitting):
            end.close()
        for kept in (reports, own, orders, far_orders, wake, permit):
            self._stack.callback(kept.close)
        self._stack.callback(self._end_host)
        reports.send(LaunchConfig(spec, RunOptions(port=0, controllers=False)).message())
        self._source = EpisodeSource(self._worlds, self._world, ring, own, wake, reports, far_orders)
        thread = threading.Thread(target=self._source.run, name="episodes", daemon=True)
        orders.send(Start())
        thread.start()
        self._stack.callback(thread.join, _STOPPING)
        self._stack.callback(orders.send, Stop())
        self._stack.callback(reports.send, Stop())
        self._await_host()

    def _await_host(self) -> None:
        source, end = self._source, time.monotonic() + _STARTING
        while not source.ready.wait(_CHECKED_EVERY) and not self._host.ended and time.monotonic() < end:
            pass
        if source.problem is not None:
            raise source.problem.exception
        if not source.ports:
            raise NoReply(f"the server of the window did not start: the host process {self._host.ending}")
        self.endpoint = f"tcp://127.0.0.1:{source.ports['zmq']}"

    def _claim(self) -> None:
        """Own all robots, so that whoever looks on is refused as a driver."""
        client = self._stack.enter_context(connect(self.endpoint))
        self._stack.enter_context(client.stepper(self._worlds.robots))
        self._clock = client.module("/sim/clock")

    def _open(self) -> None:
        """Open the window, and wait until it has connected.

        Raises:
            CannotDraw: It ended before, or has not come.
        """
        before, end = self._clock.status().clients, time.monotonic() + _STARTING
        # a session of its own: Ctrl-C reaches the training, which closes it
        self._view = subprocess.Popen(
            view_command(self.endpoint), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True
        )
        self._stack.callback(self._view.wait)
        self._stack.callback(self._view.kill)  # it has nothing to lose
        while self._clock.status().clients <= before:
            if self._view.poll() is not None:
                raise CannotDraw("the window could not be opened; its message stands above this line").advise("")
            if time.monotonic() > end:
                raise CannotDraw(f"the window did not come within {_STARTING:g} s")
            time.sleep(_CHECKED_EVERY)  # a clock counts its clients, and tells nobody when one comes

    def _end_host(self) -> None:
        self._host.wait(_STOPPING)
        self._host.reap()
        self._host.close()
