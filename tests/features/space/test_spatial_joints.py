"""Joints of the MuJoCo engine where only three dimensions have them; the rest is `coopsim.testkit.check_engine`."""

import math

import numpy as np
import pytest
from spatial_standins import DT, G, engine_of, pose, robot, run, thing

from coopsim.engines import JointSpec
from coopsim.errors import BadArgument, EngineCannot, NoSuchName

ROOF = thing("roof", z=3.0, mass=0.0)


def joint(kind, a="roof", b="load", anchor=(0.0, 0.0, 3.0), name="joint", **settings):
    return JointSpec(name, kind, a, b, anchor, **settings)


@pytest.mark.parametrize(
    ("kind", "axis"),
    [
        ("pivot", (0.0, 0.0, 1.0)),
        ("hinge", (0.0, 1.0, 0.0)),
        ("weld", (0.0, 0.0, 1.0)),
        ("slide", (1.0, 0.0, 0.0)),
        ("support", (0.0, 0.0, 1.0)),
    ],
)
def test_a_load_hangs_on_a_joint_that_bears_its_weight(kind, axis):
    engine = engine_of(ROOF, thing("load", z=2.6, mass=2.0), joints=[joint(kind, axis=axis)])

    run(engine, 3.0)

    assert engine.joint_state()[0].tolist() == pytest.approx([0.0, 0.0, 0.0, 0.0, 0.0, 2.0 * G], abs=1e-3)
    assert pose(engine, "load")[:3].tolist() == pytest.approx([0.0, 0.0, 2.6], abs=1e-3)


def test_a_pendulum_swings_with_the_period_of_its_length():
    bob = thing("bob", 0.1, z=1.9, kind="sphere", size=(0.2, 0.2, 0.2))
    engine = engine_of(ROOF, bob, joints=[joint("hinge", b="bob", axis=(0.0, 1.0, 0.0))])

    sides = []
    for _ in range(1200):
        engine.step(DT)
        sides.append(pose(engine, "bob")[0] > 0.0)
    turns = np.flatnonzero(np.diff(np.array(sides, int)))

    length, inertia = math.hypot(0.1, 1.0), 0.4 * 0.1**2
    expected = math.pi * math.sqrt((inertia + length**2) / (G * length))
    assert np.diff(turns).mean() * DT == pytest.approx(expected, rel=0.01)


def test_a_hinge_turns_about_its_axis_alone():
    engine = engine_of(
        ROOF, thing("door", 0.5, z=2.4, size=(0.8, 0.1, 1.0)), joints=[joint("hinge", b="door", anchor=(0.0, 0.0, 2.9))]
    )

    run(engine, 1.0, ("door", 0.0, 2.0, 0.0, 0.0, 0.0, 0.0))

    _, x, y, z = pose(engine, "door")[3:]
    assert abs(z) > 0.1
    assert math.hypot(x, y) < 0.02
    assert math.hypot(*pose(engine, "door")[:2]) == pytest.approx(0.5, abs=0.01)


def test_a_slide_runs_along_a_slanting_axis():
    axis = (1.0, 0.0, -1.0)
    engine = engine_of(ROOF, thing("load", z=2.6, mass=2.0), joints=[joint("slide", axis=axis)])

    run(engine, 0.5)

    x, _, z = engine.joint_state()[0, :3]
    assert x == pytest.approx(0.5 * 0.5 * G * 0.5**2, rel=0.05)
    assert z == pytest.approx(-x, rel=0.01)


@pytest.mark.parametrize(("a", "b", "sign"), [("roof", "load", 1.0), ("load", "roof", -1.0)])
def test_a_slide_ends_at_its_limit_whoever_carries_it(a, b, sign):
    slide = joint("slide", a, b, axis=(0.0, 0.0, 1.0), limit=0.2)
    engine = engine_of(ROOF, thing("load", z=2.6, mass=2.0), joints=[slide])

    run(engine, 3.0)

    displacement, force = engine.joint_state()[0, 2], engine.joint_state()[0, 5]
    assert displacement == pytest.approx(-0.2 * sign, abs=2e-3)
    assert force == pytest.approx(2.0 * G * sign, rel=1e-3)


def test_a_slide_passes_on_what_pushes_across_it():
    engine = engine_of(ROOF, thing("load", z=2.6, mass=2.0), joints=[joint("slide", axis=(1.0, 0.0, 0.0))])

    run(engine, 1.0, ("load", 4.0, 3.0, 0.0, 0.0, 0.0, 0.0))

    assert engine.planar[0, 3] == pytest.approx(2.0, rel=1e-3)
    assert engine.joint_state()[0, 3:].tolist() == pytest.approx([0.0, -3.0, 2.0 * G], abs=0.02)


