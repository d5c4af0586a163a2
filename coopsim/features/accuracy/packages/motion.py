"""Motion of described robots without any command: on our engine, in bare MuJoCo, and in PyBullet."""

import contextlib
import importlib
import math
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from coopsim.features.models.inertias import LEAST, LIGHT
from coopsim.geometry import Floats
from coopsim.kernels.constants import GRAVITY
from coopsim.robots import load
from coopsim.scene import Problems
from coopsim.scene.xml_nodes import read_xml_file
from coopsim.simulation import Simulation

STEP = 1e-3  # s; short, so that what differs is the model and not how it is integrated
SAMPLES, BETWEEN = 10, 100
"""Instants at which frames are compared, and steps from each to the next: one second in all."""
_CALM, MOST_PARTS, BEYOND = 0.2, 50, 15
"""Part of a velocity that damping takes in a step of PyBullet at most; parts of a step; and of one that those would not
calm either: links without weight, whose motion says nothing. More parts moved no link by a hundredth of its way."""
_ITERATIONS, _LEAST = 50, 10
"""Of PyBullet's solver in a step, as it has them, and in a short part of one, which begins near its end."""
_NEAR_STOP = 1e-3  # rad, m
_ALOFT = 100.0  # m; nothing is met there in a second
_WORLD = "[ROBOT_1]\ntype subject\nname r\nposition {:.12g} {:.12g} {:.12g}\n[SIMULATION]\nengine mujoco\nstep 0.001\n"


@dataclass(frozen=True, slots=True)
class Motion:
    """Frames of links at the start and at each sample.

    Attributes:
        names: Of the links.
        frames: Place and quaternion w x y z, shape (samples + 1, links, 7).
        meets_stops: Whether a joint is at a limit of its own at a sample; in PyBullet alone.
    """

    names: tuple[str, ...]
    frames: Floats
    meets_stops: bool = False

    def height(self) -> Floats:
        """Return the mean height of the links, shape (samples + 1,) [m]."""
        heights: Floats = self.frames[:, :, 2]
        mean: Floats = heights.sum(axis=1) / max(heights.shape[1], 1)
        return mean


