"""The host and its launcher: ports, status, the end."""

import contextlib
import socket
from collections.abc import Callable, Iterator

import pytest
from listening_sockets import listening
from server_fakes import ask
from server_running import Running
from server_wire import call

from coopsim.errors import BadArgument, NoSuchName, PortTaken
from coopsim.transport.control import AuditLines, ExpectControllers, HostStatus, HostSummary, ProcessFailed, Stop

pytestmark = pytest.mark.integration


@pytest.fixture
def failing() -> Iterator[Callable[..., Running]]:
    """Return a starter of hosts that are not expected to get ready."""
    started: list[Running] = []

    def start(**options: object) -> Running:
        started.append(Running("lockstep", **options))
        return started[-1]

    yield start
    for server in started:
        server.close()


def test_ready_tells_the_ports_and_they_serve(serve: Callable) -> None:
    run = serve("real-time")
    assert set(run.ports) == {"zmq", "tcp", "stream"}
    assert call(run.dealer(), ask("/sim/info", 10)).error == 0


def test_what_the_host_says_at_once_is_heard_one_after_the_other(serve: Callable) -> None:
    run = serve()
    lines = [((0.0, text),) for text in ("first", "second")]
    for line in lines:
        run.source.host_launcher.send(AuditLines(line))
    assert [run.hear(AuditLines).lines for _ in lines] == lines


def test_only_loopback_is_served(serve: Callable) -> None:
    run = serve("real-time")
    for port in run.ports.values():
        with socket.create_connection(("127.0.0.1", port), 5) as end:
            assert end.getpeername()[0] == "127.0.0.1"
    ports = set(run.ports.values())
    assert listening(ports) == {("127.0.0.1", port) for port in ports}


def taken_after_a_free_one() -> socket.socket:
    """Listen on a port; the one before it is free, and none that a system hands out by itself."""
    for port in range(20_001, 30_000, 2):
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port - 1)):
            return socket.create_server(("127.0.0.1", port))
    raise AssertionError("all ports are taken")


@pytest.mark.parametrize("offset", [0, 1])
def test_a_taken_port_is_a_problem_that_names_it_and_exit_code_1(failing: Callable, offset: int) -> None:
    with taken_after_a_free_one() as taken:
        port = taken.getsockname()[1]
        run = failing(port=port - offset)
        problem = run.hear(ProcessFailed)
        assert problem.error == PortTaken.code
        assert str(port) in problem.text
        assert run.join() == 1


def test_waiting_for_a_robot_that_is_not_there_is_a_problem(failing: Callable) -> None:
    run = failing(wait_for=("robot1", "robto2"))
    problem = run.hear(ProcessFailed)
    assert (problem.error, "robto2" in problem.text) == (NoSuchName.code, True)
    assert run.join() == 1


def test_a_wrong_number_of_threads_is_a_problem(failing: Callable) -> None:
    run = failing(robot_threads="many")
    assert run.hear(ProcessFailed).error == BadArgument.code


def test_status_tells_the_launcher_how_it_goes(serve: Callable) -> None:
    run = serve(wait_for=2)
    call(run.dealer(), ask("/sim/step", 13, "robot1"))
    while not (status := run.hear(HostStatus)).awaited:
        pass  # who is awaited for a moment alone is not reported
    assert (status.mode, status.clients, status.tick, status.paused, status.patience_fired) == (
        "lockstep",
        1,
        0,
        False,
        0,
    )
    assert set(status.awaited) == {"", "robot1"}
    assert (status.time, status.overruns, status.max_lateness, status.slipped) == (0.0, 0, 0.0, 0.0)


def test_the_launcher_can_name_robots_that_get_more_patience(serve: Callable) -> None:
    run = serve(patience=0.05)
    run.source.launcher.send(ExpectControllers(("robot2",)))
    slow, client = run.dealer(), run.dealer()
    for robot, end in (("robot2", slow), ("robot1", client)):
        call(end, ask("/sim/step", 13, robot))
    slow.send_multipart([encoded_step("robot2")])
    call_step(client, "robot1")
    client.rcvtimeo = 500  # ten times the common patience
    client.send(encoded_step("robot1"))
    assert not client.poll(500)
    slow.send(encoded_step("robot2"))
    assert client.poll(5000)


def encoded_step(robot: str) -> bytes:
    from coopsim.message import encode

    return encode(ask("/sim/step", 11, 1, robot, data=(0, 0)))


def call_step(client: object, robot: str) -> None:
    assert call(client, ask("/sim/step", 11, 1, robot, data=(0, 0))).error == 0


def test_the_summary_names_the_owners(serve: Callable) -> None:
    run = serve()
    client = run.dealer()
    call(client, ask("/sim/step", 13, "robot1"))
    run.source.launcher.send(Stop("test"))
    summary = run.hear(HostSummary)
    assert summary.owners.keys() == {"robot1"}  # nobody drove the two others
    assert summary.owners["robot1"].startswith("client")
    assert summary.patience_fired == 0
    assert run.join() == 0


def test_the_end_of_the_launcher_ends_the_host(serve: Callable) -> None:
    run = serve()
    run.source.launcher.close()
    assert run.join() == 0


def test_the_end_of_the_source_ends_the_host_after_it_answered(serve: Callable) -> None:
    run = serve()
    client = run.dealer()
    call(client, ask("/sim/step", 13, "robot1", "robot2"))
    client.send(encoded_step("robot1"))
    call(run.dealer(), ask("/sim/info", 10))
    run.source.stop()
    run.source.channel.close()
    assert client.poll(5000)
    assert run.join() == 0


def test_two_hosts_run_in_one_process_one_after_the_other(serve: Callable) -> None:
    first = serve("real-time")
    ports = first.ports
    first.end()
    again = serve("real-time", port=ports["zmq"]) if ports["tcp"] == ports["zmq"] + 1 else serve("real-time")
    assert call(again.dealer(), ask("/sim/info", 10)).error == 0
