"""Ticks on MuJoCo as one compiled call: the same bits as those whose devices and engine are called from Python."""

from collections.abc import Callable

import numpy as np
import pytest
from simulation_scenes import make_spec

from coopsim.features.space.autopilot_interface import AUTOPILOT
from coopsim.features.space.potentials_interface import POTENTIALS
from coopsim.features.space.step_kernels import PARTS
from coopsim.features.studies import realtime
from coopsim.interfaces import GRIPPER, JOINTS
from coopsim.robots import load
from coopsim.scene import by_name
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.state.edits import AnyEdit, Insert, Remove, Reset, SetParameter, SetStep

ARMS = ("abb", "lwa", "mh5")
FOLDED = (0.4, 0.5, -0.3, 0.2, 0.9, 0.1)


class Pair:
    """A simulation whose ticks are compiled, and one whose ticks are not."""

    def __init__(self, make: Callable[[], Simulation]) -> None:
        self.compiled, self.plain = make(), make()
        self.plain.compiles = False

    def tick(self, count: int) -> None:
        for _ in range(count):
            for simulation in (self.compiled, self.plain):
                simulation.tick()
            assert self.compiled.state_hash() == self.plain.state_hash()
            assert np.array_equal(self.compiled.readings, self.plain.readings)

    def command(self, robot: str, module: str, number: int, values: tuple[float, ...] = ()) -> None:
        for simulation in (self.compiled, self.plain):
            simulation.command(robot, module, number, values)


@pytest.fixture
def arms() -> Pair:
    pair = Pair(lambda: Simulation(load("pick_and_place")))
    pair.tick(3)
    return pair


def test_arms_that_move_grasp_and_fall_have_the_same_bits(arms: Pair) -> None:
    for name in ARMS:
        arms.command(name, "joints", JOINTS.command("set_positions").number, FOLDED)
        arms.command(name, "gripper", GRIPPER.command("grasp").number)
    arms.tick(80)
    arms.command("abb", "joints", JOINTS.command("release").number)
    arms.command("lwa", "joints", JOINTS.command("set_velocities").number, (0.5, float("nan"), -0.2))
    arms.command("mh5", "joints", JOINTS.command("set_efforts").number, (20.0, -10.0))
    arms.tick(80)

    assert arms.compiled._compiled is not None
    assert arms.plain._compiled is None
    assert arms.compiled.engine._model.data.ncon > 0  # type: ignore[attr-defined]


def test_noise_of_a_tool_counts_from_the_tick_in_which_it_is_set(arms: Pair) -> None:
    for simulation in (arms.compiled, arms.plain):
        apply(simulation, SetParameter("abb", "pose", "noise", 0.01))
    before = arms.compiled.reading("abb", "pose").copy()
    arms.tick(20)

    assert np.abs(arms.compiled.reading("abb", "pose")[:3] - before[:3]).max() > 1e-3


def test_a_step_that_is_refused_is_told_and_the_arms_go_on(arms: Pair) -> None:
    for simulation in (arms.compiled, arms.plain):
        simulation.engine.joint_effort[0] = np.nan
        simulation.tick()
        (stumble,) = simulation.failures.stumbles
        assert "effort of joint" in stumble.text
    arms.tick(10)


def test_robots_on_wheels_have_the_same_bits_on_mujoco() -> None:
    pair = Pair(lambda: Simulation(make_spec(3), engine="mujoco"))
    for k, name in enumerate(sorted(pair.plain.layout.robot, key=by_name)):
        pair.command(name, "motors", 10, (0.5 - 0.1 * k, 0.2 * k))
    pair.tick(300)

    assert pair.compiled._compiled is not None


@pytest.fixture
def flyers() -> Pair:
    pair = Pair(lambda: Simulation(realtime.scene(5, "mujoco")))
    for k in range(5):
        pair.command(f"q{k + 1}", "autopilot", AUTOPILOT.command("take_off").number, (1.0 + 0.2 * k,))
    pair.tick(40)
    return pair


CUT = """\
[CLOTH_1]
name sheet
position 0 0 0.8
size 0.6 0.4
nodes 4 3

[JOINT_1]
type spring
name coil
bodies q1 q2
length 0.9
stiffness 900
damping 1
"""


def test_steps_that_are_cut_have_the_same_bits_and_sensors_the_time_of_the_whole(flyers: Pair) -> None:
    for simulation in (flyers.compiled, flyers.plain):
        apply(simulation, Insert(CUT))
    flyers.tick(30)
    for simulation in (flyers.compiled, flyers.plain):
        simulation.tick()
    assert flyers.compiled.engine._steps._words[PARTS] > 1  # type: ignore[attr-defined]
    assert np.array_equal(flyers.compiled.engine.accelerations, flyers.plain.engine.accelerations)
    assert flyers.compiled._compiled is not None
    for simulation in (flyers.compiled, flyers.plain):
        apply(simulation, Remove("coil"))
        apply(simulation, SetStep(0.002))
    flyers.tick(10)
    assert flyers.compiled._compiled is not None


def test_quadrotors_that_sense_and_keep_a_formation_have_the_same_bits(flyers: Pair) -> None:
    for k in range(5):
        flyers.command(f"q{k + 1}", "potentials", POTENTIALS.command("keep").number, (0.5 * k, 0.0, 1.0))
    flyers.tick(100)

    assert flyers.compiled._compiled is not None
    assert flyers.compiled.reading("q1", "range")[-1] > 0.0  # it measures ten times a second, and says how old that is
    assert flyers.compiled.reading("q1", "imu").all()


@pytest.mark.parametrize(
    "edit",
    [
        SetParameter("q1", "imu", "noise_rate", 0.0),
        SetParameter("q2", "range", "noise", 0.05),
        SetParameter("q3", "range", "rate", 25.0),
        SetParameter("q3", "range", "delay", 0.05),
        SetParameter("q4", "neighbours", "noise", 0.1),
        SetParameter("q5", "pose", "noise", 0.1),
        SetStep(0.01),
        Remove("q2"),
        Reset(),
    ],
    ids=str,
)
def test_what_changes_between_ticks_of_quadrotors_counts(flyers: Pair, edit: AnyEdit) -> None:
    for simulation in (flyers.compiled, flyers.plain):
        apply(simulation, edit)  # type: ignore[arg-type]
    flyers.tick(25)

    assert flyers.compiled._compiled is not None


@pytest.mark.parametrize("force", [float("nan"), 1e8])
def test_sensors_of_quadrotors_look_at_what_a_refused_step_left(flyers: Pair, force: float) -> None:
    for simulation in (flyers.compiled, flyers.plain):
        simulation.engine.wrench[3, 2] = force
    flyers.tick(10)

    assert len(flyers.compiled.failures.stumbles) == 1
