"""Bodies that come, go and are put elsewhere on the MuJoCo engine."""

import math
from dataclasses import replace

import numpy as np
import pytest
from spatial_standins import DT, engine_of, pose, robot, row, run, thing

from coopsim.engines import BodySpec, JointSpec, ShapeSpec, WorldSpec
from coopsim.errors import BadArgument, EngineCannot, NoSuchName
from coopsim.features.space import solids
from coopsim.geometry import heading, quaternion


def test_others_tumble_on_while_bodies_come_and_go():
    alone, busy = (engine_of(thing("stone", z=30.0, size=(0.2, 0.4, 0.6))) for _ in range(2))
    for engine in (alone, busy):
        run(engine, 0.1, ("stone", 1.0, 0.0, 0.0, 0.1, 0.2, 0.3))
    busy.add(thing("other", 9.0))
    run(alone, 0.5)
    run(busy, 0.25)
    busy.add(thing("wall", 20.0, mass=0.0))
    busy.remove("other")
    run(busy, 0.25)

    assert pose(busy, "stone").tolist() == pytest.approx(pose(alone, "stone").tolist(), abs=1e-12)
    assert list(busy.names) == ["stone"]


def test_a_new_body_is_there_at_once_before_any_step():
    engine = engine_of(thing("b"))

    engine.add(thing("a", 1.0, 2.0, 3.0, turn=(0.0, 0.0, 0.5)))

    assert list(engine.names) == ["b", "a"]
    assert engine.planar[1].tolist() == pytest.approx([1.0, 2.0, 0.5, 0.0, 0.0, 0.0])
    assert engine.height[1] == pytest.approx(3.0)
    assert engine.wrench.shape == (2, 6)


def test_set_state_keeps_height_and_tilt_and_stops_a_fall():
    engine = engine_of(thing("plank", z=5.0, turn=(0.4, 0.3, 0.2)))
    run(engine, 0.2, ("plank", 0.0, 0.0, 0.0, 0.2, 0.1, 0.0))
    before = pose(engine, "plank").copy()

    engine.set_state(np.array([0]), np.array([[1.0, 2.0, 2.5, 0.1, 0.2, 0.3]]))
    after = pose(engine, "plank")

    assert engine.planar[0].tolist() == pytest.approx([1.0, 2.0, 2.5, 0.1, 0.2, 0.3])
    assert after[2] == pytest.approx(before[2])
    assert heading(*after[3:]) == pytest.approx(2.5)
    assert math.hypot(*after[4:6]) == pytest.approx(math.hypot(*before[4:6]))
    assert engine.twists[0].tolist() == pytest.approx([0.1, 0.2, 0.0, 0.0, 0.0, 0.3])


def test_bodies_are_placed_in_space_as_they_are_read():
    engine = engine_of(thing("a"), thing("b", 3.0))
    poses = np.array([[1.0, 2.0, 3.0, *quaternion(0.3, -0.2, 2.0)]])
    twists = np.array([[0.1, 0.2, 0.3, -0.4, 0.5, 0.6]])

    engine.set_spatial_state(np.array([1]), poses, twists)
    engine.fill()

    assert engine.poses[1].tolist() == pytest.approx(poses[0].tolist(), abs=1e-15)
    assert engine.twists[1].tolist() == pytest.approx(twists[0].tolist())
    assert engine.poses[0].tolist() == [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("rows", "poses", "twists"),
    [
        ([2], [[0, 0, 0, 1, 0, 0, 0]], [[0] * 6]),
        ([0], [[0, 0, 0, 2, 0, 0, 0]], [[0] * 6]),
        ([0], [[np.nan, 0, 0, 1, 0, 0, 0]], [[0] * 6]),
        ([0], [[0, 0, 0, 1, 0, 0]], [[0] * 6]),
        ([0], [[0, 0, 0, 1, 0, 0, 0]], [[np.inf] * 6]),
    ],
)
def test_places_that_cannot_be_are_refused(rows, poses, twists):
    engine = engine_of(thing("a"))

    with pytest.raises(BadArgument):
        engine.set_spatial_state(np.array(rows), np.array(poses, float), np.array(twists, float))

    assert engine.planar[0].tolist() == [0.0] * 6


def test_a_robot_that_is_placed_in_the_air_falls():
    engine = engine_of(robot("robot"))

    engine.set_spatial_state(np.array([0]), np.array([[0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0]]), np.zeros((1, 6)))
    run(engine, 0.2)

    assert engine.height[0] < 0.9


