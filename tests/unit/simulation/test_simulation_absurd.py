"""Scenes of absurd but finite numbers: refused with their place, or they stay finite, on every engine."""

import re

import numpy as np
import pytest

from coopsim.errors import BadFile, EngineCannot
from coopsim.robots import load
from coopsim.simulation import Simulation

MASSES = ("1e-9", "1e-6", "1", "1e4", "1e9")
SIDES = ("0.001", "0.05", "0.5", "30", "1e5")
FAR = ("0", "0.1", "-3", "99999")
SCENARIO = "[WORLD]\nfile absurd.world\n\n[ROBOT_1]\ntype single\nname robot1\nposition 0 0 0\n"


def absurd(generator: np.random.Generator) -> str:
    """Up to six things of every size and mass, one in the other, and a robot among them."""
    sections = ["[FLOOR]\nsize 20 20 0.1\n"]
    for k in range(int(generator.integers(1, 7))):
        kind, side = generator.choice(["box", "cylinder", "sphere"]), generator.choice(SIDES)
        size = f"{side} {side} {side if kind == 'sphere' else generator.choice(SIDES)}"
        place = " ".join(generator.choice(FAR, 2))
        sections.append(
            f"[OBJECT_{k + 1}]\ntype {kind}\nsize {size}\nposition {place} {generator.choice(['0', '0', '1', '50'])}\n"
            f"mass {generator.choice(MASSES)}\nfriction {generator.choice(['0', '0.6', '10'])}\n"
            f"restitution {generator.choice(['0', '0.5', '1'])}\n"
        )
    return "\n".join(sections)


@pytest.mark.parametrize("engine", ["pymunk", "kinematic", "mujoco"])
@pytest.mark.parametrize("seed", range(8))
def test_an_absurd_scene_is_refused_with_its_place_or_stays_finite(tmp_path, engine, seed):
    generator = np.random.default_rng(seed)
    (tmp_path / "absurd.world").write_text(absurd(generator))
    (tmp_path / "absurd.scenario").write_text(SCENARIO)
    refusal, simulation = "", None
    try:
        simulation = Simulation(load(tmp_path / "absurd.scenario"), engine=engine)
    except (BadFile, EngineCannot) as problem:
        refusal = str(problem)
    if simulation is None:
        assert re.search(r"absurd\.(world|scenario):\d+:\d+: ", refusal), refusal
        return
    for tick in range(60):
        if tick == 30:
            simulation.set_step(0.05)
        simulation.command("robot1", "motors", 10, (generator.choice([-100.0, 0.3, 100.0]), generator.uniform(-9, 9)))
        simulation.tick()
        simulation.engine.fill()
        assert np.isfinite(simulation.engine.poses).all()
        assert np.isfinite(simulation.engine.twists).all()
        assert np.isfinite(simulation.readings).all()
        assert np.abs(simulation.engine.planar[:, 3:5]).max() <= 1e6


def test_a_light_body_under_a_heavy_one_stays_finite(tmp_path):
    bodies = ("1e-9", 0.0), ("1e9", 0.4)
    things = [
        f"[OBJECT_{k}]\ntype box\nsize 0.4 0.4 0.4\nposition 3 0 {high}\nmass {mass}\n"
        for k, (mass, high) in enumerate(bodies)
    ]
    (tmp_path / "absurd.world").write_text("\n".join(things))
    (tmp_path / "absurd.scenario").write_text(SCENARIO)
    simulation = Simulation(load(tmp_path / "absurd.scenario"), engine="mujoco")
    for _ in range(100):
        simulation.tick()
    assert np.isfinite(simulation.engine.planar).all()
    assert np.abs(simulation.engine.planar[:, 3:5]).max() < 100.0
