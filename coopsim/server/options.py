"""Options of serving a run."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from coopsim.errors import BadArgument
from coopsim.server.audit import Audit
from coopsim.server.lockstep.barrier import CONTROLLER_PATIENCE, PATIENCE, Barrier
from coopsim.server.sockets.listening import LOCAL, ListenOptions
from coopsim.server.sockets.robot_threads import MOST_THREADS


@dataclass(frozen=True, slots=True)
class HostOptions:
    """Options of a host.

    Attributes:
        port: Of ZeroMQ; plain TCP takes the next one, the state stream the one after; 0 takes free ones.
        listen: Where to listen, and who gets in.
        plain_tcp: Whether TCP is served in the clear; where it is not, and our key has a certificate, it is with TLS.
        is_libzmq: Whether libzmq serves ZeroMQ also where there are no keys; otherwise our own sockets do.
        websocket: Port for pages in browsers, 0 takes a free one, None = closed.
        origins: Of pages that may connect, besides those of this machine.
        wait_for: Names of robots, or how many, that must have an owner before the first lockstep step.
        patience: How long one robot may hold up the others in lockstep [s]; 0 = for ever.
        policy: What happens then: `stop`, `hold`, `wait` or `evict`.
        robot_threads: "auto" (one per robot, at most 16), "off", or the largest number.
        controllers: Robots driven by controllers that the launcher started.
        run: Number of the run; 0 = it has none.
        info: What `/sim/info` says besides: scenario, seed, engine.
        scenario: The file that the run began with, "" = none.
        world: The world file of that, "" = none.
        is_continued: Whether the run goes on from a recording, so that these may have changed since.
        is_recording: Whether the source is a recording: no commands, and `/sim/playback` moves it.
        is_audited: Whether every edit, claim and refusal is recorded for a file, also of clients without keys.
    """

    port: int = 5570
    listen: ListenOptions = LOCAL
    plain_tcp: bool = True
    is_libzmq: bool = False
    websocket: int | None = None
    origins: tuple[str, ...] = ()
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
    def facts(self) -> dict[str, Any]:
        """Facts that `/sim/info` states from the start."""
        return {"run": self.run, **self.info, "tls": int(self.is_tls)}

    @property
    def is_tls(self) -> bool:
        """Whether TCP is served with TLS."""
        return self.listen.keys is not None and self.listen.keys.own.has_tls_secret and not self.plain_tcp

    @property
    def barrier(self) -> Barrier:
        """The robots that lockstep waits for, and for how long."""
        barrier = Barrier(patience=self.patience, policy=self.policy, wait_for=self.wait_for, now=time.monotonic())
        barrier.allow(self.controllers, CONTROLLER_PATIENCE)
        return barrier

    @property
    def audit(self) -> Audit | None:
        """The audit; None for a replay without keys, which clients only watch."""
        is_complete = self.is_audited or self.listen.keys is not None
        if self.is_recording and not is_complete:
            return None
        where = " on loopback" * self.listen.is_local
        return Audit(is_complete=is_complete, is_kept=self.is_audited, anybody=f"someone{where}")

    @property
    def threads(self) -> int:
        """Number of robot threads that there may be.

        Raises:
            BadArgument: `robot_threads` is neither "auto", "off" nor a number.
        """
        if isinstance(self.robot_threads, int) and self.robot_threads >= 0:
            return self.robot_threads
        counts = {"auto": MOST_THREADS, "off": 0}
        if self.robot_threads not in counts:
            raise BadArgument(f"robot threads must be auto, off or a number, got {self.robot_threads!r}")
        return counts[str(self.robot_threads)]
