"""On-board programs in a simulation: at step 3 of the tick, in the order of their data; each added in one file."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from simulation_scenes import make_spec

from coopsim import plugins
from coopsim.robots import RunSpec, load_type, plug
from coopsim.scene import Object, RobotPlacement, Scenario, World
from coopsim.simulation import Simulation
from coopsim.simulation.profiling import ProfiledSimulation
from coopsim.simulation.snapshot import restore, snapshot

BODY = "[ROBOT]\n[BODY]\ntype cylinder\nsize 0.4 0.4 0.3\nmass 10\n"
MOTORS = "[DEVICE_1]\ntype differential_drive\nname motors\n"
SONARS = "[DEVICE_2]\ntype sonars\nname sonars\n"
REFLEX = "[DEVICE_5]\ntype reflex\nname reflex\nnear 0.3\n"

SENSOR = """
from coopsim.devices.per_robot import PerRobot
from coopsim.interfaces import Command, Field, Interface
from coopsim.interfaces.sampling import sampling_parameters


class Height(PerRobot):
    interface = Interface("height", "", (Command(10, "height", gives=(Field("x", "m"),)),), sampling_parameters())

    def read(self, robot):
        return robot.x


PLUGINS = {"devices": {"height": Height}}
"""

PROGRAMS = """
import numpy as np
from coopsim.devices.program import OnBoardProgram
from coopsim.interfaces import Command, Field, Input, Interface, Output, Parameter

STATE = (Command(10, "state", gives=(Field("x", "1"),)),)


class Count(OnBoardProgram):
    interface = Interface("count", "", STATE, inputs=(Input("v", "motors"),))

    def __init__(self, rig):
        super().__init__(rig)
        self.memory["ticks"] = np.zeros((len(rig.robots), 1))

    def run(self, tick, dt):
        self.memory["ticks"] += 1
        self.readings[:] = self.memory["ticks"]


class Steer(OnBoardProgram):
    interface = Interface(
        "steer", "", STATE,
        (Parameter("count", str, "count", summary="", fixed=True), Parameter("fail", float, 0.0)),
        inputs=(Input("ticks", "count", "x"),), outputs=(Output("motors", "motors"),),
    )

    def run(self, tick, dt):
        self.readings[:] = self.ports.inputs["ticks"]
        everyone = np.ones(len(self.readings), bool)
        self.ports.outputs["motors"].give("set_velocity", (0.2, 0.0), robots=everyone, tick=tick)
        if self.parameters["fail"].any():
            self.ports.outputs["motors"].values("set_velocity")[:] = np.nan


