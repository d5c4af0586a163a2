"""Balls: they roll on every engine, and are thrown back as their restitution says."""

import numpy as np
import pytest

from coopsim.engines import BodySpec, ShapeSpec, WorldSpec
from coopsim.engines.planar.engine import PymunkEngine
from coopsim.features.kinematic.engine import KinematicEngine
from coopsim.features.space.engine import MujocoEngine

G, ROLLING = 9.81, 0.02
ENGINES = [PymunkEngine, KinematicEngine, MujocoEngine]


def ball(name, x=0.0, *, mass=1.0, rolling=ROLLING, restitution=0.0):
    shape = ShapeSpec("sphere", (0.2, 0.2, 0.2), 0.6, restitution)
    return BodySpec(name, (x, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), mass, (shape,), rolling)


def launch(engine, name, vx):
    row = list(engine.names).index(name)
    state = engine.planar[row].copy()
    state[3] = vx
    engine.set_state(np.array([row]), state[np.newaxis])


def run(engine, seconds):
    for _ in range(round(seconds / 0.01)):
        engine.step(0.01)


def speeds(engine):
    return dict(zip(engine.names, engine.planar[:, 3].tolist(), strict=True))


@pytest.mark.parametrize("kind", ENGINES)
def test_a_ball_rolls_on_and_slows_by_its_rolling_resistance(kind):
    engine = kind(WorldSpec((ball("ball"),)))
    launch(engine, "ball", 1.0)
    run(engine, 1.0)
    before = speeds(engine)["ball"]
    run(engine, 2.0)

    assert before > 0.55
    assert before - speeds(engine)["ball"] == pytest.approx(2.0 * 5.0 / 7.0 * ROLLING * G, rel=0.01)


@pytest.mark.parametrize("kind", ENGINES)
def test_a_ball_with_the_most_resistance_comes_to_rest(kind):
    engine = kind(WorldSpec((ball("ball", rolling=0.2),)))
    launch(engine, "ball", 1.0)
    run(engine, 3.0)

    assert abs(speeds(engine)["ball"]) < 1e-3


@pytest.mark.parametrize("kind", [PymunkEngine, KinematicEngine])
def test_a_push_moves_seven_fifths_of_the_mass_of_a_ball(kind):
    engine = kind(WorldSpec((ball("ball", mass=2.0, rolling=0.0),)))
    for _ in range(100):
        engine.wrench[0, 0] = 1.4
        engine.step(0.01)

    assert speeds(engine)["ball"] == pytest.approx(0.5)
    assert engine.mass.tolist() == [2.0]


@pytest.mark.parametrize("kind", [PymunkEngine, MujocoEngine])
def test_balls_part_as_their_restitutions_say(kind):
    bodies = ball("left", -0.12, restitution=0.9, rolling=0.0), ball("right", 0.12, restitution=0.9, rolling=0.0)
    engine = kind(WorldSpec(bodies, floor_friction=0.0))
    launch(engine, "left", 1.0)
    run(engine, 0.15)

    parted = speeds(engine)["right"] - speeds(engine)["left"]
    assert parted == pytest.approx(0.81, abs=0.12)


@pytest.mark.parametrize("kind", [PymunkEngine, MujocoEngine])
def test_a_box_slides_as_before(kind):
    box = BodySpec("box", (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), 1.0, (ShapeSpec("box", (0.2, 0.2, 0.2), 0.6),), 0.36)
    engine = kind(WorldSpec((box,), floor_friction=0.6))
    launch(engine, "box", 1.0)
    run(engine, 1.0)

    assert engine.planar[0, 0] == pytest.approx(1.0 / (2.0 * 0.36 * G), rel=0.06)
