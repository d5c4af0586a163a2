"""Joints in the pymunk engine."""

import math
from dataclasses import replace

import numpy as np
import pytest
from engine_joints import SPAN, carried_bar, drive, joint, pair
from engine_standins import DT, body, crowd, launch, push_about, steps, wall, where

from coopsim.engines import WorldSpec
from coopsim.engines.planar.engine import PymunkEngine
from coopsim.errors import BadArgument, EngineCannot, NoSuchName


def test_a_carried_bar_shows_displacement_and_force_at_both_supports():
    """S-75: a leader that slows down is felt through the joint of the support."""
    engine = PymunkEngine(carried_bar())
    drive(engine, 7.5)

    first, second = engine.joint_state()

    assert list(engine.joints) == ["on_robot1", "on_robot2"]
    assert first[:2] == pytest.approx([0.0186, -0.0101], abs=3e-4)
    assert np.hypot(*first[3:5]) == pytest.approx(85.3, rel=0.01)
    assert np.hypot(*second[3:5]) == pytest.approx(85.3, rel=0.01)
    # the slower one holds the bar back, the other one pulls it
    assert first[3] < -80.0
    assert second[3] > 80.0


def test_the_spring_of_a_support_explains_its_force():
    engine = PymunkEngine(carried_bar())
    drive(engine, 9.0)

    for row in engine.joint_state():
        assert 4000.0 * np.hypot(*row[:2]) == pytest.approx(np.hypot(*row[3:5]), rel=0.02)


def test_forces_at_a_body_are_its_mass_times_its_acceleration():
    """Newton's second law for the bar: nothing else touches it."""
    engine = PymunkEngine(carried_bar("pivot"))
    drive(engine, 6.0)
    before = where(engine, "bar")[3:5].copy()

    drive(engine, DT, begin=6.0)

    acceleration = (where(engine, "bar")[3:5] - before) / DT
    assert engine.joint_state()[:, 3:5].sum(axis=0) == pytest.approx(5.0 * acceleration, abs=1e-9)


def test_a_support_lets_go_no_farther_than_its_limit():
    engine = PymunkEngine(carried_bar(stiffness=500.0, damping=100.0))
    ways = []
    for k in range(100):
        drive(engine, 0.1, begin=0.1 * k)
        ways.append(np.hypot(*engine.joint_state()[:, :2].T).max())

    assert max(ways) == pytest.approx(0.06, abs=1e-3)


@pytest.mark.parametrize("kind", ["pivot", "hinge", "weld", "slide"])
def test_joints_hold_what_they_should_under_random_pushes(kind):
    engine = pair(kind, PymunkEngine, limit=0.2, **({"axis": (1.0, 0.0, 0.0)} if kind == "slide" else {}))
    generator = np.random.default_rng(1)
    for _ in range(500):
        engine.wrench[:, [0, 1, 5]] = generator.normal(size=(2, 3)) * (40.0, 40.0, 4.0)
        engine.step(DT)
        along, aside, *_ = engine.joint_state()[0]
        assert abs(aside) < 5e-3
        assert abs(along) < (0.205 if kind == "slide" else 5e-3)
        if kind in ("weld", "slide"):
            assert abs(where(engine, "b")[2] - where(engine, "a")[2]) < 0.02


def test_displacements_are_in_the_frame_of_the_first_body():
    bodies = body("a", yaw=math.pi / 2), body("b", 0.0, 1.0)
    engine = PymunkEngine(WorldSpec(bodies, (joint("slide", axis=(0.0, 1.0, 0.0), limit=0.5),)))
    for _ in range(100):
        engine.wrench[list(engine.names).index("b"), 1] = 0.5
        engine.wrench[list(engine.names).index("a"), 1] = -0.5
        engine.step(DT)

    along, aside, up, *_ = engine.joint_state()[0]

    assert along == pytest.approx(0.5, abs=0.02)
    assert abs(aside) < 1e-6
    assert up == 0.0


def test_a_slide_without_limit_goes_on():
    engine = pair("slide", PymunkEngine, axis=(1.0, 0.0, 0.0))
    launch(engine, "b", vx=3.0)

    steps(engine, 500)

    assert engine.joint_state()[0, 0] == pytest.approx(15.0, abs=0.1)
    assert abs(engine.joint_state()[0, 1]) < 1e-6


def test_a_joint_is_made_where_the_bodies_are_at_that_moment():
    engine = PymunkEngine(WorldSpec((body("a", -0.5, mass=20.0), body("b", 0.5, mass=20.0))))
    launch(engine, "b", vx=0.1, w=0.3)
    launch(engine, "a", vx=0.1)
    steps(engine, 100)
    turned = where(engine, "b")[2]

    engine.add_joint(joint("weld", anchor=(0.1, 0.0, 0.0)))
    steps(engine, 100)

    assert where(engine, "b")[2] - where(engine, "a")[2] == pytest.approx(turned, abs=5e-3)
    assert np.abs(engine.joint_state()[0, :2]).max() < 1e-3


