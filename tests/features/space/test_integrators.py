"""Integrators and substeps of engines: chosen by name, by files and while running, and kept by snapshots."""

import itertools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from coopsim.engines import BodySpec, JointSpec, ShapeSpec, WorldSpec
from coopsim.errors import EngineCannot
from coopsim.features.space import compiled_step
from coopsim.features.space.addresses import data_layout
from coopsim.robots import engine_type, load, unfit
from coopsim.simulation import Simulation
from coopsim.simulation.snapshot import restore, snapshot

BALL = BodySpec("ball", (0, 0, 0.5, 1, 0, 0, 0), 1.0, (ShapeSpec("sphere", (0.2, 0.2, 0.2), restitution=0.9**0.5),))
SLAB = BodySpec("slab", (0, 0, -0.1, 1, 0, 0, 0), 0.0, (ShapeSpec("box", (2, 2, 0.1001), restitution=0.9**0.5),))
FOOT = BodySpec("foot", (9, 0, 2, 1, 0, 0, 0), 1.0, (ShapeSpec("box", (0.1, 0.1, 0.1)),), is_bolted=True)
ROD = BodySpec("rod", (9, 0, 1.6, 1, 0, 0, 0), 1.0, (ShapeSpec("box", (0.1, 0.1, 0.4)),))
ARM = JointSpec("swing", "hinge", "foot", "rod", (9, 0, 2), (0, 1, 0), is_chained=True)
EVERY = ["mujoco", "mujoco+semi_implicit", "mujoco+implicitfast", "mujoco+rk4", "mujoco+rk4+3"]
WORLD = """[OBJECT_1]
type box
name brick
size 0.4 0.2 0.1
position 0 0 50
mass 2
"""
SCENE = """[WORLD]
file w.world
[SIMULATION]
engine mujoco
step 0.02
"""


def driven(engine, steps=120):
    for step in range(steps):
        engine.joint_effort[:] = 1.0 if step < 30 else 0.0
        engine.step(0.01)
    return engine.poses.copy()


@pytest.mark.parametrize("kind", EVERY)
def test_steps_of_every_integrator_are_those_from_python_bit_by_bit(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    world = WorldSpec((BALL, SLAB, FOOT, ROD), (ARM,))
    compiled = driven(engine_type(kind)(world))
    monkeypatch.setattr(compiled_step, "data_layout", lambda: None)
    assert np.array_equal(driven(engine_type(kind)(world)), compiled)
    assert data_layout() is not None


@pytest.mark.parametrize("kind", [*EVERY, "flight", "flight+semi_implicit"])
def test_a_snapshot_keeps_the_integrator_whoever_goes_on_from_it(kind: str) -> None:
    world = WorldSpec((BALL, SLAB) if kind.startswith("flight") else (BALL, SLAB, FOOT, ROD))
    engine, base = engine_type(kind)(world), kind.split("+", maxsplit=1)[0]
    for _ in range(20):
        engine.step(0.01)
    following = engine_type(base)(WorldSpec(()))
    following.restore(engine.snapshot())
    assert following.integrator == engine.integrator
    assert following.snapshot() == engine.snapshot()


def test_runge_kutta_swings_as_a_fine_integration_and_others_do_not() -> None:
    angles = {}
    for kind in ("mujoco", "mujoco+8", "mujoco+rk4"):
        engine = engine_type(kind)(WorldSpec((FOOT, ROD), (ARM,)))
        driven(engine, 200)
        angles[kind] = float(engine.joint_position[0])
    fine = engine_type("mujoco+rk4+20")(WorldSpec((FOOT, ROD), (ARM,)))
    driven(fine, 200)
    off = {kind: abs(angle - float(fine.joint_position[0])) for kind, angle in angles.items()}
    assert off["mujoco+rk4"] < 1e-5
    assert off["mujoco"] > 100.0 * off["mujoco+rk4"]
    assert off["mujoco+8"] < 0.2 * off["mujoco"]


@pytest.mark.parametrize("step", [0.002, 0.01, 0.02])
def test_what_rebounds_gains_no_height(step: float) -> None:
    engine, highest, heights = engine_type("mujoco")(WorldSpec((BALL, SLAB))), 0.0, []
    for _ in range(round(3.0 / step)):
        engine.step(step)
        heights.append(float(engine.height[0]))
        highest = max(highest, heights[-1])
    tops = [b for a, b, c in zip(heights, heights[1:], heights[2:], strict=False) if a < b >= c]
    assert highest < 0.5
    assert all(later < former for former, later in itertools.pairwise(tops))
    assert tops[0] == pytest.approx(0.405, abs=0.06)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("mujoco+rk5", "the engine mujoco has no integrator 'rk5'"),
        ("pymunk+rk4", "the engine pymunk has no integrator 'rk4'; it has: auto"),
        ("mujoco+65", "substeps are 1 to 64"),
        ("mujoco+0", "substeps are 1 to 64"),
    ],
)
def test_options_that_an_engine_does_not_have_are_refused(name: str, said: str) -> None:
    with pytest.raises(EngineCannot) as problem:
        engine_type(name)
    assert said in str(problem.value)


def test_a_file_chooses_integrator_and_substeps(tmp_path: Path) -> None:
    path = tmp_path / "a.scenario"
    (tmp_path / "w.world").write_text(WORLD)
    path.write_text(SCENE + "integrator semi_implicit\nsubsteps 2\n")
    run = Simulation(load(path))
    assert (run.engine_name, run.engine.integrator) == ("mujoco+semi_implicit+2", "semi_implicit")
    for _ in range(50):
        run.tick()
    # velocities first, in steps of 10 ms: the sum of n steps is n (n + 1) / 2
    assert run.engine.height[0] == pytest.approx(50.0 - 9.81 * 1e-4 * 100 * 101 / 2, abs=1e-9)
    run.exchange("mujoco+rk4")
    begun = snapshot(run)
    for _ in range(20):
        run.tick()
    poses = run.engine.poses.copy()
    restore(run, begun)
    for _ in range(20):
        run.tick()
    assert np.array_equal(run.engine.poses, poses)


@pytest.mark.parametrize(
    "change",
    [
        Simulation.start_over,
        Simulation.put_back_poses,
        lambda run: run.load(run.spec),
        lambda run: run.change(replace(run.scene, floor=replace(run.scene.floor, orientation=(0.0, 5.0, 0.0)))),
    ],
    ids=["reset", "poses", "load", "floor"],
)
def test_a_recording_of_an_earlier_version_keeps_its_integrator_whatever_is_put_back(
    change: Callable[[Simulation], object], tmp_path: Path
) -> None:
    path = tmp_path / "a.scenario"
    (tmp_path / "w.world").write_text(WORLD)
    path.write_text(SCENE)
    former, run = Simulation(load(path), engine="mujoco+semi_implicit"), Simulation(load(path))
    run.engine.restore(former.engine.snapshot())  # names no integrator, as those of earlier versions
    change(run)
    assert (run.engine_name, run.engine.integrator) == ("mujoco", "semi_implicit")
    run.tick()
    former.tick()
    assert run.engine.height[0] == former.engine.height[0]


def test_a_wrong_integrator_of_a_file_is_told_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "a.scenario"
    (tmp_path / "w.world").write_text(WORLD)
    path.write_text(SCENE + "integrator rk5\n")
    spec = load(path)
    (flaw,) = unfit(spec, spec.scenario.settings.physics)
    assert f"{path}:6:12" in flaw
    assert "has no integrator 'rk5'" in flaw
