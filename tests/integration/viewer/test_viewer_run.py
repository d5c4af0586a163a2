"""A viewer's connection to real runs and replays."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from coopsim.client import connect
from coopsim.features.desktop.link import ViewerLink
from coopsim.features.desktop.session import ViewerSession
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.testkit.conformance.restart import lasting_port
from coopsim.testkit.recorded_run import RecordedRun
from coopsim.testkit.run import Run

pytestmark = pytest.mark.integration
DEADLINE = 60.0
SCENE = """
[ROBOT_1]
type single
name robot1
position 0 0 0
"""


def wait_until(holds: Callable[[], bool], session: ViewerSession) -> None:
    """Draw no picture, but take in what comes, until something holds."""
    end = time.monotonic() + DEADLINE
    while not holds():
        assert time.monotonic() < end, (session.link.facts, list(session.notes))
        session.update()
        time.sleep(0.01)


@pytest.fixture
def run() -> Iterator[Run]:
    with Run(SCENE, "--no-controllers") as run:
        yield run


def following(endpoint: str) -> ViewerSession:
    session = ViewerSession(ViewerLink(endpoint))
    wait_until(lambda: session.link.facts.connection == "live" and session.entity("robot1") is not None, session)
    return session


def test_a_viewer_sees_moves_and_undoes_and_its_end_stops_nothing(run: Run) -> None:
    """C-24, D-4: what is seen comes by the network, and who looks stops nothing when it goes."""
    session = following(run.endpoint)
    try:
        wait_until(lambda: session.pose("robot1") is not None, session)
        session.editor.move({"robot1": (2.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0)})
        wait_until(lambda: abs((session.pose("robot1") or (0.0,))[0] - 2.0) < 1e-3, session)
        wait_until(lambda: session.editor.history.can_undo, session)
        session.editor.history.undo()
        wait_until(lambda: abs((session.pose("robot1") or (9.0,))[0]) < 1e-3, session)
        session.toggle_play()
        wait_until(lambda: session.link.facts.paused, session)
        session.toggle_play()
        wait_until(lambda: not session.link.facts.paused, session)
        with connect(run.endpoint) as simulation:
            simulation.module("/sim/renderer").set("mujoco")
            simulation.world.insert("[OBJECT_1]\ntype box\nname crate\nsize 1 1 1\nposition 3 3 0\nmass 1")
        wait_until(lambda: session.entity("crate") is not None, session)
        wait_until(lambda: session.link.facts.renderers == ("mujoco", ""), session)
    finally:
        session.link.close()
    with connect(run.endpoint) as simulation:
        before = simulation.clock.status().tick
        wait_until(lambda: simulation.clock.status().tick > before, session)


def test_a_simulation_that_is_lost_is_told_and_found_again_when_it_is_back() -> None:
    port = str(lasting_port())
    with Run(SCENE, "--no-controllers", "--port", port) as first:
        session = following(first.endpoint)
    try:
        wait_until(lambda: session.link.facts.connection == "lost", session)
        assert session.link.facts.problem
        assert session.entity("robot1") is not None
        with Run(SCENE.replace("robot1", "robot7"), "--no-controllers", "--port", port):
            wait_until(lambda: session.entity("robot7") is not None, session)
            assert session.link.facts.connection == "live"
    finally:
        session.link.close()


def test_a_replay_is_scrubbed(tmp_path: Path) -> None:
    """C-75, C-76, D-10: a recording is loaded and sought in, by messages."""
    spec = load("single")
    with RecordedRun(Simulation(spec), tmp_path / "a.mcap") as recorded:
        recorded.simulation.command("robot1", "motors", 10, (0.5, 0.0))
        recorded.tick(200)
        last = float(recorded.simulation.engine.planar[0, 0])
    with Run(str(tmp_path / "a.mcap"), "--paused", command="replay") as replay:
        session = following(replay.endpoint)
        try:
            wait_until(lambda: session.link.facts.playback is not None, session)
            begin = session.pose("robot1")
            session.seek(2.0)
            wait_until(lambda: abs(session.time - 2.0) < 0.02, session)
            wait_until(lambda: session.pose("robot1") != begin, session)
            wait_until(lambda: abs(session.pose("robot1")[0] - last) < 0.01, session)
            session.step(-1)
            wait_until(lambda: session.time < 1.995, session)
        finally:
            session.link.close()
