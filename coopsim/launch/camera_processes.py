"""The processes that draw what cameras see: one at a time, started when the host asks for it."""

import contextlib
import selectors

from coopsim.errors import cure_line
from coopsim.launch.child import Child
from coopsim.launch.config import LaunchConfig
from coopsim.launch.descriptors import ProcessLinks
from coopsim.launch.programs import Programs, RunView
from coopsim.transport import Channel
from coopsim.transport.control import OWN_STARTS, CamerasToLauncher


class CameraProcesses:
    """Starts them, and tells people how they fail; each sees the end of the host, and ends with it.

    Args:
        links: Ring and channels of the run.
        programs: What is started: the ring, channels to this process and to the host, and the recording are appended.
        order: What is run, or which recording is shown.
        view: What people see.
        selector: Where their messages are waited for.

    Attributes:
        failures: What went wrong, for people.
    """

    def __init__(
        self,
        links: ProcessLinks,
        programs: Programs,
        order: LaunchConfig,
        view: RunView,
        selector: selectors.BaseSelector,
    ) -> None:
        self._links, self._command, shown = links, programs.cameras, order.options.playback
        self._view, self._selector = view, selector
        self._recording = "" if shown is None else shown.file
        self._rest = links.cameras
        self._children: list[Child] = []
        self._channel: Channel[None, CamerasToLauncher] | None = None
        self.failures: list[str] = []

    def start(self) -> None:
        """Start the next process; where that fails, the host sees the end of its channel."""
        if not self._rest:
            return
        self._close()
        ordering = self._rest.pop(0)
        self._channel, child_end = Channel.pair()
        self._selector.register(self._channel, selectors.EVENT_READ)
        ends = (child_end.fileno(), ordering.fileno())
        arguments = [*self._command, str(self._links.ring.path), *map(str, ends), self._recording]
        try:
            self._children.append(Child("camera process", arguments, pass_fds=ends))
        except OSError as problem:
            self._fail(f"no camera process can be started: {problem.strerror}")
        finally:
            ordering.close()
            child_end.close()

    def poll(self) -> None:
        """Tell what a process says, and its end."""
        for message in self._channel.receive() if self._channel is not None else ():
            self._fail(
                f"robots' cameras give no images: {message.text}\n  {cure_line(message.error, message.cure or '')}"
            )
        # a copy, since the list changes; the next process may have been started already
        for child in [child for child in self._children if child.ended]:
            self._children.remove(child)
            if child.code:
                is_last = len(self._links.host_ends.cameras) - len(self._rest) >= OWN_STARTS and not self._children
                again = "no other is started until a renderer is asked for" if is_last else "another one is started"
                self._fail(f"the {child.name} {child.ending}; {again}")
            child.reap()

    def reap(self) -> None:
        """End them and leave nothing behind."""
        self._close()
        for child in self._children:
            child.reap()

    def _close(self) -> None:
        """Close the channel to the process that was started last."""
        self.poll()
        if self._channel is not None:
            with contextlib.suppress(KeyError):  # the check for closed channels may have been faster
                self._selector.unregister(self._channel)
            self._channel.close()
            self._channel = None

    def _fail(self, text: str) -> None:
        self._view.complain(text)
        self.failures = ["the robots' cameras"]
