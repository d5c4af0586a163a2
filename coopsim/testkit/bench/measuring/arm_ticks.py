"""Three arms that pick up a block each: whole ticks, and what bare MuJoCo takes for the same model and states.

Source: CoopDynSim, section V (manipulators).
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coopsim.features.laws.arm_kinematics import ArmKinematics
from coopsim.features.laws.reach import ReachParameters, Way, postures
from coopsim.interfaces import GRIPPER, JOINTS
from coopsim.interfaces.chain_text import Chain
from coopsim.robots import load
from coopsim.scene import Controller
from coopsim.simulation import Simulation

STEP = 0.01  # s
_SCENE, _SETTLED = "pick_and_place", 20
_POSITIONS, _OPENING = JOINTS.command("set_positions").number, GRIPPER.command("set_opening").number


@dataclass(frozen=True)
class ArmTimes:
    """Real-time factors, by CPU time.

    Attributes:
        ticks: Of whole ticks: motors, forces and contacts, states, grippers, forward kinematics.
        laws: Of ticks with the control law `reach` of each arm besides.
        bare: Of MuJoCo's own step from the states that the ticks have led to.
        contacts: How many there were on average.
    """

    ticks: float
    laws: float
    bare: float
    contacts: float


def measure(seconds: float) -> ArmTimes:
    """Return what arms take that pick up blocks and put them down beside them, for so many simulated seconds."""
    simulation = Simulation(load(_SCENE), step=STEP)
    arms = [_Arm(simulation, law.robots[0], dict(law.arguments)["points"][0]) for law in _laws(simulation)]
    engine: Any = simulation.engine
    world = engine.solved()
    bare = _Bare(world.model, world.data)
    spent, contacts = np.zeros(3), 0
    count = max(1, round(seconds / STEP))
    for tick in range(_SETTLED + count):
        begin = time.thread_time_ns()
        for arm in arms:
            arm.command()
        commanded = time.thread_time_ns()
        simulation.tick()
        done = time.thread_time_ns()
        stepped = bare.step()
        if tick >= _SETTLED:
            spent += done - commanded, done - begin, stepped
            contacts += world.data.ncon
    ticks, laws, bare_steps = (1e9 * STEP * count / spent).tolist()
    return ArmTimes(ticks, laws, bare_steps, contacts / count)


class _Arm:
    """One of the arms, with its law."""

    def __init__(self, simulation: Simulation, name: str, points: str) -> None:
        chain = Chain.from_text(str(_settings(simulation, name)["chain"]))
        law = ReachParameters(points=points)
        self._way = Way(postures(ArmKinematics(chain), law, np.zeros(len(chain.joints))), 1, law)
        self._simulation, self._name = simulation, name
        self._positions = simulation.reading(name, "joints")[np.newaxis, : len(chain.joints)]

    def command(self) -> None:
        """Have the law decide."""
        self._way.advance(self._positions, STEP)
        positions, openings = self._way.commands()
        self._simulation.command(self._name, "joints", _POSITIONS, positions[0].tolist())
        self._simulation.command(self._name, "gripper", _OPENING, openings.tolist())


class _Bare:
    """MuJoCo's own step from where a world is, in data of its own."""

    def __init__(self, model: Any, data: Any) -> None:
        from coopsim.features.space.binding import mujoco

        self._model, self._from, self._own = model, data, mujoco.MjData(model)
        self._step = mujoco.mj_step

    def step(self) -> int:
        """Make a step; return how long it took [ns]."""
        for name in ("qpos", "qvel", "qacc_warmstart", "qfrc_applied"):
            getattr(self._own, name)[:] = getattr(self._from, name)
        begin = time.thread_time_ns()
        self._step(self._model, self._own)
        return time.thread_time_ns() - begin


def _laws(simulation: Simulation) -> Sequence[Controller]:
    return simulation.spec.scenario.controllers


def _settings(simulation: Simulation, name: str) -> Mapping[str, Any]:
    block = simulation.tables.block_of(name)
    assert block is not None  # noqa: S101 - the scene has it
    return next(device.settings for device in block.blueprint.devices if device.name == "pose")
