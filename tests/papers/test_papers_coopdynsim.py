"""Items of CoopDynSim that no room proves by itself; the names of the tests say which."""

import configparser
import math
from pathlib import Path

import numpy as np
import pytest

from coopsim.engines import ShapeSpec
from coopsim.robots import check, load, load_type, world_spec
from coopsim.robots.bodies import object_body
from coopsim.scene import Object, ObjectPart
from coopsim.simulation import Simulation
from coopsim.simulation.options import SMALLEST_STEP, PhysicsOptions
from coopsim.simulation.pacing import Lateness, RealTime

ROOT = Path(__file__).parents[2]
ALONE = "[WORLD]\nfile empty\n[ROBOT_1]\ntype single\nname robot1\n"


def _alone(folder: Path, more: str = "") -> tuple[Simulation, int]:
    """Return a simulation of one robot, and the row of its body."""
    (folder / "a.scenario").write_text(ALONE + more)
    simulation = Simulation(load(folder / "a.scenario"))
    return simulation, simulation.layout.robots[0].body


class _Wall:
    """A clock that moves only when somebody sleeps or looks.

    Attributes:
        woken: When sleeps were over [ns].
    """

    def __init__(self) -> None:
        self.ns, self.woken = 0, list[int]()

    def now(self) -> int:
        self.ns += 1_000
        return self.ns

    def sleep(self, seconds: float) -> None:
        self.ns += round(seconds * 1e9)
        self.woken.append(self.ns)

    def wait(self, timeout_ns: int | None) -> bool:
        self.sleep((timeout_ns or 0) * 1e-9)
        return False

    def permitted(self) -> bool:
        return False


def test_c_26_physics_makes_a_hundred_steps_a_second_and_each_is_ten_milliseconds_of_motion(tmp_path: Path) -> None:
    simulation, row = _alone(tmp_path)
    wall = _Wall()
    pacer = RealTime(round(PhysicsOptions().step * 1e9), wall, Lateness(), wall.now, wall.sleep)
    simulation.engine.set_state(np.array([row]), np.array([[0.0, 0.0, 0.0, 0.4, 0.0, 0.0]]))
    simulation.command("robot1", "motors", 10, (0.4, 0.0))
    ticks = 0
    while wall.ns < 2_000_000_000:
        assert pacer.wait()
        simulation.tick()
        ticks += 1
    assert abs(ticks - 200) <= 1
    assert simulation.time == pytest.approx(2.0, abs=0.011)
    assert simulation.engine.planar[row, 0] == pytest.approx(0.8, abs=0.01)
    assert SMALLEST_STEP == 0.01


@pytest.mark.parametrize("step", [0.01, 0.025])
def test_c_31_in_simulated_time_a_step_is_as_long_as_it_is_said_to_be(tmp_path: Path, step: float) -> None:
    (tmp_path / "a.scenario").write_text(ALONE + f"[SIMULATION]\nstep {step}\nmode lockstep\n")
    simulation = Simulation(load(tmp_path / "a.scenario"))
    (row,) = (place.body for place in simulation.layout.robots)
    simulation.engine.set_state(np.array([row]), np.array([[0.0, 0.0, 0.0, 0.4, 0.0, 0.0]]))
    simulation.command("robot1", "motors", 10, (0.4, 0.0))
    for tick in range(1, 41):
        simulation.tick()
        assert simulation.time_ns == tick * round(step * 1e9)
    assert simulation.engine.planar[row, 0] == pytest.approx(40 * step * 0.4, rel=0.02)


def test_c_35_all_is_predefined_but_mass_comes_from_the_file(tmp_path: Path) -> None:
    world = tmp_path / "heavy.world"
    world.write_text(
        "[FLOOR]\nsize 9 9 0.1\n[WALL_1]\ntype box\nsize 1 1 1\nposition 0 0 0\norientation 0 0 0\nmass 7\n"
    )
    assert not check(str(world))
    given = object_body(Object("thing", "box", (1.0, 1.0, 1.0), (0.0, 0.0, 0.0), mass=7.0))
    assert (given.mass, given.shapes[0].friction) == (7.0, Object("x", "box", (1, 1, 1), (0, 0, 0)).friction)


