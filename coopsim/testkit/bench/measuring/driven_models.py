"""Robots of packages that a client drives by their joints over the network, beside their home simulators."""

import importlib
import math
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from coopsim.client import connect
from coopsim.features.accuracy.packages.motion import quiet
from coopsim.geometry import Floats
from coopsim.interfaces import JOINTS
from coopsim.kernels.constants import GRAVITY
from coopsim.robots.type_files import read_type
from coopsim.scene import Problems, find_entry
from coopsim.testkit import Run

STEP, TICKS = 2e-3, 1000
_SWING, _PART, _PERIOD = 0.4, 0.2, 1.0  # rad, or this part of the room of a joint, s
_STIFFNESS = (2.0 * math.pi * 2.0) ** 2  # 1/s2; a joint with all that it carries swings at 2 Hz, critically damped
_SCENE = "[ROBOT_1]\ntype subject\nname r\nposition 0 0 5\n"
_SCENE += "[SIMULATION]\nengine mujoco\nstep {}\nmode lockstep\npatience 0\n"


class Home(Protocol):
    """A robot in its home simulator.

    Attributes:
        names: Of its joints.
        inertias: What each joint moves where all are at 0, shape (n,) [kg m2, kg].
        limits: Of each joint, shape (n, 2).
    """

    names: list[str]
    inertias: Floats
    limits: Floats

    def step(self, efforts: Floats) -> Floats:
        """Push with efforts besides those that hold against gravity; return positions and velocities, shape (2, n)."""


class MujocoHome:
    """A robot in bare MuJoCo.

    Args:
        path: An MJCF model.
    """

    def __init__(self, path: Path) -> None:
        mujoco: Any = importlib.import_module("mujoco")
        self._mujoco = mujoco
        self._model = model = mujoco.MjModel.from_xml_path(str(path))
        model.opt.timestep = STEP
        model.opt.gravity = (0.0, 0.0, -GRAVITY)
        model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_ACTUATION | mujoco.mjtDisableBit.mjDSBL_CONTACT
        self._data = mujoco.MjData(model)
        mujoco.mj_forward(model, self._data)
        self.names = [model.joint(number).name for number in range(model.njnt)]
        self.inertias = model.dof_M0.copy()
        ends = model.jnt_range - model.qpos0[:, np.newaxis]
        self.limits = np.where(model.jnt_limited[:, np.newaxis] > 0, ends, [-math.pi, math.pi])

    def step(self, efforts: Floats) -> Floats:
        """Push with efforts besides those that hold against gravity; return positions and velocities, shape (2, n)."""
        model, data = self._model, self._data
        self._mujoco.mj_forward(model, data)
        data.qfrc_applied[:] = data.qfrc_bias + efforts
        self._mujoco.mj_step(model, data)
        return np.array([data.qpos - model.qpos0, data.qvel])


class BulletHome:
    """A robot in PyBullet.

    Args:
        path: A URDF model.
    """

    def __init__(self, path: Path) -> None:
        self._bullet = bullet = importlib.import_module("pybullet")
        with quiet():
            self._client = client = bullet.connect(bullet.DIRECT)
            self._robot = bullet.loadURDF(
                str(path), useFixedBase=True, flags=bullet.URDF_USE_INERTIA_FROM_FILE, physicsClientId=client
            )
        bullet.setGravity(0.0, 0.0, -GRAVITY, physicsClientId=client)
        bullet.setTimeStep(STEP, physicsClientId=client)
        every = [bullet.getJointInfo(self._robot, k, client) for k in range(bullet.getNumJoints(self._robot, client))]
        moving = [info for info in every if info[2] != bullet.JOINT_FIXED]
        self._joints, self.names = [info[0] for info in moving], [info[1].decode() for info in moving]
        ends = np.array([info[8:10] for info in moving])
        self.limits = np.where(ends[:, :1] < ends[:, 1:], ends, [-math.pi, math.pi])
        for joint in range(-1, len(every)):
            bullet.changeDynamics(self._robot, joint, linearDamping=0.0, angularDamping=0.0, physicsClientId=client)
        for joint in self._joints:
            friction = every[joint][7]
            bullet.setJointMotorControl2(
                self._robot, joint, bullet.VELOCITY_CONTROL, force=friction, physicsClientId=client
            )
        nothing = [0.0] * len(self._joints)
        self.inertias = np.diag(np.array(bullet.calculateMassMatrix(self._robot, nothing, physicsClientId=client)))
        self._motion = np.zeros((2, len(self._joints)))

    def step(self, efforts: Floats) -> Floats:
        """Push with efforts besides those that hold against gravity; return positions and velocities, shape (2, n)."""
        bullet, client = self._bullet, self._client
        still = [0.0] * len(self._joints)
        held = bullet.calculateInverseDynamics(self._robot, *self._motion.tolist(), still, physicsClientId=client)
        bullet.setJointMotorControlArray(
            self._robot,
            self._joints,
            bullet.TORQUE_CONTROL,
            forces=(np.array(held) + efforts).tolist(),
            physicsClientId=client,
        )
        bullet.stepSimulation(physicsClientId=client)
        states = bullet.getJointStates(self._robot, self._joints, physicsClientId=client)
        self._motion = np.array([[state[0] for state in states], [state[1] for state in states]])
        return self._motion


