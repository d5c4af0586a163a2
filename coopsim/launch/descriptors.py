"""Links between the processes of a run: shared memory, channels and wake-ups, and how a child gets its ends."""

from dataclasses import dataclass
from typing import Any, Self

from coopsim.transport import Channel, Notifier, Ring
from coopsim.transport.control import HostToLauncher, LauncherToHost, LauncherToSource, SourceToLauncher

CAMERA_STARTS = 12
"""How often a process that draws what cameras see can be started in a run: a few times by itself, others by request."""


@dataclass(frozen=True, slots=True)
class ChildDescriptors:
    """Descriptors that a child inherits, -1 where it has none.

    Attributes:
        ring: Where the shared memory is.
        launcher: Channel to the launcher.
        peer: Channel between the physics process and the host.
        wake: Wake-ups after each record: the writing end for physics, the reading end for the host.
        permit: Permissions for lockstep ticks: the reading end for physics, the writing end for the host.
        recorder: For physics: writing end of the wake-ups for a recorder that may come later.
        cameras: For the host: channels to processes that draw what cameras see, one after the other.
    """

    ring: str
    launcher: int
    peer: int
    wake: int
    permit: int
    recorder: int = -1
    cameras: tuple[int, ...] = ()

    @property
    def descriptors(self) -> tuple[int, ...]:
        """Descriptors that the child must inherit."""
        return tuple(number for number in self._every if number >= 0)

    def arguments(self) -> list[str]:
        """Return the ends as arguments of a command; `parse` reads them."""
        return [self.ring, *map(str, self._every)]

    @classmethod
    def parse(cls, arguments: list[str]) -> Self:
        """Return the ends that `arguments` describe."""
        ring, *numbers = arguments
        launcher, peer, wake, permit, recorder, *cameras = map(int, numbers)
        return cls(ring, launcher, peer, wake, permit, recorder, tuple(cameras))

    @property
    def _every(self) -> tuple[int, ...]:
        return self.launcher, self.peer, self.wake, self.permit, self.recorder, *self.cameras


class ProcessLinks:
    """The launcher's side of everything that connects the processes of a run.

    Attributes:
        ring: Shared memory, named after this process.
        physics: Channel to the physics process.
        host: Channel to the host process.
        physics_ends: What the physics process inherits.
        host_ends: What the host process inherits.
        recorder: Reading end of the wake-ups for a recorder.
        cameras: Ends for the processes that draw what cameras see, one after the other.
    """

    def __init__(self, ring: Ring) -> None:
        self.ring = ring
        self.physics: Channel[LauncherToSource, SourceToLauncher]
        self.host: Channel[LauncherToHost, HostToLauncher]
        self.physics, physics = Channel.pair()
        self.host, host = Channel.pair()
        above, below = Channel.pair()
        woken, wake = Notifier.pair()
        permit, permitting = Notifier.pair()
        self.recorder, recorder = Notifier.pair()
        pairs = [Channel.pair() for _ in range(CAMERA_STARTS)]
        self.cameras: list[Channel[Any, Any]] = [launcher_end for launcher_end, _ in pairs]
        path = str(ring.path)
        self.physics_ends = ChildDescriptors(
            path, physics.fileno(), below.fileno(), wake.writer, permit.reader, recorder.writer
        )
        ordering = tuple(host_end.fileno() for _, host_end in pairs)
        self.host_ends = ChildDescriptors(
            path, host.fileno(), above.fileno(), woken.reader, permitting.writer, cameras=ordering
        )
        self._passed: list[Channel[Any, Any] | Notifier] = [
            physics,
            host,
            above,
            below,
            woken,
            wake,
            permit,
            permitting,
            recorder,
            *(host_end for _, host_end in pairs),
        ]

    def hand_over(self) -> None:
        """Close what only the children hold from now on, so that the end of one is seen by all others."""
        for end in self._passed:
            end.close()
        self._passed = []

    def close(self) -> None:
        """Close everything and remove the shared memory."""
        self.hand_over()
        ends: list[Channel[Any, Any] | Notifier] = [self.physics, self.host, self.recorder, *self.cameras]
        for end in ends:
            end.close()
        self.ring.unlink()
