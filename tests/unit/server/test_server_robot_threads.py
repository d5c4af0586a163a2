"""Endpoints of robots whose thread has ended."""

from types import SimpleNamespace

import pytest
import zmq

from coopsim.server.robot_threads import RobotThreads


@pytest.mark.parametrize(("has_ended", "port"), [(False, 6001), (True, 0)])
def test_a_thread_that_failed_serves_its_robots_no_more_so_that_they_are_looked_up_at_the_main_endpoint(
    has_ended: bool, port: int
) -> None:
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    threads = RobotThreads(context, None, 1)
    threads._thread_of = {"robot1": SimpleNamespace(port=6001, has_ended=has_ended)}
    assert threads.port("robot1") == port
    assert threads.port("robot2") == 0
    context.term()