@dataclass(frozen=True, slots=True)
class DrivenJoints:
    """Positions of a robot's joints, shape (ticks, n).

    Attributes:
        ours: As the server told its client.
        home: In the home simulator.
    """

    ours: Floats
    home: Floats

    @property
    def error(self) -> float:
        """Mean difference of a joint [rad, m]."""
        return float(np.abs(self.ours - self.home).mean())

    @property
    def way(self) -> float:
        """Mean distance of a joint from where it began [rad, m]."""
        return float(np.abs(self.home).mean())


def driven(path: Path, home: Home, ticks: int = TICKS) -> DrivenJoints:
    """Return what a client makes of a robot in a run of its own, and the same law of its home simulator.

    Args:
        path: The model.
        home: The same robot, whose joints have the same names.
        ticks: Count of steps.

    Raises:
        NoReply: The run does not answer.
    """
    expected = _looped(home, home.step, ticks)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "subject.robot").write_text(f"[ROBOT]\nmodel {path.resolve()}\n", encoding="utf-8")
        (folder / "run.scenario").write_text(_SCENE.format(STEP), encoding="utf-8")
        with Run(str(folder / "run.scenario"), "--allow-small-step") as run, connect(run.endpoint) as sim:
            rows_by_module = _rows_by_module(folder / "subject.robot", home.names)
            modules = [(getattr(sim.robot("r"), module), rows) for module, rows in rows_by_module.items()]
            motion = np.zeros((2, len(home.names)))

            def step(efforts: Floats) -> Floats:
                # the first module paces the robot: once it is commanded the tick begins
                for module, rows in reversed(modules):
                    module.set_efforts(*efforts[rows].tolist())
                # asked after the commands, it is the state after the tick
                for module, rows in modules:
                    state = module.state()
                    # of one joint they are numbers
                    motion[:, rows] = np.reshape([state.positions, state.velocities], (2, len(rows)))
                return motion

            return DrivenJoints(_looped(home, step, ticks), expected)


def _rows_by_module(file: Path, names: Sequence[str]) -> dict[str, list[int]]:
    """Return where the joints of each module of a robot are among some names."""
    rows = {}
    for section in read_type(file, Problems()).devices:
        entry = find_entry(section.settings, "joints")
        if section.type == JOINTS.kind and entry is not None:
            rows[section.name] = [names.index(joint) for joint in entry.values]
    return rows


def _looped(home: Home, step: Callable[[Floats], Floats], ticks: int) -> Floats:
    """Return positions after each of some steps in which every joint swings to and fro, shape (ticks, n)."""
    room = np.abs(home.limits)
    side = np.where(room[:, 1] >= room[:, 0], 1.0, -1.0)
    swing = side * np.minimum(_SWING, _PART * room.max(axis=1))
    motion, places = np.zeros((2, len(home.names))), []
    for tick in range(ticks):
        wanted = 0.5 * swing * (1.0 - math.cos(math.tau * tick * STEP / _PERIOD))
        push = _STIFFNESS * (wanted - motion[0]) - 2.0 * math.sqrt(_STIFFNESS) * motion[1]
        motion = step(home.inertias * push)
        places.append(motion[0].copy())
    return np.array(places)