def test_removing_a_body_removes_its_joints():
    engine = engine_of(thing("a"), thing("b", 1.0), thing("c", 2.0))
    engine.add_joint(JointSpec("ab", "weld", "a", "b", (0.5, 0.0, 0.2)))
    engine.add_joint(JointSpec("bc", "weld", "b", "c", (1.5, 0.0, 0.2)))

    engine.remove("a")

    assert engine.joints == ("bc",)
    run(engine, 0.1)
    assert list(engine.names) == ["b", "c"]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (thing("bad", mass=-1.0), "mass"),
        (thing("bad", mass=1e-20), "too light"),
        (thing("bad", size=(1e-9, 1e-9, 1e-9)), "too light"),
        (thing("bad", kind="cone"), "cone"),
        (thing("bad", kind="cylinder", size=(0.4, 0.2, 0.3)), "round"),
        (thing("bad", x=math.nan), "pose"),
    ],
)
def test_bodies_that_cannot_be_are_refused_with_their_place_in_the_file(body, reason):
    engine = engine_of(thing("good"))

    with pytest.raises(EngineCannot, match=rf"bad.world:3:1: the mujoco engine cannot hold 'bad'.*{reason}"):
        engine.add(body)

    assert list(engine.names) == ["good"]
    engine.step(DT)


def test_tilted_bodies_are_welcome():
    engine = engine_of(thing("plank", z=1.0, turn=(0.5, 0.5, 0.0)), thing("ramp", 5.0, turn=(0.0, 0.3, 0.0), mass=0.0))

    engine.step(DT)

    assert pose(engine, "plank")[3:].tolist() == pytest.approx(list(quaternion(0.5, 0.5, 0.0)))


def test_names_are_known_and_used_once():
    engine = engine_of(thing("a"))

    with pytest.raises(BadArgument, match="already a body"):
        engine.add(thing("a"))
    with pytest.raises(NoSuchName):
        engine.remove("b")
    with pytest.raises(BadArgument, match="already a body"):
        engine.rebuild(WorldSpec((thing("c"), thing("c"))))

    assert list(engine.names) == ["a"]


def test_a_body_of_several_shapes_turns_about_its_centre_of_mass():
    shapes = (ShapeSpec("box", (0.2, 0.2, 0.2)), ShapeSpec("box", (0.2, 0.2, 0.2), position=(1.0, 0.4, 0.6)))
    engine = engine_of(BodySpec("club", (0.0, 0.0, 50.0, 1.0, 0.0, 0.0, 0.0), 2.0, shapes))

    engine.set_spatial_state(
        np.array([0]), np.array([[0.0, 0.0, 50.0, 1.0, 0.0, 0.0, 0.0]]), np.array([[0, 0, 0, 0.0, 0.0, 1.0]])
    )
    engine.wrench[0, 2] = 2.0 * 9.81
    engine.step(DT)
    engine.fill()

    # the base goes around the centre, which is 0.5, 0.2 from it
    assert engine.twists[0, :3].tolist() == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)
    assert (engine.poses[0, :2] / DT).tolist() == pytest.approx([0.2, -0.5], abs=0.02)
    assert engine.inertia[0] == pytest.approx(2.0 * (0.08 / 12.0 + 0.25 + 0.04))


def test_rows_follow_the_names():
    engine = engine_of(*(thing(name, float(k)) for k, name in enumerate("cab")))

    assert list(engine.names) == ["a", "b", "c"]
    assert engine.planar[row(engine, "c"), 0] == 0.0


def test_a_crowd_that_is_too_large_is_refused_with_how_much_of_it_fits(monkeypatch):
    monkeypatch.setattr(solids, "MOST_BODIES", 6)
    bodies = [
        replace(thing(f"r{k}.{part}", 3.0 * k, z=part), part_of=f"r{k}" * part) for k in (1, 2) for part in (0, 1, 2)
    ]
    engine = engine_of(*bodies)
    more = [replace(body, name=f"r3{body.name[2:]}") for body in bodies[:3]]
    text = "at most 6 bodies, links included, got 9; of 3 such robots and objects about 2 fit"
    for refused in (lambda: engine_of(*bodies, *more), lambda: engine.add_all(more)):
        with pytest.raises(EngineCannot, match=text):
            refused()
    with pytest.raises(EngineCannot, match=r"at most 6 bodies, links included, got 7$"):
        engine_of(*(thing(f"box{k}", k) for k in range(7)))
