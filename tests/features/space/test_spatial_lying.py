"""Bodies without wheels that lie still on the floor: they rest, whatever touches or pushes them wakes them."""

from pathlib import Path

import numpy as np
import pytest
from spatial_standins import G, engine_of, launch, lean, pose, robot, row, run, speed, thing

from coopsim.engines import JointSpec, WorldSpec
from coopsim.features.space import compiled_step
from coopsim.features.space.autopilot_interface import AUTOPILOT
from coopsim.features.space.engine import MujocoEngine
from coopsim.features.space.free_flight import AWAKE, INTEGRATORS
from coopsim.features.space.kernels import LYING, SPOTS
from coopsim.features.space.snapshot import MUJOCO, EngineMark, mark_of, marked
from coopsim.robots import load
from coopsim.simulation import Simulation

DRUM = thing("drum", 2.0, size=(0.3, 0.3, 0.2), kind="cylinder")
SCENE = """[WORLD]
file empty.world

[SIMULATION]
engine mujoco
step   0.01

[ROBOT_1]
type     quadrotor
name     one
position 0 0 0

[ROBOT_2]
type     quadrotor
name     two
position 1 0 0.2
"""


def lies(engine, name):
    return bool(engine._state.rest[row(engine, name)] == LYING)


def awake(*bodies, **world):
    """Return an engine of before anything lay still."""
    return type("Awake", (MujocoEngine,), {"integrator": AWAKE})(engine_of(*bodies, **world)._world)


@pytest.mark.parametrize("body", [thing("a"), DRUM, thing("a", 0.0, 0.0, 0.3, mass=7.0, size=(0.3, 0.2, 0.1))])
def test_what_lies_still_has_no_contacts_to_be_worked_out_and_stays_to_the_bit(body):
    engine = engine_of(body)
    run(engine, 2.0)
    assert lies(engine, body.name)
    assert engine._model.data.ncon == 0
    before = engine.poses.copy()
    run(engine, 5.0)
    assert np.abs(engine.poses - before).max() < 1e-12
    assert not engine.twists.any()
    assert engine.height[0] == pytest.approx(0.0, abs=1e-4)


@pytest.mark.parametrize("kind", ["box", "cylinder"])
def test_it_lies_where_it_lay_before_bodies_rested(kind):
    """S-2: that bodies lie costs no realism; recordings of before are repeated without it."""
    body = thing("a", 1.0, 2.0, 0.1, turn=(0.0, 0.0, 0.7), kind=kind)
    engine, former = engine_of(body), awake(body)
    run(engine, 3.0)
    run(former, 3.0)
    assert lies(engine, "a")
    assert not lies(former, "a")
    assert former._model.data.ncon >= SPOTS
    assert engine.poses[0].tolist() == pytest.approx(former.poses[0].tolist(), abs=2e-4)