def test_c_34_parts_of_an_object_have_mass_and_friction_of_their_own() -> None:
    head = ObjectPart("cylinder", (0.2, 0.2, 0.2), (0.5, 0.0, 0.0), mass=3.0, friction=0.9)
    grip = ObjectPart("box", (0.1, 0.1, 0.1), (0.9, 0.0, 0.0))
    body = object_body(
        Object("hammer", "box", (1.0, 0.1, 0.1), (0.0, 0.0, 0.0), mass=4.0, friction=0.2, parts=(head, grip))
    )
    assert [shape.friction for shape in body.shapes] == [0.2, 0.9, 0.2]
    assert [shape.position[0] for shape in body.shapes] == [0.0, 0.5, 0.9]
    assert body.shapes[1].share == pytest.approx(0.75)
    assert body.mass == 4.0


@pytest.mark.parametrize("heading", [0, 30, 45])
def test_c_39_c_41_the_chassis_is_a_cylinder_of_half_a_metre_wherever_it_is_touched(
    tmp_path: Path, heading: int
) -> None:
    wall = "[WALL_1]\ntype box\nsize 0.2 4 1\nposition 1 0 0\n"
    (tmp_path / "wall.world").write_text(wall)
    turn = math.radians(heading)
    (tmp_path / "a.scenario").write_text(ALONE.replace("empty", "wall.world") + f"orientation 0 0 {heading}\n")
    simulation = Simulation(load(tmp_path / "a.scenario"))
    row = simulation.layout.robots[0].body
    (hull,) = next(body for body in world_spec(simulation.spec).bodies if body.name == "robot1").shapes
    assert hull == ShapeSpec("cylinder", (0.5, 0.5, 0.3), load_type("single").friction)
    for _ in range(900):
        # pushed against the wall, without turning to it
        simulation.engine.wrench[row, 0] += 60.0
        simulation.engine.step(0.01)
    assert simulation.engine.planar[row, 0] == pytest.approx(0.9 - 0.25, abs=0.01)
    assert simulation.engine.planar[row, 2] == pytest.approx(turn, abs=0.2)


def test_c_42_c_43_it_has_eleven_distance_sensors_and_two_driven_wheels(tmp_path: Path) -> None:
    simulation, row = _alone(tmp_path)
    assert simulation.reading("robot1", "sonars").shape == (11,)
    for wheels, expected in (((0.2, 0.2), (0.2, 0.0)), ((-0.1, 0.1), (0.0, 0.1 / 0.18))):
        simulation.command("robot1", "motors", 11, wheels)
        for _ in range(200):
            simulation.tick()
        x, y, _, vx, vy, w = simulation.engine.planar[row]
        assert math.isfinite(x + y)
        assert (math.hypot(vx, vy), w) == pytest.approx(expected, abs=0.02)


def test_an_undriven_robot_rolls_on_and_only_its_wheels_stop_it(tmp_path: Path) -> None:
    """There are no casters and the floor does not brake: what stops a robot are its motors."""
    simulation, row = _alone(tmp_path, "[EVENT_1]\nat 0\nset robot1.motors.max_force 0\n")
    pushed = np.array([[0.0, 0.0, 0.0, 0.4, 0.0, 0.0]])
    simulation.engine.set_state(np.array([row]), pushed)
    for _ in range(200):
        simulation.tick()
    assert simulation.engine.planar[row, 3] == pytest.approx(0.4, abs=0.001)

    simulation, row = _alone(tmp_path)
    simulation.engine.set_state(np.array([row]), pushed)
    for _ in range(200):
        simulation.tick()
    assert abs(simulation.engine.planar[row, 3]) < 1e-3


def test_d_1_these_libraries_are_what_it_is_made_with() -> None:
    settings = configparser.ConfigParser()
    settings.read(ROOT / "setup.cfg", encoding="utf-8")
    needed = {line.partition(">=")[0] for line in settings["options"]["install_requires"].split()}
    assert {"pymunk", "pyzmq", "msgpack", "pyglet", "click"} <= needed


@pytest.mark.parametrize(
    ("name", "holds"),
    [
        ("coopsim", "*.py"),
        ("clients", "*/*"),
        ("worlds", "*.world"),
        ("scenarios", "*.scenario"),
        ("tests", "*/*"),
        ("recordings", "README.md"),
    ],
)
def test_d_2_the_top_level_is_that_of_the_design_card(name: str, holds: str) -> None:
    assert list((ROOT / name).glob(holds))
    assert (ROOT / "setup.cfg").is_file()
