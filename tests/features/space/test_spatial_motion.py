"""Bodies in space on the MuJoCo engine, against what can be worked out by hand."""

import math

import mujoco
import numpy as np
import pytest
from spatial_standins import DT, G, engine_of, launch, lean, pose, robot, row, run, speed, thing

from coopsim.engines import WorldSpec
from coopsim.errors import EngineCannot
from coopsim.robots import engine_type


def test_a_body_falls_as_galilei_says():
    engine = engine_of(thing("ball", z=5.0, kind="sphere"))

    run(engine, 0.5)

    assert engine.height[0] == pytest.approx(5.0 - 0.5 * G * 0.25, abs=1e-9)
    assert engine.twists[0].tolist() == pytest.approx([0.0, 0.0, -0.5 * G, 0.0, 0.0, 0.0])


def test_what_falls_lies_on_the_floor_in_the_end():
    engine = engine_of(
        *(thing(kind, 2.0 * k, z=0.5, kind=kind) for k, kind in enumerate(("box", "cylinder", "sphere")))
    )

    run(engine, 3.0)

    assert np.abs(engine.height).max() < 1e-3
    assert np.abs(engine.twists).max() < 2e-2


@pytest.mark.parametrize("kind", ["box", "cylinder"])
def test_friction_of_a_pair_is_the_product_of_both(kind):
    engine = engine_of(thing("crate", kind=kind, friction=0.5), floor_friction=0.4)
    launch(engine, "crate", vx=2.0)

    run(engine, 3.0)

    way = 2.0**2 / (2.0 * 0.5 * 0.4 * G)
    assert engine.planar[0, 0] == pytest.approx(way, rel=0.02)
    assert speed(engine, "crate") < 1e-3


def test_the_friction_of_two_bodies_is_not_that_of_the_rougher():
    engine = engine_of(
        thing("table", mass=0.0, size=(4.0, 4.0, 0.2), friction=0.25), thing("crate", z=0.2, size=(0.4, 0.4, 0.1))
    )
    launch(engine, "crate", vx=1.0)

    run(engine, 2.0)

    assert engine.planar[0, 0] == pytest.approx(1.0 / (2.0 * 0.25 * 0.6 * G), rel=0.03)


@pytest.mark.parametrize("kind", ["box", "cylinder"])
def test_what_is_rough_enough_stays_on_a_slope(kind):
    engine = engine_of(thing("crate", turn=(0.0, 0.35, 0.0), kind=kind, friction=0.6), tilt=0.35)
    run(engine, 1.0)
    before = pose(engine, "crate").copy()

    run(engine, 10.0)

    assert np.abs(pose(engine, "crate") - before).max() < 1e-3


@pytest.mark.parametrize(("angle", "friction"), [(0.35, 0.2), (0.6, 0.5)])
@pytest.mark.parametrize("kind", ["box", "cylinder"])
def test_what_is_too_smooth_slides_down_a_slope(kind, angle, friction):
    crate = thing("crate", turn=(0.0, angle, 0.0), kind=kind, size=(0.4, 0.4, 0.1), friction=friction)
    engine = engine_of(crate, tilt=angle)
    run(engine, 1.0)
    before = speed(engine, "crate")

    run(engine, 1.0)

    assert speed(engine, "crate") - before == pytest.approx(
        G * (math.sin(angle) - friction * math.cos(angle)), rel=0.05
    )


def test_what_slides_keeps_to_the_floor():
    engine = engine_of(thing("crate", friction=0.6))
    launch(engine, "crate", vx=2.0)

    heights = []
    for _ in range(60):
        engine.step(DT)
        heights.append(engine.height[0])

    assert max(heights) < 2e-3


def test_a_ball_rolls_down_a_slope_at_five_sevenths():
    engine = engine_of(thing("ball", turn=(0.0, 0.3, 0.0), kind="sphere"), tilt=0.3)

    run(engine, 2.0)

    assert speed(engine, "ball") == pytest.approx(5.0 / 7.0 * G * math.sin(0.3) * 2.0, rel=0.01)
    assert np.linalg.norm(engine.twists[0, 3:]) == pytest.approx(speed(engine, "ball") / 0.2, rel=0.01)


def test_a_ball_that_spins_on_the_spot_is_braked():
    engine = engine_of(thing("ball", kind="sphere"))
    run(engine, 0.2)
    launch(engine, "ball", w=5.0)

    run(engine, 3.0)

    assert np.abs(engine.twists[0, 3:]).max() < 0.05


def test_a_stack_stands():
    engine = engine_of(*(thing(f"box_{k}", z=0.4 * k) for k in range(6)))

    run(engine, 10.0)

    assert engine.height.tolist() == pytest.approx([0.4 * k for k in range(6)], abs=3e-3)
    assert np.abs(engine.planar[:, :2]).max() < 1e-3


def test_a_stack_of_cylinders_stands_upright():
    """MuJoCo's own plane loses a cylinder whose axis is off the upright by rounding alone."""
    engine = engine_of(*(thing(f"drum_{k}", z=0.4 * k, kind="cylinder") for k in range(3)))

    run(engine, 10.0)

    assert engine.height.tolist() == pytest.approx([0.0, 0.4, 0.8], abs=3e-3)
    assert max(lean(engine, name) for name in engine.names) < 1e-3


