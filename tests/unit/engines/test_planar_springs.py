"""Springs under supports never blow up: the step is cut into parts, or refused with a cure."""

import numpy as np
import pytest
from engine_joints import carried_bar, drive, joint, pair
from engine_standins import DT, body, steps, where

from coopsim.engines import WorldSpec
from coopsim.engines.planar.engine import PymunkEngine
from coopsim.errors import EngineCannot


@pytest.mark.parametrize(
    ("stiffness", "damping", "carriage"),
    [(4000.0, 400.0, 2.0), (4000.0, 400.0, 0.5), (4000.0, 400.0, 0.02), (20000.0, 1000.0, 2.0), (4000.0, 0.0, 2.0)],
)
def test_a_carried_bar_stays_calm_whatever_its_springs(stiffness, damping, carriage):
    engine = PymunkEngine(carried_bar(stiffness=stiffness, damping=damping, carriage=carriage))

    drive(engine, 12.0)

    assert np.abs(engine.planar[:, 3:5]).max() < 0.5
    assert np.hypot(*engine.joint_state()[:, :2].T).max() <= 0.0601


@pytest.mark.parametrize("dt", [0.005, 0.01, 0.02, 0.05])
def test_a_spring_shows_the_same_force_at_any_step(dt):
    engine = pair("support", PymunkEngine, limit=0.06)
    for _ in range(round(4.0 / dt)):
        engine.wrench[:, 0] = -40.0, 40.0
        engine.step(dt)

    along, _, _, force, *_ = engine.joint_state()[0]

    assert along == pytest.approx(0.01, rel=1e-3)
    assert force == pytest.approx(-40.0, rel=1e-3)


def test_an_undamped_spring_swings_without_growing():
    engine = pair("support", PymunkEngine, stiffness=1000.0, damping=0.0)
    state = engine.planar.copy()
    state[:, 3] = -0.1, 0.1
    engine.set_state(np.arange(2), state)
    ways = []
    for _ in range(1000):
        engine.step(DT)
        ways.append(abs(engine.joint_state()[0, 0]))

    # half the mass of one body at twice the speed of each: x = v sqrt(m/k)
    expected = 0.2 * np.sqrt(10.0 / 1000.0)
    assert max(ways[:200]) == pytest.approx(expected, rel=0.15)
    assert max(ways[-200:]) == pytest.approx(max(ways[:200]), rel=0.1)


def test_a_spring_off_the_middle_keeps_momentum():
    bodies = body("a", mass=8.0), body("b", 1.0, 0.5, mass=3.0)
    engine = PymunkEngine(WorldSpec(bodies, (joint("support", anchor=(0.6, 0.3, 0.0), limit=0.2),)))
    state = engine.planar.copy()
    state[:, 3:] = [[0.3, -0.2, 1.0], [-0.2, 0.5, -2.0]]
    engine.set_state(np.arange(2), state)
    before = _momentum(engine)

    steps(engine, 500)

    assert _momentum(engine) == pytest.approx(before, abs=0.02)


def _momentum(engine):
    """Of both bodies and the carriage, which goes with the first."""
    _, _, yaw, vx, vy, w = where(engine, "a")
    x, y = 0.6 * np.cos(yaw) - 0.3 * np.sin(yaw), 0.6 * np.sin(yaw) + 0.3 * np.cos(yaw)
    return engine.mass @ engine.planar[:, 3:5] + 2.0 * np.array([vx - w * y, vy + w * x])


def test_springs_too_stiff_for_any_parts_are_refused_by_their_place_with_a_cure():
    engine = PymunkEngine(carried_bar(stiffness=1e9, damping=1e6, carriage=0.1))

    with pytest.raises(EngineCannot, match=r"^team\.world:7:1: .*too stiff for a step of 10 ms.*carriage heavier"):
        engine.step(DT)

    assert where(engine, "bar")[0] == 0.0


def test_a_step_that_is_refused_for_its_springs_forgets_what_was_to_push():
    engine = PymunkEngine(carried_bar(stiffness=1e9, damping=1e6, carriage=0.1))
    engine.wrench[:], engine.joint_effort[:] = 1.0, 1.0

    assert engine.step_calls(DT) is None
    with pytest.raises(EngineCannot):
        engine.step(DT)

    assert not engine.wrench.any()
    assert not engine.joint_effort.any()


def test_a_shorter_step_is_a_cure():
    engine = PymunkEngine(carried_bar(stiffness=1e6, damping=2e4, carriage=0.5))
    with pytest.raises(EngineCannot):
        engine.step(DT)

    engine.step(DT / 20)

    assert np.isfinite(engine.joint_state()).all()


def test_a_wrench_lasts_for_all_parts_and_no_longer():
    engine = pair("support", PymunkEngine, carriage=0.1, limit=0.06)
    engine.wrench[:, 1] = 20.0
    engine.step(DT)
    speed = (engine.mass @ engine.planar[:, 4]) / engine.mass.sum()
    steps(engine, 300)

    assert speed == pytest.approx(DT, rel=0.01)
    assert where(engine, "a")[4] == pytest.approx(DT, rel=0.05)
    assert where(engine, "b")[4] == pytest.approx(DT, rel=0.05)
