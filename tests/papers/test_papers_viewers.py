"""S-76: what shows a run is exchanged while the run goes on. Pictures are drawn in memory."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from coopsim.client import Client
from coopsim.features.desktop.cameras import LocalImages
from coopsim.features.desktop.link import ViewerLink
from coopsim.features.desktop.session import ViewerSession
from coopsim.inprocess import LocalServer
from coopsim.robots import load
from coopsim.simulation import Simulation

DEADLINE, STEPS = 60.0, 50


@contextmanager
def viewer(server: LocalServer) -> Iterator[ViewerSession]:
    session = ViewerSession(ViewerLink(server))
    try:
        yield session
    finally:
        session.link.close()


def wait_until(holds: Callable[[], bool], session: ViewerSession) -> None:
    end = time.monotonic() + DEADLINE
    while not holds():
        assert time.monotonic() < end, session.link.facts
        session.update()
        time.sleep(0.005)


def sees(session: ViewerSession, sim: Client, robot: str) -> bool:
    """Whether the robot is drawn where it is."""
    pose, actual = session.pose(robot), sim.world.get(robot).pose
    return pose is not None and float(np.abs(np.subtract(pose, actual)).max()) < 1e-6


def begin(server: LocalServer) -> Client:
    sim = server.connect()
    sim.clock.pause()
    sim.robot("robot1").motors.set_velocity(0.3, 0.2)
    return sim


def test_s_76_a_second_viewer_and_a_headless_camera_take_over_while_the_run_goes_on() -> None:
    alone = Simulation(load("follow_camera"))
    sim = begin(LocalServer(alone))
    for _ in range(3):
        sim.clock.step(STEPS)

    simulation = Simulation(load("follow_camera"))
    with LocalImages() as images:
        server = LocalServer(simulation, images=images)
        sim = begin(server)
        with viewer(server) as first:
            sim.clock.step(STEPS)
            wait_until(lambda: sees(first, sim, "robot1"), first)
            begun = first.pose("robot1")
        sim.clock.step(STEPS)  # nobody looks
        with viewer(server) as second:
            wait_until(lambda: sees(second, sim, "robot1"), second)
            assert second.pose("robot1") != begun
            assert second.entity("floor") is not None
        seen = sim.robot("robot2").camera.image()  # another engine of pictures, without a window
        sim.clock.step(STEPS)
        assert np.ptp(np.asarray(seen)) > 0
    assert simulation.state_hash() == alone.state_hash()  # and the run is the same, whoever looked