@pytest.mark.parametrize(("force", "tips"), [(14.0, False), (24.0, True)])
def test_a_tall_box_tips_over_when_it_is_pushed_hard_enough(force, tips):
    """It tips where force times height exceeds weight times half width: 5 kg, 0.3 m, at the middle of 0.8 m: 18.4 N."""
    engine = engine_of(thing("tower", mass=5.0, size=(0.3, 0.3, 0.8), friction=1.0))

    run(engine, 1.5, ("tower", force, 0.0, 0.0, 0.0, 0.0, 0.0))

    assert (lean(engine, "tower") > 1.0) == tips


def test_a_torque_in_the_frame_of_the_world_turns_a_tilted_body_about_that_axis():
    engine = engine_of(thing("plank", z=50.0, turn=(0.7, -0.4, 1.1), kind="sphere"))

    run(engine, 0.5, ("plank", 0.0, 0.0, 0.0, 0.0, 0.0, 0.02))

    inertia = 0.4 * 1.0 * 0.2**2
    assert engine.twists[0, 3:].tolist() == pytest.approx([0.0, 0.0, 0.02 * 0.5 / inertia])
    assert engine.planar[0, 5] == pytest.approx(engine.twists[0, 5])


def test_a_force_belongs_to_the_middle_of_a_body_and_does_not_turn_it():
    engine = engine_of(thing("plank", z=50.0, size=(1.0, 0.2, 0.6), turn=(0.3, 0.2, 0.1)))

    run(engine, 0.5, ("plank", 3.0, 2.0, G, 0.0, 0.0, 0.0))

    assert engine.twists[0].tolist() == pytest.approx([1.5, 1.0, 0.0, 0.0, 0.0, 0.0], abs=1e-9)


def test_momentum_passes_from_ball_to_ball():
    engine = engine_of(
        thing("left", -1.0, z=9.0, kind="sphere", mass=2.0), thing("right", 1.0, z=9.0, kind="sphere", mass=3.0)
    )
    launch(engine, "left", vx=3.0)

    run(engine, 1.0)

    assert engine.mass @ engine.twists[:, 0] == pytest.approx(6.0)
    assert engine.twists[row(engine, "right"), 0] > 0.5


@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.8, 1.0])
def test_a_ball_is_thrown_back_by_its_restitution(restitution):
    engine = engine_of(thing("ball", z=1.0, kind="sphere", restitution=restitution))

    heights = []
    for _ in range(1000):
        engine.step(0.001)
        heights.append(engine.height[0])
    lowest = int(np.argmin(heights))

    assert math.sqrt(max(0.0, *heights[lowest:])) == pytest.approx(restitution, abs=0.06)


def test_what_runs_into_a_wall_stays_there():
    engine = engine_of(robot("robot"), thing("wall", 1.0, mass=0.0, size=(0.1, 4.0, 0.5)))
    launch(engine, "robot", vx=0.5)

    run(engine, 3.0)

    assert engine.planar[0, 0] == pytest.approx(0.7, abs=0.06)
    assert abs(engine.planar[0, 3]) < 0.05


@pytest.mark.parametrize("integrator", ["semi_implicit", "implicitfast"])
def test_steps_are_those_of_mujoco_itself_where_nothing_is_mixed(integrator):
    """Our step calls its stages one by one; another MuJoCo may have more of them."""
    bodies = thing("ball", z=3.0, kind="sphere"), robot("robot", 3.0, z=0.001), robot("fallen", 6.0, z=0.5)
    engine = engine_type(f"mujoco+{integrator}")(WorldSpec(bodies, floor_friction=1.0))
    engine.step(DT)
    world = engine._model
    data = mujoco.MjData(world.model)
    for name in ("qpos", "qvel", "qacc_warmstart"):
        getattr(data, name)[:] = getattr(world.data, name)

    for _ in range(8):  # nobody rests so soon
        world.meets_now[:] = world.meets  # what is high above the floor may be left out, which changes nothing
        mujoco.mj_step(world.model, data)
        engine.step(DT)

    assert np.array_equal(data.qpos, world.qpos)
    assert np.array_equal(data.qvel, world.qvel)


def test_substeps_share_a_step():
    whole, parts = (engine_of(thing("ball", z=5.0, kind="sphere")) for _ in range(2))
    for _ in range(10):
        whole.wrench[:, 0] = parts.wrench[:, 0] = 2.0
        whole.step(0.005)
        whole.wrench[:, 0] = 2.0
        whole.step(0.005)
        parts.step(0.01, substeps=2)

    assert np.array_equal(whole.planar, parts.planar)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e10])
def test_a_force_that_is_no_sensible_number_is_refused_by_name_and_forgotten(bad):
    engine = engine_of(thing("good"), thing("wild", 3.0))
    engine.wrench[1, 4] = bad

    with pytest.raises(EngineCannot, match="wild"):
        engine.step(DT)

    engine.step(DT)
    assert np.isfinite(engine.planar).all()