PLUGINS = {"devices": {"count": Count, "steer": Steer}}
"""


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    yield
    for loose in plugins.loose_files():
        plugins.forget(loose.path)


def scene(folder: Path, *sections: str, robots: int = 1) -> RunSpec:
    """Return robots with these devices that stand before a wall at x = 1.05."""
    (folder / "own.robot").write_text("\n".join((BODY, *sections)), encoding="utf-8")
    wall = Object("wall_1", "box", (0.1, 20.0, 0.5), (1.1, 0.0, 0.0), is_wall=True)
    placed = tuple(RobotPlacement(f"robot{i + 1}", "own", (0.0, 1.5 * i, 0.0)) for i in range(robots))
    return RunSpec(Scenario(World(objects=(wall,)), robots=placed), {"own": load_type("own", folder=folder)})


def device(sim: Simulation, name: str):
    return sim.tables.blocks[0].devices[name]


def drive(sim: Simulation, number: int, values: tuple[float, float], ticks: int) -> None:
    sim.command("robot1", "motors", number, values)
    for _ in range(ticks):
        sim.tick()


@pytest.mark.parametrize(("number", "values"), [(10, (0.4, 0.0)), (11, (0.4, 0.4))])
def test_a_reflex_stops_before_a_wall_and_lets_the_robot_turn_and_back_off(tmp_path: Path, number, values) -> None:
    sim = Simulation(scene(tmp_path, MOTORS, SONARS, REFLEX))
    drive(sim, number, values, 400)
    assert 0.45 < sim.engine.planar[0, 0] < 0.6
    assert sim.reading("robot1", "reflex").tolist() == [1.0, 0.0]
    assert sim.reading("robot1", "motors")[0] == pytest.approx(0.0, abs=1e-3)
    drive(sim, 10, (0.4, 0.8), 100)
    assert sim.engine.planar[0, 2] == pytest.approx(0.8, abs=0.1)
    drive(sim, 10, (-0.3, 0.0), 150)
    assert sim.engine.planar[0, 0] < 0.4


def test_what_a_program_writes_is_not_what_the_client_commanded(tmp_path: Path) -> None:
    sim = Simulation(scene(tmp_path, MOTORS, SONARS, REFLEX))
    drive(sim, 10, (0.4, 0.0), 400)
    assert sim.commands[1:4].tolist() == [10, 0.4, 0.0]
    assert sim.tables.blocks[0].acting[0, 1:4].tolist() == [10, 0.0, 0.0]


def test_a_reflex_feels_by_its_bumpers_where_it_has_no_sonars(tmp_path: Path) -> None:
    bumpers = "[DEVICE_2]\ntype bumpers\nname touch\n"
    sim = Simulation(scene(tmp_path, MOTORS, bumpers, REFLEX.replace("near 0.3", "bumpers touch")))
    drive(sim, 10, (0.4, 0.0), 400)
    states = []
    for _ in range(20):
        sim.tick()
        states.append(float(sim.reading("robot1", "reflex")[0]))
    assert sim.engine.planar[0, 0] < 0.86
    assert max(states) == 1.0


def test_a_sensor_is_one_file_and_one_line(tmp_path: Path) -> None:
    (tmp_path / "height.py").write_text(SENSOR, encoding="utf-8")
    plug(tmp_path / "height.py")
    sim = Simulation(scene(tmp_path, MOTORS, "[DEVICE_2]\ntype height\nname height\nrate 50\n"))
    sim.command("robot1", "motors", 10, (0.4, 0.0))
    seen = []
    for _ in range(20):
        sim.tick()
        seen.append(float(sim.reading("robot1", "height")[0]))
    assert len(set(seen)) == 11  # a tick is half as long as a measurement takes
    assert seen[-1] == sim.engine.planar[0, 0] > 0.0


@pytest.fixture
def programs(tmp_path: Path) -> RunSpec:
    (tmp_path / "own.py").write_text(PROGRAMS, encoding="utf-8")
    plug(tmp_path / "own.py")
    # `steer` stands first and runs after the one whose reading it uses
    return scene(tmp_path, MOTORS, "[DEVICE_2]\ntype steer\n", "[DEVICE_3]\ntype count\n", robots=2)


def test_a_program_is_one_file_and_drives_alone_in_the_order_of_the_data(programs: RunSpec) -> None:
    sim = Simulation(programs)
    for tick in range(1, 101):
        sim.tick()
        assert sim.reading("robot2", "steer").tolist() == sim.reading("robot2", "count").tolist() == [tick]
    assert sim.engine.planar[:, 0] == pytest.approx([0.2, 0.2], abs=0.03)


def test_a_program_that_writes_nonsense_is_switched_off_and_the_client_drives(programs: RunSpec) -> None:
    sim = Simulation(programs)
    device(sim, "steer").parameters["fail"][1] = 1.0
    drive(sim, 10, (-0.2, 0.0), 50)
    (failure,) = sim.failures
    assert (failure.module, "a command or reading that is not finite" in failure.text) == ("steer", True)
    assert sim.engine.planar[0, 0] == pytest.approx(-0.1, abs=0.02)
    assert sim.reading("robot1", "count").tolist() == [50]


def test_programs_go_on_from_a_snapshot_bit_by_bit(programs: RunSpec) -> None:
    sim, restored = Simulation(programs), Simulation(programs)
    for _ in range(30):
        sim.tick()
    kept = snapshot(sim)
    restore(restored, kept)
    restore(sim, kept)
    for _ in range(30):
        sim.tick()
        restored.tick()
        assert sim.state_hash() == restored.state_hash()
    assert restored.reading("robot1", "steer").tolist() == [60]


def test_a_measured_run_counts_programs_as_commands(programs: RunSpec) -> None:
    sim, plain = ProfiledSimulation(programs), Simulation(programs)
    for _ in range(5):
        sim.tick()
        plain.tick()
        assert sim.state_hash() == plain.state_hash()
        sim.end_tick()
    assert sim.profile.devices["commands", "steer"] > 0


def test_robots_without_programs_act_on_the_very_commands_that_came() -> None:
    block = Simulation(make_spec()).tables.blocks[0]
    assert block.acting is block.commands
    assert not block.programs
    assert np.shares_memory(block.acting, block.commands)
