"""The same carried bar on every engine with joints."""

import numpy as np
import pytest
from engine_joints import carried_bar, drive

from coopsim import plugins


def _read_out(name, **settings):
    engine = plugins.load("engines", name)(carried_bar(**settings))
    drive(engine, 7.5)
    joints = engine.joint_state()
    return np.hypot(*joints[:, :2].T), np.hypot(*joints[:, 3:5].T)


@pytest.mark.parametrize(("stiffness", "damping"), [(4000.0, 400.0), (2000.0, 200.0)])
def test_supports_show_the_same_displacement_and_force_on_both_engines(stiffness, damping):
    ways, forces = _read_out("pymunk", stiffness=stiffness, damping=damping)
    other_ways, other_forces = _read_out("mujoco", stiffness=stiffness, damping=damping)

    assert forces.min() > 75.0
    assert other_ways == pytest.approx(ways, rel=0.02)
    assert other_forces == pytest.approx(forces, rel=0.02)


def test_a_rigid_pivot_shows_the_same_force_on_both_engines():
    _, forces = _read_out("pymunk", kind="pivot")
    _, spatial = _read_out("mujoco", kind="pivot")

    assert spatial == pytest.approx(forces, rel=0.02)
