"""Endpoints of robots whose thread has ended."""

import errno
import gc
import os
from types import SimpleNamespace

import pytest
import zmq

from coopsim.server.sockets import robot_threads
from coopsim.server.sockets.robot_threads import RobotThreads


@pytest.mark.parametrize(("has_ended", "port"), [(False, 6001), (True, 0)])
def test_a_thread_that_failed_serves_its_robots_no_more_so_that_they_are_looked_up_at_the_main_endpoint(
    has_ended: bool, port: int
) -> None:
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    threads = RobotThreads(context, None, 1)
    threads._thread_of = {"robot1": SimpleNamespace(port=6001, has_ended=has_ended)}
    assert threads.port_of("robot1") == port
    assert threads.port_of("robot2") == 0
    context.term()


@pytest.mark.parametrize("what", ["epoll", "Router"])
def test_a_robot_without_descriptors_left_is_served_at_the_main_endpoint_and_keeps_none(
    what: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files") if what == "epoll" else zmq.ZMQError(errno.EMFILE)

    patched = {"epoll": ("select", SimpleNamespace(epoll=refuse)), "Router": ("Router", refuse)}[what]
    monkeypatch.setattr(robot_threads, *patched)
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    threads = RobotThreads(context, None, 4)
    gc.collect()  # what others left closes its descriptors now
    before = set(os.listdir("/proc/self/fd"))
    threads.follow(["robot1", "robot2"])
    assert set(os.listdir("/proc/self/fd")) <= before
    assert (threads.port_of("robot1"), threads.port_of("robot2")) == (0, 0)
    assert "robot1 has no endpoint of its own" in caplog.text
    threads.close()
    context.term()