def test_a_push_moves_it_at_once_as_one_that_never_rested():
    """S-2."""
    engine, former = engine_of(DRUM), awake(DRUM)
    for version in (engine, former):
        run(version, 1.0)
        run(version, 0.5, ("drum", 15.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    assert engine.planar[0, 0] - 2.0 > 0.05
    assert engine.planar[0].tolist() == pytest.approx(former.planar[0].tolist(), abs=2e-3)
    run(engine, 2.0)
    assert lies(engine, "drum")


def test_a_lift_takes_it_off_the_floor():
    engine = engine_of(DRUM)
    run(engine, 1.0)
    run(engine, 1.0, ("drum", 0.0, 0.0, G + 1.0, 0.0, 0.0, 0.0))
    assert engine.height[0] == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("part", [0.5, 0.9])
def test_a_push_below_friction_leaves_it_where_it_is(part):
    engine = engine_of(thing("a", friction=0.6), floor_friction=1.0)
    run(engine, 1.0)
    run(engine, 2.0, ("a", part * 0.6 * G, 0.0, 0.0, 0.0, 0.0, 0.0))
    assert engine.planar[0, 0] == pytest.approx(0.0, abs=2e-3)


def test_a_push_just_above_friction_is_never_held():
    engine = engine_of(thing("a", friction=0.5), floor_friction=1.0)
    run(engine, 1.0)
    run(engine, 4.0, ("a", (0.5 + 0.01) * G, 0.0, 0.0, 0.0, 0.0, 0.0))
    # half of a t^2 with a = 0.01 g
    assert engine.planar[0, 0] == pytest.approx(0.5 * 0.01 * G * 16.0, rel=0.2)


def test_a_touch_wakes_it_and_pushes_it_on():
    engine = engine_of(robot("robot"), thing("crate", 0.8, mass=2.0, friction=0.3))
    run(engine, 1.0)
    assert lies(engine, "crate")
    launch(engine, "robot", vx=1.0)
    run(engine, 1.0)
    assert engine.planar[row(engine, "crate"), 0] > 0.9


def test_what_carries_something_else_does_not_rest():
    engine = engine_of(thing("low"), thing("high", z=0.4))
    run(engine, 2.0)
    assert not lies(engine, "low")
    assert not lies(engine, "high")
    assert pose(engine, "high")[2] == pytest.approx(0.4, abs=1e-3)


def test_what_rolls_stands_on_an_edge_or_slides_does_not_rest():
    engine = engine_of(
        thing("ball", kind="sphere"),
        thing("roller", 2.0, turn=(np.pi / 2, 0.0, 0.0), kind="cylinder", z=0.2, y=0.2),
        thing("slider", 0.0, 4.0, friction=0.0),
    )
    launch(engine, "slider", vx=0.01)
    run(engine, 2.0)
    assert not any(lies(engine, name) for name in engine.names)
    assert speed(engine, "slider") == pytest.approx(0.01, rel=0.1)


def test_a_tilted_floor_lets_nothing_lie():
    engine = engine_of(thing("a", friction=1.0), tilt=0.05)
    run(engine, 2.0)
    assert not lies(engine, "a")


def test_a_joint_wakes_what_it_holds_and_who_comes_beside_it_does_not():
    engine = engine_of(thing("a"), thing("b", 1.0))
    run(engine, 1.0)
    engine.add_all([thing("c", 5.0)])
    assert lies(engine, "a")
    engine.add_joint(JointSpec("j", "weld", "a", "b", (0.5, 0.0, 0.2)))
    assert not lies(engine, "a")
    assert not lies(engine, "b")
    run(engine, 1.0)
    assert not lies(engine, "a")
    assert lies(engine, "c")


def test_what_is_put_into_the_air_falls():
    engine = engine_of(thing("a"))
    run(engine, 1.0)
    engine.set_spatial_state(np.array([0]), np.array([[0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0]]), np.zeros((1, 6)))
    run(engine, 0.3)
    assert engine.height[0] == pytest.approx(1.0 - 0.5 * G * 0.09, abs=1e-6)


def test_what_is_hit_on_its_side_tips_over():
    engine = engine_of(thing("tall", size=(0.1, 0.1, 0.8), friction=1.0))
    run(engine, 1.0)
    assert lies(engine, "tall")
    run(engine, 0.5, ("tall", 0.0, 0.0, 0.0, 0.0, 1.5, 0.0))
    run(engine, 2.0)
    assert lean(engine, "tall") == pytest.approx(np.pi / 2, abs=0.05)


def test_skins_feel_the_floor_that_it_lies_on():
    engine, former = engine_of(DRUM), awake(DRUM)
    run(engine, 2.0)
    run(former, 2.0)
    felt, before = engine.contact_forces()[0], former.contact_forces()[0]
    assert felt[0] == SPOTS
    assert felt[1:].tolist() == pytest.approx([0.0, 0.0, G, 2.0, 0.0, 0.0], abs=1e-9)
    assert felt[3] == pytest.approx(before[3], rel=0.01)


def test_accelerations_of_what_lies_are_none():
    engine = engine_of(DRUM)
    run(engine, 2.0)
    assert not engine.accelerations.any()


def test_steps_from_python_are_those_of_the_kernel_bit_by_bit(monkeypatch):
    bodies = thing("a", 0.0, 0.0, 0.2), DRUM, robot("robot", 4.0), thing("wall", 5.0, mass=0.0)

    def driven():
        engine = engine_of(*bodies)
        run(engine, 1.0)
        run(engine, 0.3, ("a", 20.0, 0.0, 0.0, 0.0, 0.0, 0.0), ("drum", 1e-5, 0.0, 0.0, 0.0, 0.0, 0.0))
        run(engine, 1.0)
        return engine.poses.copy(), engine.twists.copy(), engine._state.rest.copy()

    compiled = driven()
    assert (compiled[2] == LYING).sum() == 2
    monkeypatch.setattr(compiled_step, "data_layout", lambda: None)
    assert all(np.array_equal(former, now) for former, now in zip(compiled, driven(), strict=True))


@pytest.mark.parametrize("seconds", [0.3, 0.45, 2.0])
def test_a_snapshot_goes_on_bit_by_bit_whether_it_lies_yet_or_not(seconds):
    engine = engine_of(DRUM, thing("a", 0.0, 0.0, 0.1))
    run(engine, seconds)
    following = MujocoEngine(WorldSpec(()))
    following.restore(engine.snapshot())
    assert np.array_equal(following._state.rest, engine._state.rest)
    for version in (engine, following):
        run(version, 1.0)
        run(version, 0.1, ("a", 20.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    assert following.snapshot() == engine.snapshot()


def test_snapshots_of_before_name_the_version_in_which_nothing_lay():
    former = awake(DRUM)
    run(former, 1.0)
    snapshot = former.snapshot()
    assert mark_of(snapshot, MUJOCO) == EngineMark(AWAKE, is_catching=True)
    assert mark_of(engine_of(DRUM).snapshot(), MUJOCO) == EngineMark(INTEGRATORS[0], is_catching=True)
    assert marked(MUJOCO, EngineMark(AWAKE)) == "coopsim mujoco 1 auto"  # as written by earlier versions
    engine = engine_of(DRUM)
    engine.restore(snapshot)
    assert engine.integrator == AWAKE
    run(engine, 1.0)
    run(former, 1.0)
    assert not lies(engine, "drum")
    assert engine.snapshot() == former.snapshot()


def test_the_former_version_is_no_choice_of_a_user():
    assert AWAKE not in MujocoEngine.integrators


def test_other_integrators_let_nothing_lie():
    for name in INTEGRATORS[1:]:
        engine = type("Other", (MujocoEngine,), {"integrator": name})(engine_of(DRUM)._world)
        run(engine, 1.0)
        assert not lies(engine, "drum")


def test_quadrotors_that_lie_rest_and_take_off(tmp_path: Path):
    (tmp_path / "empty.world").write_text("[FLOOR]\nsize 10 10 0.1\n")
    (tmp_path / "a.scenario").write_text(SCENE)
    simulation = Simulation(load(tmp_path / "a.scenario"))
    for _ in range(150):
        simulation.tick()
    assert lies(simulation.engine, "one")
    assert lies(simulation.engine, "two")
    simulation.command("one", "autopilot", AUTOPILOT.command("take_off").number, (1.0,))
    for _ in range(400):
        simulation.tick()
    assert simulation.engine.height[0] == pytest.approx(1.0, abs=0.1)
    assert lies(simulation.engine, "two")
