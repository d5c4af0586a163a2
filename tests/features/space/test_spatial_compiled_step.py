"""Steps of the MuJoCo engine as one call of a kernel: the bits of those that are made from Python."""

import numpy as np
import pytest
from spatial_standins import DT, engine_of, robot, thing

from coopsim.engines import JointSpec
from coopsim.errors import EngineCannot
from coopsim.features.space import addresses, compiled_step
from coopsim.features.space.addresses import data_layout
from coopsim.features.space.compiled_step import CompiledStep
from coopsim.features.space.step import PythonStep
from coopsim.kernels.native import is_possible
from coopsim.robots import load
from coopsim.simulation import Simulation


def crowd():
    """Return robots that rest and are pushed, a slope of boxes, balls, and a door: all that a step distinguishes."""
    bodies = [robot(f"robot{k}", 1.2 * k) for k in range(4)]
    bodies += [thing(f"box{k}", 0.1 * k, 3.0, 0.41 * k, friction=0.5) for k in range(4)]
    bodies += [
        thing("ball", 0.6, 0.0, 0.8, kind="sphere", restitution=0.6),
        thing("can", 5.0, 2.0, 0.3, kind="cylinder"),
    ]
    bodies += [thing("post", -3.0, 0.0, mass=0.0), thing("leaf", -2.5, 0.0, 0.1)]
    hinge = JointSpec("door", "hinge", "post", "leaf", (-2.75, 0.0, 0.2), axis=(0.0, 0.0, 1.0))
    return engine_of(*bodies, joints=(hinge,), floor_friction=0.4)


def driven(engine, steps=150):
    """Push bodies about and return all that a step writes."""
    pushes = np.random.default_rng(3).normal(0.0, 60.0, (steps, len(engine.names), 2))
    for k in range(steps):
        if k % 30 > 10:  # else they may come to rest
            engine.wrench[:, :2] = pushes[k]
            engine.joint_effort[:] = 3.0
        engine.step(DT, substeps=1 + k % 2)
    contacts = engine.contacts()
    return engine.planar, engine.poses, engine.twists, engine._state.rest, contacts.points, engine.accelerations


@pytest.fixture
def from_python(monkeypatch):
    """Have steps made from Python."""
    monkeypatch.setattr(compiled_step, "data_layout", lambda: None)


def test_kernels_reach_mujoco_wherever_they_can_be_called_by_address():
    assert (data_layout() is not None) == is_possible()
    assert isinstance(crowd()._steps, CompiledStep if is_possible() else PythonStep)


def test_nobody_looks_beyond_the_memory_of_mujoco_s_data(monkeypatch):
    monkeypatch.setattr(addresses, "_start", lambda array: -1 << 40)  # a MuJoCo that has it nowhere in its data
    assert data_layout.__wrapped__() is None


def test_steps_of_a_crowd_are_those_from_python_bit_by_bit(monkeypatch):
    compiled = crowd()
    monkeypatch.setattr(compiled_step, "data_layout", lambda: None)
    plain = crowd()
    assert isinstance(plain._steps, PythonStep)

    states, wanted = driven(compiled), driven(plain)

    assert len(wanted[4]) > 0
    for state, same in zip(states, wanted, strict=True):
        assert np.array_equal(state, same)


@pytest.mark.parametrize("scene", ["pick_and_place", "aerial_grasp", "door"])
def test_ticks_of_a_scene_have_the_same_hashes(scene, monkeypatch):
    hashes = []
    for layout in (data_layout, lambda: None):
        monkeypatch.setattr(compiled_step, "data_layout", layout)
        simulation = Simulation(load(scene), engine="mujoco")
        for _ in range(60):
            simulation.tick()
        hashes.append(simulation.state_hash())

    assert hashes[0] == hashes[1]


def wild_force(engine):
    engine.wrench[0, 1] = np.nan


def wild_effort(engine):
    engine.joint_effort[0] = np.inf


def far_away(engine):
    engine.set_state(np.array([2]), np.array([[1.0, 5.0, 0.0, 9.9e4, 0.0, 0.0]]))
    engine.wrench[2, 0] = 9.9e8


@pytest.mark.parametrize("wrong", [wild_force, wild_effort, far_away])
def test_a_step_that_is_refused_says_the_same(wrong, monkeypatch):
    refusals = []
    for layout in (data_layout, lambda: None):
        monkeypatch.setattr(compiled_step, "data_layout", layout)
        engine = crowd()
        engine.step(DT)
        before = engine.planar.copy()
        wrong(engine)
        with pytest.raises(EngineCannot) as refusal:
            engine.step(DT)
        refusals.append(str(refusal.value))
        assert not engine.wrench.any()
        assert not engine.joint_effort.any()
        assert np.array_equal(engine.planar[3:], before[3:])
        engine.step(DT)

    assert refusals[0] == refusals[1]


@pytest.mark.usefixtures("from_python")
def test_without_the_addresses_steps_are_made_from_python():
    assert isinstance(crowd()._steps, PythonStep)
