"""Balls of worlds: their keys, and what robots do to them."""

import numpy as np
import pytest

from coopsim.errors import BadFile
from coopsim.robots import load
from coopsim.simulation import Simulation

WORLD = """[FLOOR]
size        40 40 0.1

[OBJECT_1]
type        {shape}
name        ball
size        0.2 0.2 0.2
position    0 0 0
mass        1
{key}
"""
SCENARIO = """[WORLD]
file        field.world

[ROBOT_1]
type        single
name        robot1
position    -1.5 0 0
"""


def scene(tmp_path, *, shape="sphere", key=""):
    (tmp_path / "field.world").write_text(WORLD.format(shape=shape, key=key))
    (tmp_path / "field.scenario").write_text(SCENARIO)
    return load(tmp_path / "field.scenario")


def kicked(spec, engine):
    """Return how far a ball comes that a robot drives into and stops, and how fast it is at most."""
    simulation, fastest = Simulation(spec, engine=engine), 0.0
    row = list(simulation.engine.names).index("ball")
    for tick in range(2000):
        simulation.command("robot1", "motors", 10, (0.4 if tick < 600 else 0.0, 0.0))
        simulation.tick()
        fastest = max(fastest, float(simulation.engine.planar[row, 3]))
    return float(simulation.engine.planar[row, 0]), fastest


def test_a_kicked_ball_rolls_as_far_on_pymunk_as_in_space(tmp_path):
    spec = scene(tmp_path)
    flat, space = kicked(spec, "pymunk"), kicked(spec, "mujoco")

    assert flat[0] == pytest.approx(space[0], rel=0.1)
    assert flat[0] > 2.0


def test_the_rolling_resistance_of_a_world_brakes_a_ball(tmp_path):
    assert kicked(scene(tmp_path, key="rolling 0.1"), "pymunk")[0] < kicked(scene(tmp_path), "pymunk")[0] - 0.5


def test_only_a_ball_has_a_rolling_resistance(tmp_path):
    with pytest.raises(BadFile, match=r"field\.world:10:13: rolling: a box does not roll"):
        scene(tmp_path, shape="box", key="rolling     0.1")


@pytest.mark.parametrize("engine", ["pymunk", "mujoco", "kinematic"])
def test_restitution_of_a_world_reaches_the_engine_and_is_kept(tmp_path, engine):
    spec = scene(tmp_path, key="restitution 0.5\nrolling 0.02")
    simulation = Simulation(spec, engine=engine)
    thing = simulation.scene.objects["ball"]

    assert (thing.restitution, thing.rolling) == (0.5, 0.02)
    body = next(body for body in simulation.scene.bodies if body.name == "ball")
    assert (body.shapes[0].restitution, body.rolling) == (0.5, 0.02)
    again = Simulation(spec, engine=engine)
    again.engine.restore(simulation.engine.snapshot())
    assert np.array_equal(again.engine.planar, simulation.engine.planar)
