"""Images of the robots' cameras: ordered from the process that draws them, which is started when it is needed."""

import select
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias, assert_never

from coopsim.errors import CoopsimError, NoImage
from coopsim.interfaces import CAMERA
from coopsim.server.listener import Listener
from coopsim.server.modules.dispatch import Modules
from coopsim.server.polling import Poller
from coopsim.state import Layout
from coopsim.transport import Channel
from coopsim.transport.control import (
    OWN_STARTS,
    CameraImage,
    CameraOrder,
    CameraRefusal,
    CamerasToHost,
    HostToCameras,
    RendererChanged,
    RendererOrder,
)

# the process loads a renderer first, which takes seconds without a graphics card
PATIENCE = 20.0
"""Time limit for an image, the start of the process included [s]."""
RENDERER_PATIENCE = 60.0
"""Time limit for the start of a renderer, which a client waits for as long as it likes [s]."""

_OWN = RendererOrder(0, "", "")
"""Order that a process has as it starts: nobody asks for a renderer."""
_MOST_ENDS = 2
"""How often a process may end with a renderer that is asked for: the last one that is started draws without it."""
CameraChannel: TypeAlias = Channel[HostToCameras, CamerasToHost]


class _Waiting(NamedTuple):
    drawn: Callable[[Any], None]
    failed: Callable[[CoopsimError], None]
    deadline: float
    too_late: str


class CameraLink(Listener):
    """Orders from a process; where it dies, the next one is started.

    It is no way in for clients, but waited for in the same way.

    Args:
        modules: Whose lock guards everything here.
        channels: To the processes, one after the other; the launcher gives the other end of each to the one it starts.
        start: Asks the launcher to start the next process.
        clock: Monotonic seconds.
        renderer: Returns which renderer is asked for.
        report: Takes why nothing draws, for `/sim/info`; "" = something does.
    """

    def __init__(
        self,
        modules: Modules,
        channels: Sequence[CameraChannel],
        start: Callable[[], None],
        clock: Callable[[], float] = time.monotonic,
        renderer: Callable[[], RendererOrder] = lambda: _OWN,
        report: Callable[[str], object] = lambda _: None,
    ) -> None:
        self._renderer, self._ordered, self._report = renderer, _OWN, report
        self._modules, self._rest, self._start, self._clock = modules, [*channels], start, clock
        self._starts, self._permitted = 0, OWN_STARTS
        self._channel: CameraChannel | None = None
        self._poller: Poller | None = None
        self._layout: Layout | None = None
        self._waiting: dict[int, _Waiting] = {}
        self._ends = Counter[RendererOrder]()
        self._next = 1

    def order(
        self, order: CameraOrder, drawn: Callable[[CameraImage], None], failed: Callable[[CoopsimError], None]
    ) -> None:
        """Send an order, which gets a number of its own."""
        self._begin()
        if self._channel is None:
            failed(NoImage(self._problem).bring(self._starts))
            return
        # a scene that was loaded, or a process that was started anew, may want another one
        wanted = self._renderer()
        if self._ordered != wanted and self._ends[wanted] < _MOST_ENDS:
            self._ordered = wanted
            self._channel.send(wanted)
        late = f"the camera process has not drawn the image within {PATIENCE:g} s"
        self._channel.send(replace(order, id=self._await(drawn, failed, PATIENCE, late)))

    def exchange(
        self, order: RendererOrder, changed: Callable[[], None], failed: Callable[[CoopsimError], None]
    ) -> None:
        """Have another renderer draw; a process that is not started yet gets the order with the first image.

        Where processes have ended too often to be started again, one more is.
        """
        if self._channel is None:
            if self._starts:
                self._permitted = self._starts + 1
                self._ends.clear()
                self._begin()
            if self._starts and self._channel is None:
                failed(NoImage(self._problem).bring(self._starts))
            else:
                changed()
            return

        def ordered(_: RendererChanged) -> None:
            self._ordered = order
            changed()

        name = order.asked or order.scene or "the usual one"
        late = f"the camera process has not started the renderer {name} within {RENDERER_PATIENCE:g} s"
        self._channel.send(replace(order, id=self._await(ordered, failed, RENDERER_PATIENCE, late)))

    def _await(
        self, drawn: Callable[[Any], None], failed: Callable[[CoopsimError], None], patience: float, too_late: str
    ) -> int:
        """Note who waits for an answer, for how long [s] and what is said then; return its number."""
        number, self._next = self._next, self._next + 1
        self._waiting[number] = _Waiting(drawn, failed, self._clock() + patience, too_late)
        return number

    def register(self, poller: Poller) -> None:
        """Note where the process is to be waited for once it is started."""
        self._poller = poller

    def turn(self, _now: float, /) -> None:
        """Start the process as soon as a robot has a camera; refuse what waits for too long."""
        with self._modules.lock:
            layout = self._modules.coordinator.link.layout
            if layout is not self._layout:
                self._layout = layout
                if has_camera(layout):
                    self._begin()
            if self._channel is not None and self._channel.pending:
                self._channel.flush()
            now = self._clock()
            for number in [number for number, waiting_order in self._waiting.items() if waiting_order.deadline < now]:
                late = self._waiting.pop(number)
                late.failed(NoImage(late.too_late))

    def close(self) -> None:
        """Let the process end."""
        for channel in (self._channel, *self._rest):
            if channel is not None:
                channel.close()
        self._channel, self._rest = None, []

    def _begin(self) -> None:
        """Ask for a process where there is none."""
        may_start = self._rest and self._starts < self._permitted
        if self._channel is None and may_start and self._poller is not None:
            self._starts += 1
            self._channel, self._ordered = self._rest.pop(0), _OWN
            self._poller.register(self._channel.fileno(), select.EPOLLIN, lambda *_: self._receive())
            self._start()
        self._report("" if self._channel is not None or not self._starts else self._problem)

    @property
    def _problem(self) -> str:
        again = "by itself" if self._rest else "in this run"
        return f"the camera process has ended {self._starts} times and is not started again {again}"

    def _receive(self) -> None:
        channel = self._channel
        if channel is None or self._poller is None:
            return
        with self._modules.lock:
            for message in channel.receive():
                self._deliver(message)
            if channel.closed:
                self._poller.unregister(channel.fileno())
                channel.close()
                self._channel = None
                self._lose()

    def _deliver(self, message: CamerasToHost) -> None:
        waiting = self._waiting.pop(message.id, None)
        if waiting is None:  # it was too late
            return
        match message:
            case CameraImage() | RendererChanged():
                waiting.drawn(message)
            case CameraRefusal():
                waiting.failed(message.exception)
            case _:
                assert_never(message)

    def _lose(self) -> None:
        """Refuse what the process that died owes, and start another one."""
        waiting, self._waiting = self._waiting, {}
        name = self._ordered.asked or self._ordered.scene
        self._ends[self._ordered] += bool(name)
        text = "the camera process ended before it had drawn the image"
        if name and self._starts < self._permitted and self._ends[self._ordered] >= _MOST_ENDS:
            text += f"; it ended {_MOST_ENDS} times with the renderer {name}, so that the usual one draws now"
        for request in waiting.values():
            request.failed(NoImage(text))
        self._begin()


def has_camera(layout: Layout) -> bool:
    """Return whether a robot has one."""
    return any(module.interface.kind == CAMERA.kind for kind in layout.types for module in kind.modules)