def our_motion(
    path: Path,
    at: tuple[float, float, float] = (0.0, 0.0, _ALOFT),
    free: bool | None = None,
    problems: Problems | None = None,
) -> Motion:
    """Return how a robot moves here.

    Args:
        path: Its description.
        at: Where its base is [m].
        free: Whether the base moves; None = as the model says.
        problems: Takes warnings of the model.

    Raises:
        CoopsimError: It cannot be read or built.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        freedom = "" if free is None else f"free {'yes' if free else 'no'}\n"
        (folder / "subject.robot").write_text(f"[ROBOT]\nmodel {path}\n{freedom}", encoding="utf-8")
        (folder / "run.scenario").write_text(_WORLD.format(*at), encoding="utf-8")
        engine: Any = Simulation(load(folder / "run.scenario", problems=problems)).engine
        rows = [row for row, link in enumerate(engine.names) if link.startswith("r.")]
        frames = [engine.poses[rows].copy()]
        for _ in range(SAMPLES):
            engine.step(BETWEEN * STEP, BETWEEN)
            engine.fill()
            frames.append(engine.poses[rows].copy())
        return Motion(tuple(engine.names[row].removeprefix("r.") for row in rows), np.array(frames))


def mujoco_motion(path: Path, *, is_aloft: bool) -> tuple[Motion, Floats | None]:
    """Return how an MJCF model moves in bare MuJoCo with its own solver, motors off; and where its one free body is.

    Args:
        path: The model.
        is_aloft: Whether nothing touches anything; else it has its own contacts, and a floor if it had none.

    Raises:
        Exception: MuJoCo refuses it.
    """
    from coopsim.features.space.binding import mujoco  # an extra

    spec = mujoco.MjSpec.from_file(str(path))
    spec.compiler.fusestatic = False
    kinds = {geom.type for geom in spec.worldbody.geoms}
    if not is_aloft and not kinds & {mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_HFIELD}:
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0.0, 0.0, 1.0])
    model = spec.compile()
    model.opt.timestep = STEP
    # how heavy things are is the world's, which here is the Earth's; some arms are balanced by switching it off
    model.opt.gravity = (0.0, 0.0, -GRAVITY)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_ACTUATION
    if is_aloft:
        model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    frames = [np.hstack([data.xpos[1:], data.xquat[1:]])]
    for _ in range(SAMPLES):
        mujoco.mj_step(model, data, BETWEEN)
        mujoco.mj_forward(model, data)
        frames.append(np.hstack([data.xpos[1:], data.xquat[1:]]))
    free = np.flatnonzero(model.jnt_type == mujoco.mjtJoint.mjJNT_FREE)
    place = frames[0][int(model.jnt_bodyid[free[0]]) - 1, :3].copy() if len(free) == 1 else None
    return Motion(tuple(model.body(k).name for k in range(1, model.nbody)), np.array(frames)), place


def bullet_motion(path: Path, *, is_aloft: bool) -> tuple[Motion, Floats]:
    """Return how a URDF or SDF model moves in PyBullet, motors off; and where its base is put.

    Args:
        path: The model.
        is_aloft: Whether its base is held and nothing touches anything; else it is dropped on a floor from where it
            touches that.

    Raises:
        Exception: PyBullet refuses it.
    """
    bullet = importlib.import_module("pybullet")
    with quiet():
        client = bullet.connect(bullet.DIRECT)
        try:
            return _dropped(bullet, path, is_aloft=is_aloft)
        finally:
            bullet.disconnect(client)


def _dropped(bullet: Any, path: Path, *, is_aloft: bool) -> tuple[Motion, Floats]:
    bullet.setAdditionalSearchPath(str(path.parent))
    bullet.setGravity(0.0, 0.0, -GRAVITY)
    bullet.setTimeStep(STEP)
    if path.suffix == ".sdf":
        robot = bullet.loadSDF(str(path))[0]
        # a robot is where it is put, wherever its model would stand in a world
        bullet.resetBasePositionAndOrientation(robot, bullet.getDynamicsInfo(robot, -1)[3], (0, 0, 0, 1))
    else:
        # inertias as the file says: else PyBullet makes its own of the shapes
        robot = bullet.loadURDF(str(path), useFixedBase=is_aloft, flags=bullet.URDF_USE_INERTIA_FROM_FILE)
    joints = range(bullet.getNumJoints(robot))
    massless = massless_links(path)
    for joint in range(-1, len(joints)):
        # PyBullet damps every link by 4 % a second unless told otherwise
        bullet.changeDynamics(robot, joint, linearDamping=0.0, angularDamping=0.0)
        # and gives 1 kg and 1 kg m2 to each link of which URDF says that it has none
        if joint >= 0 and bullet.getJointInfo(robot, joint)[12].decode() in massless:
            bullet.changeDynamics(robot, joint, mass=LIGHT, localInertiaDiagonal=[LEAST] * 3)
    if path.suffix == ".sdf":
        _set_moments(bullet, robot, path)
    origin = np.zeros(3)
    if not is_aloft:
        floor = bullet.createMultiBody(0.0, bullet.createCollisionShape(bullet.GEOM_PLANE))
        bullet.changeDynamics(floor, -1, lateralFriction=1.0)
        origin[2] = -min(bullet.getAABB(robot, joint)[0][2] for joint in range(-1, len(joints)))
        place, turn = bullet.getBasePositionAndOrientation(robot)
        bullet.resetBasePositionAndOrientation(robot, (np.array(place) + origin).tolist(), turn)
    names = [bullet.getBodyInfo(robot)[0].decode(), *(bullet.getJointInfo(robot, k)[12].decode() for k in joints)]
    frames = [_bullet_frames(bullet, robot)]
    # with some models of SDF what tells the masses ends the process
    parts, meets_stops = _parts_of_step(bullet, robot) if path.suffix == ".urdf" else 1, False
    bullet.setTimeStep(STEP / parts)
    bullet.setPhysicsEngineParameter(numSolverIterations=max(_ITERATIONS // parts, _LEAST))
    for joint in joints:
        # after the step is cut: PyBullet turns the force of friction into an impulse by the step of that moment
        _release(bullet, robot, joint)
    for _ in range(SAMPLES):
        for _ in range(BETWEEN * parts):
            bullet.stepSimulation()
        frames.append(_bullet_frames(bullet, robot))
        meets_stops = meets_stops or _meets_stops(bullet, robot)
    return Motion(tuple(names), np.array(frames), meets_stops), origin


def _meets_stops(bullet: Any, robot: int) -> bool:
    """Return whether a joint is where its range ends: stops are rigid in PyBullet and soft here."""
    for joint in range(bullet.getNumJoints(robot)):
        low, high = bullet.getJointInfo(robot, joint)[8:10]
        if low < high and not low + _NEAR_STOP < bullet.getJointState(robot, joint)[0] < high - _NEAR_STOP:
            return True
    return False


def _parts_of_step(bullet: Any, robot: int) -> int:
    """Return into how many parts a step is cut, since PyBullet takes damping explicitly and grows where it is large."""
    fixed = bullet.JOINT_FIXED
    infos = [bullet.getJointInfo(robot, joint) for joint in range(bullet.getNumJoints(robot))]
    damping = [info[6] for info in infos if info[2] != fixed]
    if not any(damping) or any(info[2] == bullet.JOINT_SPHERICAL for info in infos):
        return 1
    masses = np.array(bullet.calculateMassMatrix(robot, [0.0] * len(damping)))
    masses = masses[len(masses) - len(damping) :, len(masses) - len(damping) :]  # a free base comes first
    fastest = float(np.linalg.eigvals(np.linalg.solve(masses, np.diag(damping))).real.max())
    parts = max(math.ceil(STEP * fastest / _CALM), 1)
    return parts if parts <= MOST_PARTS else BEYOND


def massless_links(path: Path) -> set[str]:
    """Return the links of a URDF file without `<inertial>`, which have no mass and no inertia by its specification."""
    root = read_xml_file(path, Problems()) if path.suffix == ".urdf" else None
    return {link.get("name") for link in root.all("link") if not any(link.all("inertial"))} if root else set()


def _set_moments(bullet: Any, robot: int, path: Path) -> None:
    """Give links of an SDF file the moments of inertia that it says: PyBullet makes its own of the shapes."""
    root, moments = read_xml_file(path, Problems()), {}
    for link in (node for node in (root.walk() if root else ()) if node.tag == "link"):
        for tensor in (node for node in link.walk() if node.tag == "inertia"):
            moments[link.get("name")] = [float(next(tensor.all(key)).text) for key in ("ixx", "iyy", "izz")]
    for number in range(bullet.getNumJoints(robot)):
        said = moments.get(bullet.getJointInfo(robot, number)[12].decode())
        if said is not None:
            bullet.changeDynamics(robot, number, localInertiaDiagonal=said)


def _release(bullet: Any, robot: int, joint: int) -> None:
    """Let a joint move against its own friction alone, where PyBullet would hold it."""
    info = bullet.getJointInfo(robot, joint)
    kind, friction = info[2], info[7]
    if kind in (bullet.JOINT_REVOLUTE, bullet.JOINT_PRISMATIC):
        bullet.setJointMotorControl2(robot, joint, bullet.VELOCITY_CONTROL, targetVelocity=0.0, force=friction)
    elif kind == bullet.JOINT_SPHERICAL:
        bullet.setJointMotorControlMultiDof(
            robot, joint, bullet.POSITION_CONTROL, targetPosition=[0, 0, 0, 1], positionGain=0, force=[0, 0, 0]
        )


def _bullet_frames(bullet: Any, robot: int) -> Floats:
    """Return the frames of base and links; PyBullet tells where the centre of mass of the base is."""
    place, turn = bullet.getBasePositionAndOrientation(robot)
    info = bullet.getDynamicsInfo(robot, -1)
    place, turn = bullet.multiplyTransforms(place, turn, *bullet.invertTransform(info[3], info[4]))
    joints = list(range(bullet.getNumJoints(robot)))
    states = bullet.getLinkStates(robot, joints, computeForwardKinematics=True) if joints else []
    rows = [(*place, turn[3], *turn[:3])]
    rows += [(*state[4], state[5][3], *state[5][:3]) for state in states]
    return np.array(rows)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep off the screen what a library in C prints."""
    kept = [os.dup(1), os.dup(2)]
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept[0], 1)
            os.dup2(kept[1], 2)
            os.close(kept[0])
            os.close(kept[1])