def test_two_bodies_on_one_fixed_body_still_collide_with_each_other():
    bodies = wall("post", 0.0, 0.0, 0.2, 0.2), body("a", -1.0, mass=5.0), body("b", 1.0, mass=5.0)
    joints = joint("pivot", "post", "a", name="one"), joint("pivot", "post", "b", name="two")
    engine = PymunkEngine(WorldSpec(bodies, joints))
    launch(engine, "a", vy=-1.0, w=1.0)
    steps(engine, 400)

    # without rebound they share the motion
    assert where(engine, "a")[5] == pytest.approx(0.5, abs=0.1)
    assert where(engine, "b")[5] == pytest.approx(0.5, abs=0.1)


def test_a_fixed_body_keeps_its_shape_when_it_is_joined():
    bodies = wall("post", 0.0, 0.0, 0.2, 3.0), body("hung", 0.0, 5.0), body("ball", -1.0)
    engine = PymunkEngine(WorldSpec(bodies))
    engine.add_joint(joint("pivot", "post", "hung", anchor=(0.0, 4.0, 0.0)))
    launch(engine, "ball", vx=1.0)

    steps(engine, 200)

    assert where(engine, "ball")[0] < -0.3


def test_who_hangs_on_a_wall_is_not_pushed_by_it_but_by_others():
    bodies = wall("post", 0.0, 0.0, 0.4, 0.4), wall("wall", 0.0, 1.0, 4.0, 0.1), body("hung", 0.1, 0.2)
    engine = PymunkEngine(WorldSpec(bodies, (joint("pivot", "post", "hung", anchor=(0.1, 0.2, 0.0)),)))
    steps(engine, 10)
    assert len(engine.contacts().pairs) == 0

    engine.remove_joint("joint")
    launch(engine, "hung", vy=1.0)
    steps(engine, 200)
    assert where(engine, "hung")[1] < 0.75


def test_a_body_takes_its_joints_along():
    engine = PymunkEngine(carried_bar())
    drive(engine, 6.0)

    engine.remove("robot1")
    drive_rest = engine.joint_state()

    assert list(engine.joints) == ["on_robot2"]
    assert drive_rest.shape == (1, 6)
    steps(engine, 300)
    assert np.isfinite(engine.planar).all()


def test_bodies_that_come_later_do_not_mix_up_rows_and_carriages():
    engine = PymunkEngine(carried_bar())
    engine.add(body("late", 0.0, 5.0))
    launch(engine, "late", vx=1.0)
    steps(engine, 50)

    assert list(engine.names) == ["bar", "robot1", "robot2", "late"]
    assert where(engine, "late")[:2] == pytest.approx([0.5, 5.0])
    assert where(engine, "bar")[:2] == pytest.approx([0.0, 0.0], abs=1e-9)


def test_bodies_that_are_put_elsewhere_take_their_supports_along():
    engine = PymunkEngine(carried_bar())
    drive(engine, 7.0)
    state = engine.planar.copy()
    state[:, 0] += 3.0
    # the same headings, counted differently
    state[:, 2] += 2.0 * math.pi
    engine.set_state(np.arange(3), state)
    before = engine.joint_state()[:, :2].copy()

    engine.step(DT)

    assert engine.joint_state()[:, :2] == pytest.approx(before, abs=2e-3)
    assert np.abs(engine.planar[:, 3:]).max() < 1.0


def test_all_continuations_of_a_snapshot_with_joints_are_the_same_bit_by_bit():
    engine = PymunkEngine(carried_bar())
    drive(engine, 6.0)
    launched = engine.planar.copy()
    snapshot = engine.snapshot()
    restored = PymunkEngine(WorldSpec(()))

    for continued in (engine, restored):
        continued.restore(snapshot)
        assert np.array_equal(continued.planar, launched)
        drive(continued, 2.0, begin=6.0)

    assert np.array_equal(engine.planar, restored.planar)
    assert np.array_equal(engine.joint_state(), restored.joint_state())
    assert restored.snapshot() == engine.snapshot()
    uninterrupted = PymunkEngine(carried_bar())
    drive(uninterrupted, 8.0)
    assert restored.joint_state()[:, :2] == pytest.approx(uninterrupted.joint_state()[:, :2], abs=1e-4)


def test_a_snapshot_keeps_every_kind_of_joint_and_where_it_came_from():
    bodies = [body(name, 2.0 * k, mass=20.0) for k, name in enumerate("abcdef")]
    kinds = ("pivot", "hinge", "weld", "slide", "support")
    joints = [
        replace(
            joint(kind, "abcde"[k], "bcdef"[k], (2.0 * k + 1.0, 0.0, 0.0), kind),
            axis=(1.0, 0.0, 0.0) if kind == "slide" else (0.0, 0.0, 1.0),
        )
        for k, kind in enumerate(kinds)
    ]
    engine = PymunkEngine(WorldSpec(tuple(bodies), tuple(joints)))
    steps(engine, 10)

    restored = PymunkEngine(WorldSpec(()))
    restored.restore(engine.snapshot())

    assert list(restored.joints) == sorted(kinds)
    with pytest.raises(BadArgument, match=r"^team\.world:7:1: .*'weld'"):
        restored.add_joint(joints[2])


