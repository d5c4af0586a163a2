import math
from collections.abc import Iterator

import numpy as np
import pytest

from coopsim.launch.tracks import Tracks, moving_bodies
from coopsim.robots import RunSpec, load
from coopsim.scene import Object, RobotPlacement, Scenario, World
from coopsim.simulation import Simulation
from coopsim.state import RecordHeader
from coopsim.transport import Ring


@pytest.fixture
def ring() -> Iterator[Ring]:
    made = Ring.create(ring_bytes=1 << 20, command_floats=8)
    yield made
    made.unlink()


def write(ring: Ring, time: float, *places: tuple[float, float, float], generation: int = 1) -> None:
    poses = np.array([[x, y, 0.0, math.cos(turn / 2), 0.0, 0.0, math.sin(turn / 2)] for x, y, turn in places])
    header = RecordHeader(time_ns=round(time * 1e9), bodies=len(places), generation=generation)
    ring.append(header, (poses, np.zeros((len(places), 6))))


def test_a_pose_is_kept_about_every_tenth_of_a_simulated_second(ring: Ring) -> None:
    tracks = Tracks(ring, ["robot1"])
    for tick in range(101):
        write(ring, tick * 0.01, (tick * 0.1, -1.0, 0.5))
        if tick % 7 == 0:
            tracks.follow()
    tracks.follow()
    points = tracks.all()["robot1"].points
    np.testing.assert_allclose(points[:, 0], np.arange(11) * 0.1, atol=1e-9)
    np.testing.assert_allclose(points[-1], [1.0, 10.0, -1.0, 0.5], atol=1e-9)


def test_the_newest_pose_is_always_there(ring: Ring) -> None:
    tracks = Tracks(ring, ["robot1"])
    write(ring, 0.0, (0.0, 0.0, 0.0))
    write(ring, 0.03, (1.0, 2.0, 0.0))
    tracks.follow()
    assert tracks.all()["robot1"].points[-1].tolist() == [0.03, 1.0, 2.0, 0.0]


def test_records_of_an_unknown_generation_are_left_out_until_its_rows_are_known(ring: Ring) -> None:
    tracks = Tracks(ring, ["robot1"])
    write(ring, 0.0, (1.0, 0.0, 0.0))
    tracks.lay_out(2, ["robot2", "robot1"])
    write(ring, 0.2, (5.0, 0.0, 0.0), (2.0, 0.0, 0.0), generation=2)
    write(ring, 0.4, (6.0, 0.0, 0.0), generation=3)
    tracks.follow()
    found = tracks.all()
    assert list(found) == ["robot1", "robot2"]
    assert found["robot1"].points[:, 1].tolist() == [1.0, 2.0]


def test_a_clock_that_was_reset_begins_a_new_track(ring: Ring) -> None:
    tracks = Tracks(ring, ["robot1"])
    for time in (0.0, 5.0, 0.0, 0.2):
        write(ring, time, (time, 0.0, 0.0))
    tracks.follow()
    assert tracks.all()["robot1"].points[:, 0].tolist() == [0.0, 0.2]


def test_nothing_is_lost_of_a_ring_that_was_overtaken_but_the_oldest(ring: Ring) -> None:
    tracks = Tracks(ring, ["robot1"])
    for tick in range(6000):
        write(ring, tick * 0.1, (float(tick), 0.0, 0.0))
    tracks.follow()
    assert tracks.all()["robot1"].points[-1, 1] == 5999.0


def test_bodies_are_what_has_a_mass_by_name() -> None:
    objects = (Object("zebra", "box", (1, 1, 1), (0, 0, 0), mass=2.0), Object("wall", "box", (1, 1, 1), (0, 0, 0)))
    robots = tuple(RobotPlacement(name, "single") for name in ("robot10", "robot2", "robot1"))
    spec = RunSpec(Scenario(world=World(objects=objects), robots=robots))
    assert moving_bodies(spec) == ["robot1", "robot2", "robot10", "zebra"]


def test_bodies_are_in_the_order_in_which_an_engine_begins() -> None:
    spec = load("crowd")
    assert moving_bodies(spec) == list(Simulation(spec).engine.names)
