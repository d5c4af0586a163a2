"""Modules of arms: all joints at once, a gripper, and forward kinematics."""

import numpy as np
import pytest
from flying_scenes import flight

from coopsim.engines.rotations import turned
from coopsim.interfaces import GRIPPER, JOINTS
from coopsim.interfaces.chain_text import Chain
from coopsim.robots import load_type
from coopsim.simulation import Simulation

ARMS = ("abb_irb_120", "amtec_lwa_7dof", "motoman_mh5")
FLANGES = {"abb_irb_120": (0.374, 0, 0.63), "amtec_lwa_7dof": (0, 0, 1.1672), "motoman_mh5": (0.461, 0, 0.6799)}


def arms(*kinds: str, height: float = 0.0) -> Simulation:
    return flight(*((kind, kind, (0.0, 2.0 * k, height)) for k, kind in enumerate(kinds)), step=0.01)


def order(simulation: Simulation, robot: str, command: str, *values: float) -> None:
    module, interface = (
        ("joints", JOINTS) if command in {command.name for command in JOINTS.commands} else ("gripper", GRIPPER)
    )
    simulation.command(robot, module, interface.command(command).number, values)


def run(simulation: Simulation, ticks: int) -> None:
    for _ in range(ticks):
        simulation.tick()


def tip(simulation: Simulation, robot: str) -> np.ndarray:
    """Return where the tool is by the bodies of the engine, seen from the base, which is not turned."""
    engine = simulation.engine
    names = list(engine.names)
    palm, base = engine.poses[names.index(f"{robot}.palm")], engine.poses[names.index(robot)]
    w, x, y, z = palm[3:].tolist()
    return np.asarray(palm[:3] + turned((w, x, y, z), (0.0, 0.0, 0.1)) - base[:3])


def joints(simulation: Simulation, robot: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    positions, velocities, efforts = np.split(simulation.reading(robot, "joints"), 3)
    return positions, velocities, efforts


def test_an_arm_stands_where_its_data_says_and_holds_itself_without_a_command() -> None:
    simulation = arms(*ARMS)
    run(simulation, 50)
    for kind in ARMS:
        flange = np.array(FLANGES[kind])
        ahead = np.array([0.0, 0.0, 0.1] if kind == "amtec_lwa_7dof" else [0.1, 0.0, 0.0])
        np.testing.assert_allclose(simulation.reading(kind, "pose")[:3], flange + ahead, atol=1e-5)
        assert np.abs(joints(simulation, kind)[0]).max() < 1e-5


def test_arms_go_to_positions_and_hold_them_and_forward_kinematics_are_those_of_the_bodies() -> None:
    simulation, wanted = arms(*ARMS), [0.5, 0.4, -0.4, 0.6, 0.7, 1.0, 0.3]
    for kind in ARMS:
        order(simulation, kind, "set_positions", *wanted)
    fastest = dict.fromkeys(ARMS, 0.0)
    for _ in range(250):
        simulation.tick()
        for kind in ARMS:
            fastest[kind] = max(fastest[kind], float(np.abs(joints(simulation, kind)[1]).max()))
            np.testing.assert_allclose(simulation.reading(kind, "pose")[:3], tip(simulation, kind), atol=1e-9)
    for kind in ARMS:
        positions = joints(simulation, kind)[0]
        np.testing.assert_allclose(positions, wanted[: positions.size], atol=1e-3)
        assert 0.3 < fastest[kind] <= 7.4


@pytest.mark.parametrize("kind", ARMS)
def test_positions_velocities_and_efforts_stay_within_their_limits(kind: str) -> None:
    simulation = arms(kind, height=3.0)  # nothing is within reach
    chain = Chain.from_text(load_type(kind).devices[2].settings["chain"])
    for command, value in (("set_positions", 50.0), ("set_velocities", -40.0)):
        order(simulation, kind, command, *([value] * 8))
        for _ in range(450):
            simulation.tick()
            positions, velocities, efforts = joints(simulation, kind)
            assert np.isfinite(efforts).all()
            for joint, position, velocity in zip(chain.joints, positions, velocities, strict=True):
                assert joint.low - 0.02 <= position <= joint.high + 0.02, joint.name
                assert abs(velocity) <= joint.fastest * 1.1, joint.name
    order(simulation, kind, "set_positions", *([float("nan")] * 8))
    run(simulation, 5)
    assert not list(simulation.failures)


def test_a_gripper_closes_opens_and_says_when_it_holds_nothing() -> None:
    simulation = arms("abb_irb_120")
    order(simulation, "abb_irb_120", "set_opening", 0.03)
    run(simulation, 200)
    assert simulation.reading("abb_irb_120", "gripper")[0] == pytest.approx(0.03, abs=1e-4)
    order(simulation, "abb_irb_120", "grasp")
    run(simulation, 200)
    opening, force, holds = simulation.reading("abb_irb_120", "gripper")
    assert opening < 0.004
    assert force <= 40.0
    assert holds == 0.0


def test_a_released_arm_falls_and_an_effort_comes_on_top_of_what_holds_it() -> None:
    simulation = arms("abb_irb_120")
    order(simulation, "abb_irb_120", "set_efforts")
    run(simulation, 50)
    assert np.abs(joints(simulation, "abb_irb_120")[0]).max() < 1e-4
    order(simulation, "abb_irb_120", "release")
    run(simulation, 50)
    assert joints(simulation, "abb_irb_120")[0][1] > 0.1
