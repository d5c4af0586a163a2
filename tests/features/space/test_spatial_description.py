"""Large worlds on MuJoCo: bodies added in groups compile to the same bytes, and much faster."""

from pathlib import Path

import mujoco
import numpy as np
import pytest
from spatial_standins import engine_of, robot, run, thing

from coopsim.engines import BodySpec, JointSpec, ShapeSpec
from coopsim.errors import EngineCannot
from coopsim.features.space import description
from coopsim.features.space.binding import complaints

CORNERS = tuple(float(c) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (0.0, 0.2) for c in (x, y, z))


def arm(number):
    """Return a bolted foot, a link that hangs on it by a chained hinge, and the hinge."""
    x = 10.0 + 2.0 * number
    foot = BodySpec(f"foot{number}", (x, 0, 2, 1, 0, 0, 0), 1.0, (ShapeSpec("box", (0.1, 0.1, 0.1)),), is_bolted=True)
    rod = BodySpec(f"rod{number}", (x, 0, 1.6, 1, 0, 0, 0), 1.0, (ShapeSpec("box", (0.1, 0.1, 0.4)),))
    return foot, rod, JointSpec(f"swing{number}", "hinge", foot.name, rod.name, (x, 0, 2), (0, 1, 0), is_chained=True)


def mixed():
    """Return an engine with all kinds of bodies: groups end before hulls, and chains stay within one."""
    arms = [arm(number) for number in range(3)]
    hull = ShapeSpec("box", (0.2, 0.2, 0.2), points=CORNERS)
    bodies = [robot(f"robot{k}", k, 3.0, 0.1 * k) for k in range(4)]
    bodies += [thing(f"can{k}", k, 5.0, 0.2, turn=(0.1, 0.2, 0.3), kind="cylinder") for k in range(3)]
    bodies += [BodySpec(f"can{k}hull", (k, 7.0, 0.1, 1, 0, 0, 0), 1.0, (hull,)) for k in range(2)]
    bodies += [thing("wall", -3.0, mass=0.0), thing("leaf", -2.5)]
    bodies += [body for foot, rod, _ in arms for body in (foot, rod)]
    door = JointSpec("door", "hinge", "wall", "leaf", (-2.75, 0.0, 0.2), axis=(0.0, 0.0, 1.0))
    return engine_of(*bodies, joints=(door, *(hinge for _, _, hinge in arms)))


def compiled(engine, path: Path) -> bytes:
    mujoco.mj_saveModel(engine._ready().model, str(path))
    return path.read_bytes()


@pytest.fixture(params=[1, 2, 5, 64])
def grouped(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let small worlds be added in groups of a few."""
    monkeypatch.setattr(description, "_FEW", 0)
    monkeypatch.setattr(description, "MOST", request.param)


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, np.ndarray]:
    engine = mixed()
    model = compiled(engine, tmp_path_factory.mktemp("usual") / "a.mjb")
    run(engine, 0.5)
    return model, engine.poses.copy()


@pytest.mark.usefixtures("grouped")
def test_groups_compile_to_the_same_bytes_and_move_alike(usual: tuple[bytes, np.ndarray], tmp_path: Path) -> None:
    engine = mixed()
    assert compiled(engine, tmp_path / "a.mjb") == usual[0]
    run(engine, 0.5)
    assert np.array_equal(engine.poses, usual[1])


def test_a_large_world_is_added_in_groups_without_a_word(recwarn: pytest.WarningsRecorder) -> None:
    engine = engine_of(*(thing(f"can{k}", 0.5 * (k % 20), 0.5 * (k // 20), kind="cylinder") for k in range(300)))
    run(engine, 0.05)
    assert engine._model.model.nbody == 301
    assert not complaints
    assert not [str(warning.message) for warning in recwarn if "prefix" in str(warning.message)]


def test_names_in_a_large_world_are_still_told_apart() -> None:
    engine = engine_of(*(thing(f"can{k}", k) for k in range(260)))
    engine.add_all([thing("late", 0.0, 5.0)])
    run(engine, 0.02)
    assert engine.names[-1] == "late"
    assert engine.planar[-1, 1] == pytest.approx(5.0, abs=1e-6)
    with pytest.raises(EngineCannot, match="too light"):
        engine.add_all([thing("feather", mass=1e-16)])
