"""Going on from a snapshot of the pymunk engine."""

import numpy as np
import pytest
from engine_joints import pair
from engine_standins import body, crowd, engine_of, launch, push_about, steps, wall

from coopsim.engines import WorldSpec
from coopsim.engines.planar.engine import PymunkEngine
from coopsim.errors import EngineCannot
from coopsim.features.kinematic.engine import KinematicEngine


def test_all_continuations_of_a_snapshot_are_the_same_bit_by_bit():
    engine = engine_of(*crowd(25))
    push_about(engine, 200)
    snapshot = engine.snapshot()

    engine.restore(snapshot)
    touched = push_about(engine, 200, seed=3)
    restored = PymunkEngine(WorldSpec(()))
    restored.restore(snapshot)

    assert push_about(restored, 200, seed=3) == touched > 0
    assert list(restored.names) == list(engine.names)
    assert np.array_equal(engine.planar, restored.planar)


def test_a_snapshot_holds_the_state_and_every_body():
    engine = engine_of(body("a", rolling=0.3), wall("wall", 9.0, 0.0, 1.0, 1.0), body("b", 2.0))
    engine.planar[0, 3] = 0.0
    engine.set_state(np.array([1]), np.array([[3.0, 1.0, 0.5, 0.1, 0.2, 0.3]]))
    engine.wrench[1, 0] = 7.0
    snapshot = engine.snapshot()
    engine.remove("a")
    engine.remove("wall")

    engine.restore(snapshot)

    assert list(engine.names) == ["a", "b"]
    assert engine.planar[1].tolist() == [3.0, 1.0, 0.5, 0.1, 0.2, 0.3]
    assert engine.wrench[1, 0] == 7.0
    assert engine.snapshot() == snapshot


def test_a_restored_world_is_in_sorted_order_whatever_came_and_went():
    engine = engine_of(*(body(name, 2.0 * k) for k, name in enumerate("bcd")))
    engine.remove("b")
    engine.add(body("a", 9.0))

    engine.restore(engine.snapshot())

    assert list(engine.names) == ["a", "c", "d"]
    assert engine.planar[:, 0].tolist() == [9.0, 2.0, 4.0]


def test_an_empty_world_can_be_restored():
    engine = engine_of()

    engine.restore(engine.snapshot())

    assert engine.planar.shape == (0, 6)


@pytest.mark.parametrize(
    "data", [b"", b"\xc1", b"garbage", b"\x92\x01\x02", b"\x96\xa5other\x90\x90\x90\xc4\x00\xc4\x00"]
)
def test_bytes_that_are_no_snapshot_are_refused_and_change_nothing(data):
    engine = engine_of(body("robot", 1.0))

    with pytest.raises(EngineCannot):
        engine.restore(data)

    assert engine.planar[0, 0] == 1.0


def test_a_snapshot_that_was_cut_off_is_refused():
    engine = engine_of(body("robot", 1.0))
    whole = engine.snapshot()

    for length in range(len(whole)):
        with pytest.raises(EngineCannot):
            engine.restore(whole[:length])


@pytest.mark.parametrize("make", [PymunkEngine, KinematicEngine])
def test_what_has_come_far_and_turned_much_by_itself_comes_back(make):
    engine = make(WorldSpec((body("a"),)))
    engine.set_state(np.zeros(1, np.int64), np.array([[9.9e5, 0.0, 9.99999e5, 9.9e5, 0.0, 200.0]]))
    for _ in range(3):
        engine.step(1.0)
    kept = engine.planar.copy()
    assert kept[0, 0] > 1e6
    assert kept[0, 2] > 1e6

    engine.restore(engine.snapshot())

    assert np.array_equal(engine.planar, kept)


@pytest.mark.parametrize("make", [PymunkEngine, KinematicEngine])
def test_a_snapshot_with_a_number_that_is_none_is_refused(make):
    engine = make(WorldSpec((body("a", 0.5),)))
    good = engine.snapshot()
    bad = good.replace(np.float64(0.5).tobytes(), np.float64(np.nan).tobytes())
    assert bad != good
    with pytest.raises(EngineCannot, match="no snapshot"):
        engine.restore(bad)
    assert engine.snapshot() == good


def test_a_spring_goes_on_from_a_snapshot_with_its_length_and_both_ends():
    ends = {"far_anchor": (0.4, 0.1, 0.0), "length": 0.6, "stiffness": 80.0, "damping": 2.0}
    engine = pair("spring", PymunkEngine, **ends)
    steps(engine, 50)
    snapshot = engine.snapshot()
    restored = PymunkEngine(WorldSpec(()))
    restored.restore(snapshot)
    for planar in (engine, restored):
        launch(planar, "a", vy=0.3, w=0.5)
        steps(planar, 50)
    assert np.array_equal(engine.planar, restored.planar)
    assert np.array_equal(engine.joint_state(), restored.joint_state())
    assert np.abs(engine.joint_state()).max() > 0.0
