"""Resistance of hinges and slides in MuJoCo: damping, friction, springs, and joints that follow others.

MuJoCo takes damping implicitly, friction as a constraint, and a spring explicitly. A spring that a step is too long
for is taken implicitly, too: it may not swing as fast as it should then, but never grows.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from coopsim.engines.contract import JointSpec
from coopsim.features.space.binding import mujoco
from coopsim.features.space.grips import SpatialJoint
from coopsim.geometry import Floats, Ints
from coopsim.scene import JointDynamics

MOST_PARTS = 8
"""Of a step, for the sake of springs in joints."""
_CALM = 0.24  # (omega dt)^2 of a spring that swings 1 % too fast
_FREE = JointDynamics()
_PAIRED = (0.02, 1.0)
"""Of what holds a follower: how fast it comes to its leader [s]."""
_TIGHT = (0.99, 0.9999, 0.001, 0.5, 2.0)
"""What holds a follower: as nearly rigid as MuJoCo allows."""
_UNYIELDING = (0.01, 1.0)
"""Of friction in a joint: how fast what it holds comes to rest [s]."""
_HELD = (0.9999, 0.9999, 0.001, 0.5, 2.0)


def resistance(spec: JointSpec, sign: float = 1.0) -> dict[str, Any]:
    """Return what MuJoCo's joint says of the resistance of ours.

    Args:
        spec: Ours.
        sign: -1 where MuJoCo's counts the other way.
    """
    dynamics = spec.dynamics
    if dynamics is None:
        return {}
    return {
        "damping": [dynamics.damping, 0.0, 0.0],
        "stiffness": [dynamics.stiffness, 0.0, 0.0],
        "springref": sign * dynamics.rest,
        "frictionloss": dynamics.friction,
        "solref_friction": _UNYIELDING,
        "solimp_friction": _HELD,
    }


def add_followers(
    model: mujoco.MjSpec, joints: Sequence[SpatialJoint], ways: Mapping[str, str], sign: Callable[[JointSpec], float]
) -> None:
    """Couple joints that follow others; one whose leader has gone moves freely.

    Args:
        model: To add to.
        joints: All of them.
        ways: What MuJoCo calls those that move, by our names.
        sign: Returns -1 of one that counts the other way there.
    """
    specs = {joint.spec.name: joint.spec for joint in joints}
    for name, spec in specs.items():
        dynamics = spec.dynamics or _FREE
        if dynamics.follows not in ways or name not in ways:
            continue
        leads = sign(specs[dynamics.follows])
        coupling = model.add_equality(
            type=mujoco.mjtEq.mjEQ_JOINT,
            objtype=mujoco.mjtObj.mjOBJ_JOINT,
            name1=ways[name],
            name2=ways[dynamics.follows],
            solref=_PAIRED,
            solimp=_TIGHT,
        )
        coupling.data[:2] = sign(spec) * dynamics.offset, sign(spec) * leads * dynamics.ratio


def couplings_of(model: mujoco.MjModel) -> tuple[Ints, Floats]:
    """Return dofs that follow others above those that they follow, shape (2, c), and their speeds per those, (c,)."""
    coupled = np.flatnonzero((model.eq_type == int(mujoco.mjtEq.mjEQ_JOINT)) & (model.eq_obj2id >= 0))
    joints = np.array([model.eq_obj1id[coupled], model.eq_obj2id[coupled]])
    return model.jnt_dofadr[joints].astype(np.int64), model.eq_data[coupled, 1].copy()


def share_damping(model: mujoco.MjModel) -> None:
    """Spread the damping of joints that follow each other over all of them, each by the inertia that it moves.

    MuJoCo's couplings do not know of damping, which is taken away after them: where it stops one joint within the time
    of the coupling, the joints that are coupled to that one swing up. Together they resist as before.

    Joints with springs keep their own, which `JointSprings` writes.

    Args:
        model: Compiled; its damping is written.
    """
    (followers, leaders), ratios = couplings_of(model)
    damping, inertia = model.dof_damping, model.dof_M0
    for leader in np.setdiff1d(leaders, followers):
        chosen = leaders == leader
        dofs = np.concatenate([[leader], followers[chosen]])
        squares = np.concatenate([[1.0], ratios[chosen]]) ** 2
        is_sprung = model.jnt_stiffness[model.dof_jntid[dofs]].any()
        if not is_sprung and (damping[dofs] * _PAIRED[0] > inertia[dofs]).any():
            damping[dofs] = inertia[dofs] * (squares @ damping[dofs]) / (squares @ inertia[dofs])


def resistances(joints: Sequence[SpatialJoint]) -> Floats:
    """Return damping, friction, stiffness and rest of each joint, shape (j, 4)."""
    every = [joint.spec.dynamics or _FREE for joint in joints]
    values = [(joint.damping, joint.friction, joint.stiffness, joint.rest) for joint in every]
    return np.array(values, np.float64).reshape(-1, 4)


class JointSprings:
    """Springs in the joints of a compiled world.

    Args:
        joints: All of them.
        dofs: Which of them move, shape (m,), and where MuJoCo has their velocities, shape (m,).
        model: MuJoCo's, whose damping is written.
    """

    def __init__(self, joints: Sequence[SpatialJoint], dofs: tuple[Any, Any], model: mujoco.MjModel) -> None:
        rows, own = dofs
        table = resistances(joints)[rows]
        sprung = np.flatnonzero(table[:, 2] > 0.0)
        self._model, self._dofs = model, own[sprung]
        self._damping, self._stiffness = table[sprung, 0], table[sprung, 2]
        # how much each yields with all that hangs on it
        self._squares = self._stiffness * model.dof_invweight0[self._dofs]

    def parts(self, dt: float) -> int:
        """Return into how many parts a step of `dt` [s] is cut, and take springs implicitly that are stiffer still."""
        swinging = self._squares[self._squares * (dt / MOST_PARTS) ** 2 <= _CALM]
        parts = max(1, math.ceil(dt * math.sqrt(float(swinging.max()) / _CALM) - 1e-9)) if swinging.size else 1
        part = dt / parts
        implicit = self._squares * part * part > _CALM
        self._model.dof_damping[self._dofs] = self._damping + np.where(implicit, part * self._stiffness, 0.0)
        return parts
