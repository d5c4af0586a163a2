"""Friction of the MuJoCo engine: in impacts and under what is pushed it is Coulomb's, and lifts nothing."""

import math
from dataclasses import replace

import numpy as np
import pytest
from spatial_standins import DT, G, launch, row, thing

from coopsim.engines import BodySpec, ShapeSpec, WorldSpec
from coopsim.engines.planar.engine import PymunkEngine
from coopsim.features.space.engine import MujocoEngine


def disc(name, x, y, friction):
    shape = ShapeSpec("cylinder", (0.4, 0.4, 0.3), math.sqrt(friction))
    return BodySpec(name, (x, y, 0.0, 1.0, 0.0, 0.0, 0.0), 1.0, (shape,))


@pytest.mark.parametrize(
    ("friction", "spin", "speed"),
    [(0.25, 10.0, 1.0), (0.49, 10.0, 1.0), (0.49, -10.0, 1.0), (1.0, 20.0, 1.0), (0.09, 10.0, 1.0), (0.49, 5.0, 0.3)],
)
def test_a_disc_that_spins_as_it_hits_another_obliquely_loses_what_friction_takes(friction, spin, speed):
    """It slides all the time: each gets friction times the normal impulse, m v cos(30 degrees) / 2, at its radius."""
    taken = {}
    for kind in (MujocoEngine, PymunkEngine):
        engine = kind(WorldSpec((disc("a", -1.0, 0.0, friction), disc("b", 0.0, 0.2, friction)), floor_friction=0.0))
        engine.set_state(np.array([0]), np.array([[-1.0, 0.0, 0.0, speed, 0.0, spin]]))
        for _ in range(round(1.5 / speed / DT)):
            engine.step(DT)
        taken[kind] = spin - engine.planar[0, 5]

    analytic = math.copysign(friction * 0.5 * speed * math.cos(math.radians(30.0)) * 0.2 / 0.02, spin)
    assert taken[PymunkEngine] == pytest.approx(analytic, rel=0.03)
    assert taken[MujocoEngine] == pytest.approx(analytic, rel=0.1)


def _parting(engine: MujocoEngine, step: float = 0.001) -> float:
    """Return how fast a disc of 1 m/s is after it has hit a fixed one [m/s]."""
    engine.set_state(np.array([row(engine, "a")]), np.array([[-0.5, 0.0, 0.0, 1.0, 0.0, 0.0]]))
    for _ in range(round(0.5 / step)):
        engine.step(step)
    return float(engine.planar[row(engine, "a"), 3])


def test_what_does_not_bounce_is_caught_in_short_steps_and_thrown_by_snapshots_of_before(monkeypatch):
    """S-2: realism of impacts."""
    world = WorldSpec((disc("a", -0.5, 0.0, 0.09), replace(disc("b", 0.0, 0.0, 0.09), mass=0.0)), floor_friction=0.0)
    engine = MujocoEngine(world)
    monkeypatch.setattr(MujocoEngine, "is_catching", False)
    former = MujocoEngine(world)
    snapshot = former.snapshot()
    monkeypatch.undo()
    assert b" catching" in engine.snapshot()[:90]
    assert b" catching" not in snapshot
    assert -0.08 < _parting(engine) < 0.0
    assert _parting(former) < -0.12  # a spring that just does not swing throws back 0.14
    for version in (engine, former):
        version.restore(snapshot)
    assert _parting(engine) == _parting(former) < -0.12
    assert b" catching" not in engine.snapshot()


@pytest.mark.parametrize("mass", [2.0, 12.0])
def test_a_pushed_crate_neither_chatters_nor_hops(mass):
    crate = thing("crate", 0.0, mass=mass, size=(0.5, 0.5, 0.4), friction=0.6)
    pusher = BodySpec(
        "pusher",
        (-0.6, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0),
        20.0,
        (ShapeSpec("cylinder", (0.5, 0.5, 0.3), 0.3),),
        wheeled=True,
    )
    engine = MujocoEngine(WorldSpec((crate, pusher), floor_friction=0.6))
    speeds, heights = [], []
    for step in range(600):
        engine.wrench[row(engine, "pusher"), 0] = 2000.0 * (0.4 - engine.planar[row(engine, "pusher"), 3])
        engine.step(DT)
        if step >= 200:
            speeds.append(engine.planar[row(engine, "crate"), 3])
            heights.append(engine.height[row(engine, "crate")])

    expected = 0.4 - 0.36 * mass * G / 2000.0
    assert np.mean(speeds) == pytest.approx(expected, rel=0.02)
    assert np.std(speeds) < 0.01 * np.mean(speeds)
    assert max(heights) < 1e-4


def test_a_crate_that_slides_is_braked_by_its_friction_and_stops():
    engine = MujocoEngine(WorldSpec((thing("crate", mass=5.0, friction=0.6),), floor_friction=0.6))
    launch(engine, "crate", vx=1.0)
    for _ in range(100):
        engine.step(DT)

    assert engine.planar[0, 0] == pytest.approx(1.0 / (2.0 * 0.36 * G), rel=0.04)
    assert abs(engine.planar[0, 3]) < 1e-3
