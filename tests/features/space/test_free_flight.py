"""Free flight on both engines in space: falls and tumbling bricks against closed forms, at the steps of a run."""

import numpy as np
import pytest

from coopsim.engines import BodySpec, JointSpec, ShapeSpec, WorldSpec
from coopsim.engines.rotations import matrix
from coopsim.features.space.engine import MujocoEngine
from coopsim.features.space.flight.engine import FlightEngine

BRICK = BodySpec("brick", (0, 0, 4000, 1, 0, 0, 0), 2.0, (ShapeSpec("box", (0.4, 0.2, 0.1)),))
MOMENTS = 2.0 / 12.0 * np.array([0.2**2 + 0.1**2, 0.4**2 + 0.1**2, 0.4**2 + 0.2**2])
FOOT = BodySpec("foot", (9, 0, 0, 1, 0, 0, 0), 1.0, (ShapeSpec("box", (0.1, 0.1, 0.1)),), is_bolted=True)
ROD = BodySpec("rod", (9, 0, 0.1, 1, 0, 0, 0), 1.0, (ShapeSpec("box", (0.1, 0.1, 0.4)),))
ARM = JointSpec("swing", "hinge", "foot", "rod", (9, 0, 0.1), (0, 1, 0), is_chained=True)
Engine = MujocoEngine | FlightEngine


def alone(kind: str) -> Engine:
    if kind == "flight":
        return FlightEngine(WorldSpec((BRICK,)))
    # a world with a chain keeps bodies elsewhere
    return MujocoEngine(WorldSpec((BRICK, FOOT, ROD), (ARM,)) if kind == "beside an arm" else WorldSpec((BRICK,)))


def spun(engine: Engine) -> tuple[float, np.ndarray]:
    """Return energy of turning and angular momentum in the frame of the world."""
    row = list(engine.names).index("brick")
    turn = np.array(matrix(tuple(engine.poses[row, 3:].tolist())))
    speeds = turn.T @ engine.twists[row, 3:]
    return float(0.5 * MOMENTS @ speeds**2), turn @ (MOMENTS * speeds)


@pytest.mark.parametrize("kind", ["mujoco", "beside an arm", "flight"])
@pytest.mark.parametrize("step", [0.005, 0.02, 0.05])
def test_a_fall_of_a_second_is_that_of_the_closed_form(kind: str, step: float) -> None:
    engine = alone(kind)
    row = list(engine.names).index("brick")
    for _ in range(round(1.0 / step)):
        engine.step(step)
    assert engine.poses[row, 2] == pytest.approx(4000.0 - 0.5 * 9.81, abs=1e-9)


@pytest.mark.parametrize("kind", ["mujoco", "beside an arm", "flight"])
@pytest.mark.parametrize("step", [0.01, 0.02])
def test_a_brick_that_tumbles_keeps_its_energy_and_its_angular_momentum(kind: str, step: float) -> None:
    engine = alone(kind)
    row = np.array([list(engine.names).index("brick")])
    engine.set_spatial_state(row, engine.poses[row].copy(), np.array([[0, 0, 0, 0.01, 6.0, 0.01]]))
    energy, momentum = spun(engine)
    for _ in range(round(20.0 / step)):
        engine.step(step)
    after, turned = spun(engine)
    assert after == pytest.approx(energy, rel=1e-5)
    np.testing.assert_allclose(turned, momentum, atol=1e-3 * float(np.linalg.norm(momentum)))


@pytest.mark.parametrize("kind", ["mujoco", "flight"])
def test_a_constant_torque_turns_as_analysis_says(kind: str) -> None:
    engine = alone(kind)
    for _ in range(50):
        engine.wrench[0, 5] = 0.3
        engine.step(0.02)
    assert engine.twists[0, 5] == pytest.approx(0.3 / MOMENTS[2], rel=1e-9)
