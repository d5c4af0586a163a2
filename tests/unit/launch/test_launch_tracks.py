import math
from collections.abc import Iterator

import numpy as np
import pytest

from coopsim.launch.tracks import Tracks
from coopsim.launch.watching import RingFollowers
from coopsim.state import Layout, RecordHeader
from coopsim.transport import Ring, packed_layout


@pytest.fixture
def ring() -> Iterator[Ring]:
    ring = Ring.create(ring_bytes=1 << 20, command_floats=8)
    lay_out(ring, 1, "robot1")
    yield ring
    ring.unlink()


def lay_out(ring: Ring, generation: int, *bodies: str) -> None:
    ring.announce(generation, packed_layout(Layout(generation, (), (), (), bodies)))


def write(ring: Ring, time: float, *places: tuple[float, float, float], generation: int = 1) -> None:
    poses = np.array([[x, y, 0.0, math.cos(turn / 2), 0.0, 0.0, math.sin(turn / 2)] for x, y, turn in places])
    header = RecordHeader(time_ns=round(time * 1e9), bodies=len(places), generation=generation)
    ring.append(header, (poses, np.zeros((len(places), 6))))


def test_a_pose_is_kept_about_every_tenth_of_a_simulated_second(ring: Ring) -> None:
    tracks = Tracks()
    ways = RingFollowers(ring, [tracks])
    for tick in range(101):
        write(ring, tick * 0.01, (tick * 0.1, -1.0, 0.5))
        if tick % 7 == 0:
            ways.follow()
    ways.follow()
    points = tracks.all()["robot1"].points
    np.testing.assert_allclose(points[:, 0], np.arange(11) * 0.1, atol=1e-9)
    np.testing.assert_allclose(points[-1], [1.0, 10.0, -1.0, 0.5], atol=1e-9)


def test_the_newest_pose_is_always_there(ring: Ring) -> None:
    tracks = Tracks()
    ways = RingFollowers(ring, [tracks])
    write(ring, 0.0, (0.0, 0.0, 0.0))
    write(ring, 0.03, (1.0, 2.0, 0.0))
    ways.follow()
    assert tracks.all()["robot1"].points[-1].tolist() == [0.03, 1.0, 2.0, 0.0]


def test_each_record_is_read_with_the_rows_of_its_own_generation(ring: Ring) -> None:
    tracks = Tracks()
    ways = RingFollowers(ring, [tracks])
    write(ring, 0.0, (1.0, 0.0, 0.0))
    lay_out(ring, 2, "robot2", "robot1")
    write(ring, 0.2, (5.0, 0.0, 0.0), (2.0, 0.0, 0.0), generation=2)
    lay_out(ring, 3, "robot2")
    write(ring, 0.4, (6.0, 0.0, 0.0), generation=3)
    ways.follow()
    track_of = tracks.all()
    assert list(track_of) == ["robot1", "robot2"]
    assert track_of["robot1"].points[:, 1].tolist() == [1.0, 2.0]
    assert track_of["robot2"].points[:, 1].tolist() == [5.0, 6.0]


def test_a_clock_that_was_reset_begins_a_new_track(ring: Ring) -> None:
    tracks = Tracks()
    ways = RingFollowers(ring, [tracks])
    for time in (0.0, 5.0, 0.0, 0.2):
        write(ring, time, (time, 0.0, 0.0))
    ways.follow()
    assert tracks.all()["robot1"].points[:, 0].tolist() == [0.0, 0.2]


def test_nothing_is_lost_of_a_ring_that_was_overtaken_but_the_oldest(ring: Ring) -> None:
    tracks = Tracks()
    ways = RingFollowers(ring, [tracks])
    for tick in range(6000):
        write(ring, tick * 0.1, (float(tick), 0.0, 0.0))
    ways.follow()
    assert tracks.all()["robot1"].points[-1, 1] == 5999.0
