"""A host without sockets: modules, an inline source, and clients that are mailboxes."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from server_fakes import PLAIN, SINGLE, FakeSource, Mailbox
from server_lane_rig import LaneRig

from coopsim.message import Message, decode, encode
from coopsim.server import Host, HostOptions
from coopsim.server.lockstep.sessions import Session


class Bench:
    """Everything of a host but the sockets; time is `now`."""

    def __init__(self, mode: str, **options: Any) -> None:
        self.source = FakeSource({"robot1": SINGLE, "robot2": SINGLE, "plain1": PLAIN}, mode)
        host = Host(self.source.link, self.source.host_launcher, HostOptions(**options))
        self.modules, self.coordinator = host._modules, host._modules.coordinator
        self.now = 0.0
        self.coordinator.clock = lambda: self.now
        self.coordinator.barrier.resume(0.0)
        self.mail = Mailbox()
        self._sessions: dict[str, Session] = {}
        self.pump()

    def session(self, client: str) -> Session:
        """Return a client's connection."""
        return self._sessions.setdefault(client, Session(self.mail, None, client))

    def send(self, request: Message, client: str = "a") -> Message | None:
        """Send a request; return the reply if it comes at once."""
        raw = self.modules.respond(encode(request), self.session(client))
        return None if raw is None else decode(raw)

    def pump(self) -> None:
        """Let the source work, and the host take in what it did, until nothing moves."""
        for _ in range(4):
            self.source.serve()
            self.source.link.poll()
            self.modules.poll()

    def got(self, client: str = "a") -> list[Message]:
        """Return, and forget, the replies that came later."""
        return [decode(raw) for raw in self.mail.replies.pop(client, [])]

    def ask(self, request: Message, client: str = "a") -> Message:
        """Send a request and return its reply, now or after the source worked."""
        reply = self.send(request, client)
        if reply is None:
            self.pump()
            (reply,) = self.got(client)
        return reply


@pytest.fixture
def bench() -> Iterator[Callable[..., Bench]]:
    """Return a maker of benches: `bench("lockstep", patience=1.0)`."""
    benches: list[Bench] = []

    def make(mode: str = "lockstep", **options: Any) -> Bench:
        benches.append(Bench(mode, **options))
        return benches[-1]

    yield make
    for bench_ in benches:
        bench_.source.close()


@pytest.fixture
def rig(bench: Callable) -> Iterator[Callable[..., LaneRig]]:
    """Return a maker of rigs: `rig(has_lane=True, narrow="b", patience=0.2)`."""
    rigs: list[LaneRig] = []

    def make(*, has_lane: bool = True, narrow: str = "", **options: Any) -> LaneRig:
        rigs.append(LaneRig(bench("lockstep", **options), has_lane=has_lane, narrow=narrow))
        return rigs[-1]

    yield make
    for lane_rig in rigs:
        lane_rig.close()


@pytest.fixture
def lane_library() -> None:
    """Leave a test out where the lane is not built, as on machines without a C compiler."""
    from coopsim.server.lane.library import find

    if find({}) is None:
        pytest.skip("the lane is not built: make setup does it where there is a C compiler")
