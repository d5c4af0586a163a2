"""The recorder process that was started, and the channel to it."""

import contextlib
import selectors
import time
from collections.abc import Callable, Sequence
from functools import partial

from coopsim.errors import CannotRecord, InternalError
from coopsim.launch.child import Child
from coopsim.launch.descriptors import ChildDescriptors, ProcessLinks
from coopsim.launch.fork_server import ForkServer
from coopsim.launch.programs import Programs
from coopsim.transport import Channel
from coopsim.transport.control import LauncherToRecorder, RecorderToLauncher, Stop

_MOMENT = 2.0
"""Time limit for closing the file when the run must end soon [s]."""


class RecorderProcess:
    """A recorder from its start to its end.

    Args:
        links: Ring and channels of the run.
        command: What is started, its ends are appended.
        selector: Where its channel is waited for.
        stall: Seconds after which it is given up when it is to stop and does nothing.
        server: Forks it, where it can.

    Raises:
        CannotRecord: No process can be started.
    """

    def __init__(
        self,
        links: ProcessLinks,
        command: Sequence[str],
        selector: selectors.BaseSelector,
        stall: float,
        server: ForkServer | None = None,
    ) -> None:
        self._ring, self._selector, self._stall = links.ring, selector, stall
        self._channel: Channel[LauncherToRecorder, RecorderToLauncher]
        self._channel, child_end = Channel.pair()
        ends = ChildDescriptors(str(links.ring.path), child_end.fileno(), -1, links.recorder.reader, -1)
        try:
            arguments = [*command, *ends.arguments()]
            self._child = Child("recorder process", arguments, pass_fds=ends.descriptors, server=server)
        except OSError as problem:
            self._channel.close()
            raise CannotRecord(f"no recorder process can be started: {problem.strerror}") from None
        finally:
            child_end.close()
        self._is_given_up = False
        self._reached, self._moved = -1, time.monotonic()
        selector.register(self._channel, selectors.EVENT_READ)

    @property
    def pending(self) -> bool:
        """Whether something waits to be sent to it."""
        return self._channel.pending

    @property
    def has_ended(self) -> bool:
        """Whether the process is over."""
        return self._child.ended

    @property
    def cause(self) -> InternalError:
        """Reason of its end."""
        stalled = f"had done nothing for {self._stall:g} s and was killed"
        return InternalError(f"the {self._child.name} {stalled if self._is_given_up else self._child.ending}")

    def send(self, message: LauncherToRecorder) -> None:
        """Send a message."""
        self._channel.send(message)

    def stop(self, reason: str) -> None:
        """Send `Stop`; from now on it must make progress."""
        self._moved = time.monotonic()
        self._channel.send(Stop(reason))

    def receive(self) -> list[RecorderToLauncher]:
        """Return its messages."""
        self._channel.flush()
        messages = self._channel.receive()
        if messages:
            self._moved = time.monotonic()
        return messages

    def kill_if_stalled(self) -> None:
        """Kill it when it neither reads nor says anything; for one that is to stop."""
        reached = self._ring.recorder_cursor
        if reached != self._reached:
            self._reached, self._moved = reached, time.monotonic()
        if time.monotonic() - self._moved > self._stall and not self._is_given_up:
            self._is_given_up = True
            self._child.kill()
            self._child.wait(1.0)

    def wait(self) -> None:
        """Give it a moment, no more, to write what there is."""
        self._child.wait(_MOMENT)

    def close(self) -> None:
        """End it and leave nothing behind."""
        with contextlib.suppress(KeyError):  # the check for closed channels may have been faster
            self._selector.unregister(self._channel)
        self._channel.close()
        self._child.reap()
        self._child.close()


def recorder_start(
    links: ProcessLinks, programs: Programs, selector: selectors.BaseSelector
) -> Callable[[], RecorderProcess] | None:
    """Return what starts a recorder of a run, None where it has none."""
    if not programs.recorder:
        return None
    return partial(RecorderProcess, links, programs.recorder, selector, programs.stall, programs.server)