def test_a_snapshot_with_joints_that_was_cut_off_is_refused():
    engine = PymunkEngine(carried_bar())
    whole = engine.snapshot()

    for length in range(0, len(whole), 7):
        with pytest.raises(EngineCannot):
            engine.restore(whole[:length])
    assert list(engine.joints) == ["on_robot1", "on_robot2"]


def test_the_order_in_which_joints_are_listed_does_not_matter():
    world = carried_bar()
    engine, reordered = PymunkEngine(world), PymunkEngine(replace(world, joints=world.joints[::-1]))
    drive(engine, 6.0)
    drive(reordered, 6.0)

    assert list(engine.joints) == list(reordered.joints)
    assert np.array_equal(engine.planar, reordered.planar)


def test_worlds_without_joints_move_as_they_did_when_one_was_there_and_has_gone():
    bodies = crowd(16)
    engine, reference = PymunkEngine(WorldSpec(tuple(bodies))), PymunkEngine(WorldSpec(tuple(bodies)))
    reference.add_joint(joint("support", "body_1", "body_2"))
    reference.remove_joint("joint")

    assert push_about(engine, 100) == push_about(reference, 100)

    assert np.array_equal(engine.planar, reference.planar)
    assert engine.joint_state().shape == (0, 6)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"kind": "glue"}, EngineCannot, "'glue'"),
        ({"kind": "hinge", "axis": (1.0, 0.0, 0.0)}, EngineCannot, "three dimensions"),
        ({"kind": "slide", "axis": (0.0, 0.0, 1.0)}, EngineCannot, "three dimensions"),
        ({"b": "ghost"}, NoSuchName, "'ghost'"),
        ({"b": "a"}, BadArgument, "itself"),
        ({"a": "wall", "b": "wall2"}, BadArgument, "two fixed"),
        ({"anchor": (math.nan, 0.0, 0.0)}, BadArgument, "place"),
        ({"axis": (0.0, 0.0, 0.0)}, BadArgument, "direction"),
        ({"limit": 0.0}, BadArgument, "weld"),
        ({"stiffness": -1.0}, BadArgument, "stiffness"),
        ({"damping": math.inf}, BadArgument, "damping"),
        ({"carriage": 0.0}, BadArgument, "carriage"),
    ],
)
def test_a_joint_that_cannot_be_is_refused_by_its_place_and_changes_nothing(change, error, words):
    bodies = body("a"), body("b", 2.0), wall("wall", 5.0, 0.0, 1.0, 1.0), wall("wall2", 8.0, 0.0, 1.0, 1.0)
    engine = PymunkEngine(WorldSpec(bodies))
    bad = replace(joint("support"), **change)

    with pytest.raises(error, match=rf"^team\.world:7:1: .*{words}"):
        engine.add_joint(bad)
    with pytest.raises(error, match=r"^team\.world:7:1: "):
        engine.rebuild(WorldSpec(bodies, (bad,)))

    steps(engine, 2)
    assert list(engine.joints) == []
    assert list(engine.names) == ["a", "b"]


def test_names_of_joints_must_be_known_and_used_once():
    engine = pair("pivot", PymunkEngine)

    with pytest.raises(BadArgument, match="'joint'"):
        engine.add_joint(joint("weld"))
    with pytest.raises(NoSuchName, match="'ghost'"):
        engine.remove_joint("ghost")
    with pytest.raises(BadArgument, match="'joint'"):
        engine.rebuild(WorldSpec((body("a"), body("b", 3.0)), (joint("pivot"), joint("weld"))))
    assert list(engine.joints) == ["joint"]


@pytest.mark.parametrize("angles", [(0.2, 0.0, 0.0), (0.0, -0.1, 0.0)])
def test_a_tilted_floor_is_refused_by_its_place(angles):
    world = WorldSpec((body("a"),), floor_orientation=angles, floor_span=SPAN)

    with pytest.raises(EngineCannot, match=r"^team\.world:7:1: .*tilt the floor"):
        PymunkEngine(world)


def test_a_floor_that_is_turned_but_level_is_as_good_as_any():
    engine = PymunkEngine(WorldSpec((body("a"),), floor_orientation=(0.0, 0.0, 0.5), floor_span=SPAN))

    assert list(engine.names) == ["a"]


@pytest.mark.parametrize("kind", ["pivot", "support", "weld"])
def test_before_the_first_step_no_joint_has_a_force(kind):
    settings = {"stiffness": 500.0, "damping": 10.0} if kind == "support" else {}
    engine = pair(kind, PymunkEngine, **settings)
    assert engine.joint_state()[0].tolist() == [0.0] * 6
