"""C-34: a composed object is one body in every engine; what is analytic is known."""

import math
from pathlib import Path

import numpy as np
import pytest

from coopsim.engines import PhysicsEngine
from coopsim.robots import load, load_type
from coopsim.robots.plain import from_plain, to_plain
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.simulation.snapshot import restore, snapshot
from coopsim.state.edits import Insert, Remove, Update

ENGINES = ("pymunk", "mujoco", "kinematic")
MASS, HEAD = 3.0, 2.0
HAMMER = """\
[OBJECT_1]
name     hammer
type     box
size     1 0.1 0.2
position {position}
mass     3
friction 0
part_1   cylinder 0.4 0.4 0.2  0.5 0 0  mass 2 color red
"""
CENTRE = HEAD * 0.5 / MASS
INERTIA = (MASS - HEAD) * (1.01 / 12.0 + CENTRE**2) + HEAD * (0.2**2 / 2.0 + (0.5 - CENTRE) ** 2)
_SET_VELOCITY = 10


def scene(folder: Path, position: str, engine: str, robot: str = "-4 -4 0") -> Simulation:
    """Return a simulation of a hammer and a robot."""
    (folder / "a.world").write_text(HAMMER.format(position=position))
    (folder / "a.scenario").write_text(f"[WORLD]\nfile a.world\n[ROBOT_1]\ntype single\nposition {robot}\n")
    return Simulation(load(folder / "a.scenario"), engine=engine)


def row_of(engine: PhysicsEngine, name: str) -> int:
    return list(engine.names).index(name)


@pytest.mark.parametrize("engine", ENGINES)
def test_mass_and_moment_of_inertia_follow_from_the_parts(tmp_path: Path, engine: str) -> None:
    simulation = scene(tmp_path, "0 0 0", engine)
    row = row_of(simulation.engine, "hammer")
    assert simulation.engine.mass[row] == MASS
    assert simulation.engine.inertia[row] == pytest.approx(INERTIA)
    assert list(simulation.engine.names) == ["hammer", "robot_1"]


@pytest.mark.parametrize("engine", ENGINES)
def test_it_turns_about_its_centre_of_mass(tmp_path: Path, engine: str) -> None:
    simulation = scene(tmp_path, "0 0 0", engine)
    row = row_of(simulation.engine, "hammer")
    simulation.engine.set_state(np.array([row]), np.array([[0.0, 0.0, 0.0, 0.0, 0.0, math.pi]]))
    for _ in range(100):
        simulation.engine.step(0.01)
    # half a turn puts the origin on the other side
    assert simulation.engine.planar[row, :2] == pytest.approx([2.0 * CENTRE, 0.0], abs=0.01)
    assert abs(simulation.engine.planar[row, 2]) == pytest.approx(math.pi, abs=0.01)


@pytest.mark.parametrize("engine", ENGINES)
def test_rays_see_the_parts_and_bumpers_feel_them(tmp_path: Path, engine: str) -> None:
    # the head alone is ahead of the robot, the handle ends beside it
    simulation = scene(tmp_path, "0.5 -0.5 0\norientation 0 0 90", engine, robot="-0.5 0 0")
    seen = float(simulation.reading("robot_1", "sonars").min())
    apply(simulation, Update("hammer", "part_1 none"))
    assert float(simulation.reading("robot_1", "sonars").min()) > seen + 0.1
    apply(simulation, Update("hammer", "part_1 cylinder 0.4 0.4 0.2  0.5 0 0  mass 2\nmass 1000\nfriction 1"))
    assert float(simulation.reading("robot_1", "sonars").min()) == pytest.approx(seen)
    touched = False
    for _ in range(200):
        simulation.command("robot_1", "motors", _SET_VELOCITY, (0.5, 0.0))
        simulation.tick()
        touched = touched or bool(simulation.reading("robot_1", "bumpers").any())
    assert touched
    radius = load_type("single").size[0] / 2.0
    assert simulation.engine.planar[row_of(simulation.engine, "robot_1"), 0] < 0.3 - radius + 0.05


def test_what_is_inserted_by_message_goes_on_from_a_snapshot_and_is_drawn(tmp_path: Path) -> None:
    simulation = scene(tmp_path, "0 0 0", "pymunk")
    apply(simulation, Remove("hammer"))
    apply(simulation, Insert(HAMMER.format(position="1 1 0")))
    drawn = simulation.layout.entity["hammer"].drawn()
    assert [(visual.shape, visual.pose[0], visual.color) for visual in drawn[1:]] == [
        ("cylinder", 0.5, (1.0, 0.0, 0.0))
    ]
    thing = simulation.scene.objects["hammer"]
    assert from_plain(to_plain(thing)) == thing
    saved = snapshot(simulation)
    simulation.tick()
    after = simulation.state_hash()
    restore(simulation, saved)
    simulation.tick()
    assert simulation.state_hash() == after
    assert simulation.engine.inertia[row_of(simulation.engine, "hammer")] == pytest.approx(INERTIA)


def test_the_friction_of_what_it_stands_on_brakes_it(tmp_path: Path) -> None:
    simulation = scene(tmp_path, "0 0 0", "pymunk")
    (body,) = simulation.scene.bodies_of(simulation.scene.objects["hammer"])
    assert (body.rolling, [shape.friction for shape in body.shapes]) == (0.0, [0.0, 0.0])
    apply(simulation, Update("hammer", "part_1 cylinder 0.4 0.4 0.2 0.5 0 0 friction 0.5"))
    (body,) = simulation.scene.bodies_of(simulation.scene.objects["hammer"])
    assert body.rolling == pytest.approx(0.5 * 0.16 / 0.26)
    apply(simulation, Update("hammer", "part_1 cylinder 0.4 0.4 0.2 0.5 0 0.2 friction 0.5"))
    (body,) = simulation.scene.bodies_of(simulation.scene.objects["hammer"])
    assert body.rolling == 0.0
