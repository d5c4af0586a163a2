"""Chains on the MuJoCo engine: links that move in the coordinates of their joints, and bodies that are bolted down."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from coopsim.engines import BodySpec, JointSpec, ShapeSpec, WorldSpec
from coopsim.errors import EngineCannot
from coopsim.features.space.engine import MujocoEngine

BASE = BodySpec("arm", (0, 0, 1, 1, 0, 0, 0), 5.0, (ShapeSpec("box", (0.2, 0.2, 0.2)),), is_bolted=True)
UPPER = BodySpec("arm.upper", (0, 0, 1.2, 1, 0, 0, 0), 2.0, (ShapeSpec("box", (0.1, 0.1, 0.4)),), part_of="arm")
LOWER = BodySpec("arm.lower", (0, 0, 1.6, 1, 0, 0, 0), 1.0, (ShapeSpec("box", (0.1, 0.1, 0.3)),), part_of="arm")
SHOULDER = JointSpec("arm.shoulder", "hinge", "arm", "arm.upper", (0, 0, 1.2), (0, 1, 0), is_chained=True, armature=0.1)
ELBOW = JointSpec("arm.elbow", "hinge", "arm.upper", "arm.lower", (0, 0, 1.6), (0, 1, 0), is_chained=True)
ARM = WorldSpec((BASE, UPPER, LOWER), (SHOULDER, ELBOW))
SAME = """<mujoco><option gravity="0 0 -9.81" timestep="0.005"/><worldbody><body pos="0 0 1.2">
<joint axis="0 1 0" armature="0.1"/><geom type="box" size=".05 .05 .2" pos="0 0 .2" mass="2" contype="0"/>
<body pos="0 0 .4"><joint axis="0 1 0"/><geom type="box" size=".05 .05 .15" pos="0 0 .15" mass="1" contype="0"/>
</body></body></worldbody></mujoco>"""


def rows(engine: MujocoEngine, *names: str) -> list[int]:
    return [list(engine.names).index(name) for name in names]


def test_a_chain_moves_as_the_same_one_written_for_mujoco() -> None:
    engine, model = MujocoEngine(ARM), mujoco.MjModel.from_xml_string(SAME)
    data = mujoco.MjData(model)
    for _ in range(60):
        engine.joint_effort[list(engine.joints).index("arm.shoulder")] = data.qfrc_applied[0] = 2.0
        engine.step(0.005)
        mujoco.mj_step(model, data)
    order = [list(engine.joints).index(name) for name in ("arm.shoulder", "arm.elbow")]
    mujoco.mj_kinematics(model, data)
    np.testing.assert_allclose(engine.joint_position[order], data.qpos, atol=1e-9)
    np.testing.assert_allclose(engine.poses[rows(engine, "arm.lower")[0]][:3], data.xpos[2], atol=1e-9)


def test_velocities_of_links_are_what_their_places_change_by() -> None:
    engine = MujocoEngine(ARM)
    for _ in range(40):
        engine.step(0.001)
    before, row = engine.poses.copy(), rows(engine, "arm.lower")[0]
    twist = engine.twists[row].copy()
    engine.step(0.001)
    centre = [0.0, 0.0, 0.15]
    moved = _at(engine.poses[row], centre) - _at(before[row], centre)
    np.testing.assert_allclose(moved / 0.001, 0.5 * (twist + engine.twists[row])[:3], atol=2e-3)


def test_what_is_bolted_stays_and_inverse_dynamics_hold_an_arm_still() -> None:
    engine = MujocoEngine(replace(ARM, bodies=(replace(BASE, pose=(0, 0, 1, 0.6, 0, 0.8, 0)), UPPER, LOWER)))
    for _ in range(200):
        engine.joint_effort[:] = engine.inverse_dynamics(np.zeros(2))
        engine.step(0.01)
    assert np.abs(engine.joint_position).max() < 1e-6
    np.testing.assert_allclose(engine.poses[rows(engine, "arm")[0]], (0, 0, 1, 0.6, 0, 0.8, 0), atol=1e-15)


def test_the_force_in_a_chained_joint_is_the_weight_of_what_hangs_on_it() -> None:
    engine = MujocoEngine(ARM)
    for _ in range(3):
        engine.joint_effort[:] = engine.inverse_dynamics(np.zeros(2))
        engine.step(0.01)
    force = dict(zip(engine.joints, engine.joint_state()[:, 5], strict=True))
    assert force["arm.shoulder"] == pytest.approx(3 * 9.81, abs=1e-3)
    assert force["arm.elbow"] == pytest.approx(9.81, abs=1e-3)


def test_a_snapshot_of_an_arm_in_motion_goes_on_bit_by_bit() -> None:
    crate = BodySpec("crate", (0.4, 0, 0, 1, 0, 0, 0), 1.0, (ShapeSpec("box", (0.2, 0.2, 1.2)),))
    engine = MujocoEngine(WorldSpec((*ARM.bodies, crate), ARM.joints))
    for _ in range(90):
        engine.joint_effort[:] = 1.0
        engine.step(0.01)
    kept, restored = engine.snapshot(), MujocoEngine(WorldSpec(()))
    for world_engine in (engine, restored):
        world_engine.restore(kept)
        for _ in range(60):
            world_engine.step(0.01)
    np.testing.assert_array_equal(engine.poses, restored.poses)
    assert engine.contacts().pairs.size or np.abs(engine.twists).max() > 0.0


def test_an_arm_that_is_put_elsewhere_keeps_its_posture() -> None:
    engine = MujocoEngine(ARM)
    for _ in range(40):
        engine.step(0.01)
    angles, poses = engine.joint_position.copy(), engine.poses.copy()
    poses[:, 0] += 2.0
    engine.set_spatial_state(np.arange(3), poses, np.zeros((3, 6)))
    np.testing.assert_allclose(engine.joint_position, angles, atol=1e-12)
    np.testing.assert_allclose(engine.poses, poses, atol=1e-9)
    engine.remove_joint("arm.elbow")
    engine.step(0.01)
    assert engine.joints == ("arm.shoulder",)


def test_a_body_that_goes_astray_stops_its_arm_alone() -> None:
    engine = MujocoEngine(ARM)
    row = rows(engine, "arm.lower")[0]

    def push() -> None:
        for _ in range(50):
            engine.wrench[row, 0] = 9e7
            engine.step(0.01)

    with pytest.raises(EngineCannot, match=r"arm\.\w+"):
        push()
    engine.step(0.01)
    assert np.isfinite(engine.poses).all()


@pytest.mark.parametrize(
    ("joint", "said"),
    [
        (replace(ELBOW, name="again", a="arm"), "which 'arm.elbow' holds already"),
        (replace(ELBOW, name="back", a="arm.lower", b="arm"), "closes a circle"),
    ],
)
def test_chains_that_cannot_be_are_refused(joint: JointSpec, said: str) -> None:
    with pytest.raises(EngineCannot, match=said):
        MujocoEngine(WorldSpec(ARM.bodies, (SHOULDER, ELBOW, joint)))


def _at(pose: np.ndarray, point: list[float]) -> np.ndarray:
    turned = np.zeros(3)
    mujoco.mju_rotVecQuat(turned, np.array(point), pose[3:].copy())
    return np.asarray(pose[:3] + turned)
