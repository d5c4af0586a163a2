"""Runs of the simulator for fault tests, and the two machines."""

from collections.abc import Callable, Iterator

import pytest
from fault_runs import CLAIM, RELEASE, ROBOTS, SET_MODE, scene, wait_until
from faults_machines import Machines, machines

from coopsim.interfaces import CLOCK, Common
from coopsim.message import Message
from coopsim.testkit import RawClient, Run

_ROBOT_POLICY = CLOCK.command("robot_policy").number
_ALONE = pytest.StashKey[list[str]]()


@pytest.fixture
def connect() -> Iterator[Callable[..., RawClient]]:
    """Return a maker of raw clients that are closed in the end."""
    clients: list[RawClient] = []

    def make(endpoint: str, timeout: float = 10.0) -> RawClient:
        clients.append(RawClient(endpoint, timeout))
        return clients[-1]

    yield make
    for client in clients:
        client.close()


@pytest.fixture(scope="module")
def real_time() -> Iterator[Run]:
    """A run of three robots in real time, for all tests of a module."""
    with Run(scene(3), "--no-controllers") as run:
        yield run
        assert run.is_alive, run.printed


@pytest.fixture(scope="module")
def lockstep_run() -> Iterator[Run]:
    """A run of three robots in lockstep, for all tests of a module."""
    with Run(scene(3, mode="lockstep"), "--no-controllers") as run:
        yield run
        assert run.is_alive, run.printed


@pytest.fixture
def lockstep(lockstep_run: Run) -> Iterator[Callable[..., Run]]:
    """Return the run of the module, with patience and policy as asked for, as soon as nobody owns anything in it.

    Tests drive robot1 themselves: it is waited for without end, since on a busy machine a test may be late itself.
    """
    with RawClient(lockstep_run.plain) as operator:

        def begin(patience: float, policy: str = "stop") -> Run:
            operator.ask(Message("/sim/clock", SET_MODE, ("lockstep",)))
            for name, value in (("patience", patience), ("policy", policy)):
                assert operator.ask(Message("/sim/clock", Common.SET_PARAMETER, (name, value))).error == 0
            assert operator.ask(Message("/sim/clock", _ROBOT_POLICY, ("robot1", "wait"))).error == 0
            wait_until(lambda: operator.ask(Message("/sim/step", CLAIM, ROBOTS)).error == 0)
            assert operator.ask(Message("/sim/step", RELEASE, ROBOTS)).error == 0
            return lockstep_run

        yield begin


@pytest.fixture
def two(request: pytest.FixtureRequest) -> Iterator[Machines]:
    """Two machines, or one and a bad cable; the end of the test run says by name which tests had only one."""
    with machines() as pair:
        if not pair.are_two:
            request.config.stash.setdefault(_ALONE, []).append(request.node.nodeid)
        yield pair


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Name the tests that wanted two machines and had one."""
    alone = config.stash.get(_ALONE, [])
    if alone:
        terminalreporter.section("on one machine, for want of rights to make network namespaces")
        for name in alone:
            terminalreporter.line(name)
