"""Free motion is the same on every engine, once it is aligned by the lag of positions."""

import math

import numpy as np
import pytest

from coopsim.robots import load
from coopsim.simulation import Simulation


def _path(engine, seconds):
    """Return x and y of a robot with motors without limits that winds its way, shape (ticks, 2)."""
    simulation = Simulation(load("single"), engine=engine)
    motors = simulation.tables.blocks[0].devices["motors"]
    for name, value in (("max_force", 1e6), ("gain", 1e6), ("grip", 1e4)):
        motors.parameters[name][:] = value
        motors.changed(0, name)
    row, path = simulation.layout.robots[0].body, []
    for k in range(round(seconds * 100)):
        simulation.command("robot1", "motors", 10, (0.1, 0.2 * math.sin(0.001 * k)))
        simulation.tick()
        path.append(simulation.engine.planar[row, :2].copy())
    return np.array(path)[simulation.engine.position_lag :]


@pytest.mark.parametrize("engine", ["pymunk", "mujoco"])
def test_a_robot_with_unlimited_motors_goes_as_on_the_kinematic_engine(engine):
    reference, path = _path("kinematic", 20.0), _path(engine, 20.0)

    length = min(len(path), len(reference))
    apart = np.hypot(*(path[:length] - reference[:length]).T)
    assert np.hypot(*(reference[-1] - reference[0])) > 1.0
    assert apart.max() <= 1e-5
