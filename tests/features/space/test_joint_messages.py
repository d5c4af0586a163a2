"""Resistance of joints by messages over the network: damping, friction, springs, followers act as closed forms say."""

import math

import pytest

from coopsim.client import Client, connect
from coopsim.errors import BadFile, CoopsimError, EngineCannot, NoSuchName
from coopsim.testkit import Run

pytestmark = pytest.mark.integration
SCENE = "[ROBOT_1]\ntype single\nname robot1\n[SIMULATION]\nmode lockstep\nengine mujoco\nstep 0.01\n"
POST = "[OBJECT_1]\ntype box\nname {0}_post\nsize 0.1 0.1 0.1\nposition {1} 5 3\n"
# a bar of 0.5 m that sticks out along x from its post
BAR = "[OBJECT_1]\ntype box\nname {0}\nsize 0.5 0.1 0.1\nposition {2} 5 3\nmass 1\n"
LEVEL, UPRIGHT = "axis 0 1 0\n", "axis 0 0 1\n"
JOINTS = {
    "stiff": LEVEL + "friction 3",  # a little more than its weight, 1 kg at 0.3 m
    "slow": LEVEL + "damping 20",
    "mirrored": UPRIGHT + "follows slow_joint -1",
    "sprung": UPRIGHT + "stiffness 5\nrest 30\ndamping 5",
    "loose": LEVEL + "damping 0",
    "geared": UPRIGHT + "stiffness 5\nrest 30\narmature 1",
}
SECONDS, WEIGHT = 1.0, 9.81 * 0.3  # N m


def turn(sim: Client, name: str) -> tuple[float, float]:
    """Return by how much a bar hangs down, and by how much it is turned to the left [rad]."""
    _, _, _, w, x, y, z = sim.world.get(name).pose
    along = (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y))
    return -math.asin(along[2]), math.atan2(along[1], along[0])


def test_joints_that_messages_make_resist_as_they_say() -> None:
    with Run(SCENE) as run, connect(run.endpoint) as sim, sim.stepper(["robot1"]) as stepper:
        for place, (name, keys) in enumerate(JOINTS.items()):
            for text in (POST, BAR):
                sim.world.insert(text.format(name, 2.0 * place, 2.0 * place + 0.3))
            sim.world.join(f"{name}_joint", "hinge", f"{name}_post", name, keys)
        for tick in range(round(SECONDS / 0.01)):
            stepper.step([(0.0, 0.0)])
            if tick == 30:
                assert turn(sim, "loose")[0] > 0.8
        hangs = {name: turn(sim, name) for name in JOINTS}
        assert hangs["stiff"] == pytest.approx((0.0, 0.0), abs=2e-3)
        # overdamped: it sinks by its weight per damping, less what it has turned already
        assert hangs["slow"][0] == pytest.approx(WEIGHT / 20.0 * SECONDS, rel=0.05)
        assert hangs["mirrored"][1] == pytest.approx(-hangs["slow"][0], abs=2e-3)
        assert hangs["sprung"][1] == pytest.approx(math.radians(30.0) * (1.0 - math.exp(-SECONDS)), rel=0.05)
        swing = math.sqrt(5.0 / (1.0 + (0.5**2 + 0.1**2) / 12.0 + 0.3**2)) * SECONDS
        assert hangs["geared"][1] == pytest.approx(math.radians(30.0) * (1.0 - math.cos(swing)), rel=0.02)
        refused: list[tuple[str, type[CoopsimError], str]] = [
            ("damping -1", BadFile, "damping must lie within 0"),
            ("dampin 1", BadFile, "dampin → damping"),
            ("follows nobody", NoSuchName, "follows 'nobody', and there is no such joint"),
        ]
        for keys, error, said in refused:
            with pytest.raises(error, match=said):
                sim.world.join("more", "hinge", "stiff_post", "loose", keys)
        with pytest.raises(EngineCannot, match="the flight engine has no joints"):
            sim.world.set_engine("flight")
        sim.world.part("slow_joint")
        for _ in range(50):
            stepper.step([(0.0, 0.0)])
        assert sim.world.get("slow").pose[2] < 2.5
