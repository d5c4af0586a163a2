"""Restarts for clients: a real simulation that ends, and another one on the same ports."""

import contextlib
import itertools
import os
import socket
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from coopsim.testkit.conformance.checks import timed
from coopsim.testkit.conformance.live import ROOM, ask
from coopsim.testkit.conformance.program import ClientProgram, NotConformant, NotSupported, ProgramEnded
from coopsim.testkit.conformance.report import FAILED, ExamFinding, ExamReport
from coopsim.testkit.conformance.values import written
from coopsim.testkit.run import Run

_PATIENT, _SHORT = "30", "3"
_PING = ("ask", written("/sim/clock"), written(0), "", "")  # command 0, which every module has


class RestartedClient:
    """A client that outlives a simulation.

    Args:
        program: Its program.
        zeromq: Whether it connects by ZeroMQ, where nothing but a time-out tells that a server is gone.
        within: Most seconds that an answer may take, None = any number.
        group: Of what is found.

    Attributes:
        findings: What was found.
    """

    def __init__(
        self, program: ClientProgram, *, zeromq: bool = False, within: float | None = None, group: str = "restart"
    ) -> None:
        self._program = program
        self._is_zeromq = zeromq
        self._within = within
        self._group = group
        self._run = ""
        self.findings: list[ExamFinding] = []

    def begins(self, port: int) -> None:
        """Connect to the first simulation."""
        self._check("connects to a simulation", partial(self._connect, port))

    def asks(self) -> None:
        """Ask when that simulation is gone."""
        with contextlib.suppress(ProgramEnded):  # which is heard
            self._program.send(*_PING)

    def is_left(self) -> None:
        """Hear what became of that."""
        self._check("is told that a simulation has ended", self._hears_of_the_end)

    def goes_on(self, port: int) -> None:
        """Ask when the next one is there, then connect anew."""
        self._check("does not go on with the next simulation", self._does_not_go_on)
        self._check("finds the next simulation", partial(self._finds, port))
        with contextlib.suppress(NotSupported, ProgramEnded):
            self._program.asked("close")

    def _check(self, case: str, check: Callable[[], None]) -> None:
        try:
            self.findings.append(timed(self._program, self._within, self._group, case, check))
        except ProgramEnded as end:
            self.findings.append(ExamFinding(self._group, case, FAILED, str(end)))

    def _connect(self, port: int) -> None:
        carrier, place, limit = ("zmq://", port, _SHORT) if self._is_zeromq else ("", port + 1, _PATIENT)
        words = self._program.asked("connect", f"{carrier}127.0.0.1:{place}", limit)
        if words[0] != "connected":
            raise NotConformant(f"expected connected, got {' '.join(words)}")
        self._run = words[1]

    def _hears_of_the_end(self) -> None:
        words, wanted = self._program.heard(), "silent" if self._is_zeromq else "lost"
        if words[0] != wanted:
            raise NotConformant(f"expected {wanted}, got {' '.join(words)}")

    def _does_not_go_on(self) -> None:
        words = self._program.asked(*_PING)
        if words[0] not in {"lost", "silent"} and words[:2] != ["refused", written(208)]:
            raise NotConformant(f"expected lost, or refused 208, got {' '.join(words)}")

    def _finds(self, port: int) -> None:
        before = self._run
        self._connect(port)
        if self._run == before:
            raise NotConformant(f"the next simulation is another run, but the client names {before} again")
        ask(self._program, "/robot1/motors", 0)


def examine_restart(clients: Sequence[RestartedClient]) -> ExamReport:
    """Let clients outlive a simulation, all of them the same one."""
    port = lasting_port()
    with _simulation(port):
        for each in clients:
            each.begins(port)
    for each in clients:
        each.asks()
    for each in clients:
        each.is_left()
    with _simulation(port):
        for each in clients:
            each.goes_on(port)
    return ExamReport([finding for client in clients for finding in client.findings])


@contextlib.contextmanager
def _simulation(port: int) -> Iterator[None]:
    with Run(ROOM, "--no-controllers", "--port", str(port)):
        yield


_PORTS, _WIDTH, _APART, _calls = range(20_000, 29_999), 3, 1009, itertools.count()
"""None that systems give to programs that ask for any: such a program could take one while no simulation is there."""


def lasting_port() -> int:
    """Return a port that is free, as the next two are; other processes and calls look at other ones first."""
    number = os.getpid() + _APART * next(_calls)  # what a call before this one is for may not have begun yet
    while True:
        port = _PORTS[_WIDTH * number % len(_PORTS)]
        with contextlib.suppress(OSError), contextlib.ExitStack() as sockets:
            for place in range(port, port + _WIDTH):
                sockets.enter_context(socket.create_server(("127.0.0.1", place)))
            return port
        number += 1