def test_two_slides_share_what_they_carry():
    joints = [joint("slide", name=name, axis=(1.0, 0.0, 0.0)) for name in ("one", "two")]
    engine = engine_of(ROOF, thing("load", z=2.6, mass=2.0), joints=joints)

    run(engine, 1.0, ("load", 4.0, 0.0, 0.0, 0.0, 0.0, 0.0))

    assert engine.planar[0, 3] == pytest.approx(2.0, rel=1e-3)
    assert engine.joint_state()[:, 5].sum() == pytest.approx(2.0 * G, rel=1e-3)


def test_a_joint_is_made_where_the_bodies_are_by_then():
    engine = engine_of(thing("a", z=20.0), thing("b", 2.0, z=25.0))
    run(engine, 0.3)

    engine.add_joint(joint("weld", "a", "b", (1.0, 0.0, 22.0)))

    assert engine.joints == ("joint",)
    assert engine.joint_state()[0, :3].tolist() == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)
    before = pose(engine, "b") - pose(engine, "a")
    run(engine, 0.1)
    assert (pose(engine, "b") - pose(engine, "a"))[:3].tolist() == pytest.approx(before[:3].tolist(), abs=1e-3)


def test_joined_bodies_go_through_each_other_until_they_are_let_go():
    engine = engine_of(thing("a"), thing("b", 0.2), joints=[joint("pivot", "a", "b", (0.1, 0.0, 0.2))])
    run(engine, 0.5)
    assert len(engine.contacts().pairs) == 0

    engine.remove_joint("joint")
    run(engine, 0.05)

    assert len(engine.contacts().pairs) == 1
    assert engine.joint_state().shape == (0, 6)


def test_robots_that_are_joined_do_not_rest_and_do_again_when_they_are_let_go():
    engine = engine_of(robot("a"), robot("b", 1.0))
    engine.add_joint(joint("weld", "a", "b", (0.5, 0.0, 0.2)))
    run(engine, 1.0)
    assert engine._model.data.ncon == 6

    engine.remove_joint("joint")
    run(engine, 2.0)

    assert engine._model.data.ncon == 0


def test_the_carriage_of_a_support_comes_along_when_its_body_is_put_elsewhere():
    bar = thing("bar", z=0.35, mass=5.0, size=(0.5, 0.5, 0.05))
    engine = engine_of(robot("robot"), bar, joints=[joint("support", "robot", "bar", (0.0, 0.0, 0.4), limit=0.1)])
    run(engine, 1.0, ("bar", 40.0, 0.0, 0.0, 0.0, 0.0, 0.0), ("robot", -40.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    before = engine.joint_state()[0, :2].copy()

    moved = engine.planar.copy()
    moved[:, 0] += 5.0
    moved[:, 3:] = 0.0
    engine.set_state(np.arange(2), moved)

    assert before[0] == pytest.approx(0.01, rel=0.05)
    assert engine.joint_state()[0, :2].tolist() == pytest.approx(before.tolist())


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        (joint("rope"), EngineCannot),
        (joint("pivot", b="nobody"), NoSuchName),
        (joint("pivot", "load", "load"), BadArgument),
        (joint("slide", axis=(0.0, 0.0, 0.0)), BadArgument),
        (joint("support", stiffness=-1.0), BadArgument),
    ],
)
def test_joints_that_cannot_be_are_refused_and_change_nothing(wrong, error):
    engine = engine_of(ROOF, thing("load", z=2.6))

    with pytest.raises(error):
        engine.add_joint(wrong)

    assert engine.joints == ()
    with pytest.raises(NoSuchName):
        engine.remove_joint("joint")


@pytest.mark.parametrize(
    "speeds",
    [((0.5, 0.0, 0.0), (-0.2, 0.0, 0.0)), ((0.5, 0.3, 0.0), (-0.2, -0.8, 0.4)), ((0.0, 0.0, 0.5), (0.0, 0.0, 0.0))],
)
def test_a_slide_made_between_bodies_in_motion_keeps_their_momentum(speeds):
    engine = engine_of(thing("a", friction=0.0), thing("b", 1.5, mass=2.0, friction=0.0), floor_friction=0.0)
    engine.step(DT)
    state = engine.planar.copy()
    state[:, 3:] = speeds
    engine.set_state(np.arange(2), state)
    before = momentum(engine)
    engine.add_joint(JointSpec("slide", "slide", "a", "b", (0.0, 0.0, 0.2), (1.0, 0.0, 0.0)))
    for _ in range(50):
        engine.step(DT)

    assert momentum(engine) == pytest.approx(before, abs=0.02)
    assert engine.planar[0, 5] == pytest.approx(engine.planar[1, 5], abs=0.02)


def momentum(engine):
    """Along x and y, and about the origin."""
    x, y, _, vx, vy, w = engine.planar.T
    return [
        float((engine.mass * vx).sum()),
        float((engine.mass * vy).sum()),
        float((engine.mass * (x * vy - y * vx) + engine.inertia * w).sum()),
    ]
