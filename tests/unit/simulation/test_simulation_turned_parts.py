"""Parts of a composed object that are turned: what follows for mass, contacts, rays, looks and snapshots."""

import math
from pathlib import Path

import numpy as np
import pytest

from coopsim.engines import BodySpec, ShapeSpec
from coopsim.engines.plane.footprints import footprints
from coopsim.errors import CoopsimError
from coopsim.features.pictures.marks import footprint
from coopsim.features.space.solids import solid
from coopsim.geometry import quaternion, within
from coopsim.robots import load, load_type
from coopsim.robots.placed_solid import PlacedSolid
from coopsim.robots.plain import from_plain, to_plain
from coopsim.scene import Span
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.simulation.snapshot import restore, snapshot
from coopsim.state.edits import Update

ENGINES = ("pymunk", "mujoco", "kinematic")
THING = """\
[OBJECT_1]
name     thing
type     box
size     0.2 0.2 0.4
position 0 0 0
mass     {mass}
part_1   box 1 0.2 0.4  0.6 0 0  {turn}
"""
_AT = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


def scene(folder: Path, turn: str, *, engine: str = "pymunk", mass: float = 3.0, robot: str = "0.6 -1 0") -> Simulation:
    """Return a simulation of an object whose part is turned, and of a robot that looks to the left."""
    (folder / "a.world").write_text(THING.format(turn=turn, mass=mass))
    robots = f"[ROBOT_1]\ntype single\nposition {robot}\norientation 0 0 90\n"
    (folder / "a.scenario").write_text(f"[WORLD]\nfile a.world\n{robots}")
    return Simulation(load(folder / "a.scenario"), engine=engine)


@pytest.mark.parametrize("mass", [0.0, 3.0])
@pytest.mark.parametrize("engine", ENGINES)
def test_rays_meet_the_turned_part_where_it_is(tmp_path: Path, engine: str, mass: float) -> None:
    along = float(scene(tmp_path, "", engine=engine, mass=mass).reading("robot_1", "sonars").min())
    across = float(scene(tmp_path, "orientation 0 0 90", engine=engine, mass=mass).reading("robot_1", "sonars").min())
    assert along - across == pytest.approx(0.4, abs=1e-6)  # half of the length less half of the width


@pytest.mark.parametrize("mass", [0.0, 3.0])
def test_a_tilted_part_is_seen_by_rays_as_it_leans(tmp_path: Path, mass: float) -> None:
    upright = scene(tmp_path, "", engine="mujoco", mass=mass)
    leaning = scene(tmp_path, "orientation 30 0 0", engine="mujoco", mass=mass)
    before, after = (float(sim.reading("robot_1", "sonars").min()) for sim in (upright, leaning))
    # where the face 0.1 m before its middle is half way up the robot
    cos, sin, up = math.cos(math.radians(30.0)), math.sin(math.radians(30.0)), load_type("single").size[2] / 2.0
    nearer = 0.1 * cos + sin * (up + 0.1 * sin) / cos - 0.1
    assert before - after == pytest.approx(nearer, abs=1e-6)


@pytest.mark.parametrize("engine", ["pymunk", "kinematic"])
def test_engines_in_the_plane_refuse_a_tilted_part_in_words(tmp_path: Path, engine: str) -> None:
    with pytest.raises(CoopsimError, match=r"a\.world:1:1: the \w+ engine cannot hold 'thing': a part of it is tilted"):
        scene(tmp_path, "orientation 0 30 0", engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_robots_touch_it_where_it_is(tmp_path: Path, engine: str) -> None:
    simulation = scene(tmp_path, "orientation 0 0 90", engine=engine, mass=0.0)
    free = float(simulation.reading("robot_1", "sonars").min())
    for _ in range(300):
        simulation.command("robot_1", "motors", 10, (0.5, 0.0))
        simulation.tick()
    row = list(simulation.engine.names).index("robot_1")
    assert simulation.engine.planar[row, 1] + 1.0 == pytest.approx(free, abs=0.03)


def test_mass_follows_from_turned_parts_as_from_a_turned_whole() -> None:
    turn = quaternion(0.3, -0.7, 1.1)
    plain = solid(BodySpec("a", _AT, 2.0, (ShapeSpec("box", (1.0, 0.3, 0.2)),)), "mujoco")
    inside = solid(BodySpec("b", _AT, 2.0, (ShapeSpec("box", (1.0, 0.3, 0.2), turn=turn),)), "mujoco")
    axes = PlacedSolid.of("c", "box", (1.0, 0.3, 0.2), (0.0, 0.0, 0.0), (0.3, -0.7, 1.1), Span(), is_fixed=True).turn
    assert inside.inertia == pytest.approx(axes @ plain.inertia @ axes.T)
    assert inside.centre == pytest.approx((axes @ np.array(plain.centre)).tolist())


@pytest.mark.parametrize("kind", ["box", "cylinder", "sphere"])
def test_the_footprint_of_a_tilted_shape_is_the_rectangle_around_it(kind: str) -> None:
    size = (0.4, 0.4, 0.4) if kind == "sphere" else (0.6, 0.6, 1.0)
    place, turn = (0.2, -0.1, 0.3), quaternion(0.5, 0.2, 0.9)
    (seen,) = footprints(BodySpec("a", _AT, 1.0, (ShapeSpec(kind, size, position=place, turn=turn),)))
    points = np.array(list(footprint(kind, size, within(_AT, (*place, *turn)))))
    low, high = points.min(axis=0), points.max(axis=0)
    half = np.array([seen.half_length, seen.half_width or seen.half_length])
    assert np.array([seen.x, seen.y]) - half == pytest.approx(low, abs=2e-3)
    assert np.array([seen.x, seen.y]) + half == pytest.approx(high, abs=2e-3)


def test_it_is_drawn_kept_and_goes_on_from_a_snapshot(tmp_path: Path) -> None:
    for engine in ENGINES:
        simulation = scene(tmp_path, "orientation 0 0 30", engine=engine)
        thing = simulation.scene.objects["thing"]
        assert from_plain(to_plain(thing)) == thing
        drawn = simulation.layout.entity["thing"].drawn()[1]
        assert drawn.pose == pytest.approx((0.6, 0.0, 0.0, *quaternion(0.0, 0.0, math.radians(30.0))))
        saved = snapshot(simulation)
        simulation.tick()
        after = simulation.state_hash()
        restore(simulation, saved)
        simulation.tick()
        assert simulation.state_hash() == after


def test_a_message_turns_a_part(tmp_path: Path) -> None:
    simulation = scene(tmp_path, "")
    before = float(simulation.reading("robot_1", "sonars").min())
    apply(simulation, Update("thing", "part_1 box 1 0.2 0.4 0.6 0 0 orientation 0 0 90"))
    assert before - float(simulation.reading("robot_1", "sonars").min()) == pytest.approx(0.4, abs=1e-6)
    with pytest.raises(CoopsimError, match="tilted"):
        apply(simulation, Update("thing", "part_1 box 1 0.2 0.4 0.6 0 0 orientation 0 10 0"))
    assert before - float(simulation.reading("robot_1", "sonars").min()) == pytest.approx(0.4, abs=1e-6)
