"""Items of CoopDynSim on manipulators, with three arms that a control law drives in this process."""

from functools import partial

import numpy as np
import pytest

from coopsim.errors import BadArgument
from coopsim.features.laws import reach
from coopsim.features.laws.arm_kinematics import ArmKinematics, Reach
from coopsim.features.laws.reach import ReachParameters, postures
from coopsim.inprocess import LocalServer
from coopsim.interfaces.chain_text import Chain
from coopsim.robots import load, load_type
from coopsim.simulation import Simulation

ARMS = {"abb": "abb_irb_120", "lwa": "amtec_lwa_7dof", "mh5": "motoman_mh5"}
PLACE = (0.0, 0.45, 0.0)
"""Where the blocks are put down, seen from each arm [m]."""


def kinematics(kind: str) -> ArmKinematics:
    settings = {device.name: device.settings for device in load_type(kind).devices}
    return ArmKinematics(Chain.from_text(str(settings["pose"]["chain"])))


def test_c_50_and_c_81_three_arms_do_the_same_task_and_are_compared_by_reach_accuracy_and_time(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Pick up a block and put it down elsewhere: all reach it, all put it down within 2 cm, one takes longest."""
    spec = load("pick_and_place")
    simulation = Simulation(spec)
    points = next(entry.values[0] for entry in spec.scenario.controllers[0].entries if entry.key == "points")
    server = LocalServer(simulation, wait_for=tuple(ARMS), duration=15.0)
    codes = server.run(*(partial(reach.main, ["--robots", name, "--points", points]) for name in ARMS))
    said = sorted(line.split("tick ")[1] for line in capsys.readouterr().out.splitlines() if "at the last of 8" in line)
    names = list(simulation.engine.names)
    feet = {name: simulation.engine.poses[names.index(name), :3] for name in ARMS}
    blocks = {name: simulation.engine.poses[names.index(f"block_{name}"), :3] - feet[name] for name in ARMS}
    errors = {name: float(np.linalg.norm(block - PLACE)) for name, block in blocks.items()}
    assert (codes, len(said)) == ([0, 0, 0], 3)
    assert max(errors.values()) < 0.02, errors
    assert 500 < int(min(said, key=int)) < int(max(said, key=int)) < 1500


@pytest.mark.parametrize("kind", ARMS.values())
def test_inverse_kinematics_find_postures_within_the_limits_that_lead_there(kind: str) -> None:
    arm = kinematics(kind)
    low = np.array([joint.low for joint in arm.chain.joints])
    high = np.array([joint.high for joint in arm.chain.joints])
    chance = np.random.default_rng(3)
    for _ in range(5):
        place, _ = arm.tool_pose(chance.uniform(0.4 * low, 0.4 * high))
        x, y, z = place.tolist()
        posture = arm.solve(Reach((x, y, z)), np.zeros(low.size))
        assert ((posture >= low) & (posture <= high)).all()
        np.testing.assert_allclose(arm.tool_pose(posture)[0], place, atol=1e-4)


def test_a_place_out_of_reach_is_refused_with_what_is_missing() -> None:
    arm = kinematics("abb_irb_120")
    with pytest.raises(BadArgument, match=r"no posture of this arm within its limits brings the tool to 2 0 0.5 m"):
        arm.solve(Reach((2.0, 0.0, 0.5)), np.zeros(6))
    with pytest.raises(BadArgument, match="expected `x,y,z,open`"):
        postures(arm, ReachParameters(points="0.3,0,open"), np.zeros(6))
    with pytest.raises(BadArgument, match="facing is 'left'"):
        postures(arm, ReachParameters(facing="left"), np.zeros(6))


def test_a_text_that_is_no_chain_is_refused() -> None:
    with pytest.raises(BadArgument, match="expected the joints of a chain"):
        Chain.from_text("joint hinge 1 2; tool")
