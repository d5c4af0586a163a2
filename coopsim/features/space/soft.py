"""Cloths and soft bodies as MuJoCo's flexes: finite elements between bodies that do not turn.

Nodes are compiled where they are at rest, and put where they are afterwards, so that what a flex resists is how far it
is from its rest. What touches one touches its nodes.

Source: MuJoCo, "Deformable objects" (membranes with bending, and St. Venant-Kirchhoff solids).
"""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from coopsim.engines.plane.footprints import located
from coopsim.errors import EngineCannot
from coopsim.features.space.binding import mujoco
from coopsim.features.space.kernels import PLANE, SOLID
from coopsim.features.space.soft_checks import Whole, wholes
from coopsim.features.space.solids import Solid
from coopsim.geometry import UNTURNED, Floats, Vector3
from coopsim.scene.soft_node import FLAT

MOST_PARTS = 32  # of a step; a tick takes as long as all of them
_CALM = 0.5  # of 4, where the fastest vibration grows
_ROUNDS, _NUDGE = 60, 1e-6  # of the power method; of the distance between nodes
_MARGIN = 1.1  # the power method ends below the greatest value
_FIRST_BIT = 8
_LEAST_DAMPING = 1e-12  # s; without any MuJoCo warns that nothing holds a solid
_MEETING = SOLID | PLANE
_BENDING_TOO = 3  # MuJoCo's number for membranes that resist bending


def soft_bodies(solids: Mapping[str, Solid]) -> tuple[Whole, ...]:
    """Return the cloths and soft bodies among the bodies of a world (`EngineCannot` where one cannot be)."""
    return wholes((solid.spec for solid in solids.values()), "mujoco")


def rest_places(wholes: Iterable[Whole]) -> dict[str, Vector3]:
    """Return where the middles of nodes are at rest, by name."""
    return {
        name: (float(x), float(y), float(z))
        for whole in wholes
        for name, (x, y, z) in zip(whole.names, whole.rests, strict=True)
    }


def add_node(model: mujoco.MjSpec, solid: Solid, place: Vector3) -> mujoco.MjsBody:
    """Add the body of a node at its place at rest; the air resists its motion."""
    body = model.worldbody.add_body(pos=place, quat=UNTURNED)
    node = solid.spec.soft
    drag = node.drag if node is not None else 0.0
    body.add_joint(type=mujoco.mjtJoint.mjJNT_FREE, damping=[drag, 0.0, 0.0])
    return body


def meetings(wholes: Sequence[Whole]) -> dict[str, tuple[int, int]]:
    """Return by node `contype` and `conaffinity`: nodes meet all but those of their own cloth or soft body."""
    # a bit for each cloth: its nodes meet all bits but their own
    every = sum(1 << (_FIRST_BIT + place) for place in range(len(wholes)))
    own = [1 << (_FIRST_BIT + place) for place in range(len(wholes))]
    return {
        name: (bit, _MEETING | (every & ~bit)) for whole, bit in zip(wholes, own, strict=True) for name in whole.names
    }


def add_flexes(model: mujoco.MjSpec, names: Mapping[str, str], wholes: Iterable[Whole]) -> None:
    """Let nodes resist.

    Args:
        model: Has their bodies.
        names: What it calls them, by our names.
        wholes: What is soft.
    """
    for number, whole in enumerate(wholes):
        if whole.parts:
            _add_flex(model, f"flex{number}", [names[name] for name in whole.names], whole)


def _add_flex(model: mujoco.MjSpec, name: str, bodies: Sequence[str], whole: Whole) -> None:
    used = sorted({number for part in whole.parts for number in part})
    place = {number: index for index, number in enumerate(used)}
    stuff, flex = whole.matter, model.add_flex(name=name, dim=whole.matter.dimension)
    flex.vertbody = [bodies[number] for number in used]
    flex.vert = [0.0, 0.0, 0.0] * len(used)
    flex.elem = [place[number] for part in whole.parts for number in part]
    flex.young, flex.poisson, flex.damping = stuff.young, stuff.poisson, max(stuff.damping, _LEAST_DAMPING)
    # a flex itself touches nothing: its nodes do, as bodies with shapes
    flex.radius, flex.contype, flex.conaffinity = 1e-3, 0, 0
    flex.selfcollide = mujoco.mjtFlexSelf.mjFLEXSELF_NONE
    if stuff.dimension == FLAT:
        flex.thickness, flex.elastic2d = stuff.thickness, _BENDING_TOO


class SoftSteps:
    """Into how many parts a step must be cut for what is soft.

    Args:
        solids: All bodies of a world that stays who it is, by name.
    """

    def __init__(self, solids: Mapping[str, Solid]) -> None:
        self._solids = solids
        self._stiffest: list[tuple[Whole, float]] | None = None

    def parts(self, dt: float) -> int:
        """Return the number for a step of `dt` [s].

        Raises:
            EngineCannot: It is too great; the text begins with the span of a node.
        """
        if self._stiffest is None:
            soft = soft_bodies(self._solids) if any(solid.spec.soft for solid in self._solids.values()) else ()
            self._stiffest = [(body, _stiffest(body, self._solids)) for body in soft if body.parts]
        return max((self._needed(whole, stiffest, dt) for whole, stiffest in self._stiffest), default=1)

    def _needed(self, whole: Whole, stiffest: float, dt: float) -> int:
        stuff = whole.matter
        # from (w dt)^2 + 2 d w^2 dt = _CALM, with the damping d in proportion to the stiffness
        longest = math.sqrt(stuff.damping**2 + _CALM / stiffest) - stuff.damping if stiffest > 0.0 else math.inf
        parts = max(1, math.ceil(dt / longest))
        if parts <= MOST_PARTS:
            return parts
        first = self._solids[whole.names[0]].spec
        raise EngineCannot(
            f"{located(first.span)}{stuff.whole!r} is too stiff for a step of {dt * 1e3:g} ms and its mass: the mujoco "
            f"engine would have to cut it into more than {MOST_PARTS} parts; give it a smaller 'young' or 'damping', "
            f"more mass, fewer nodes, or a step of up to {MOST_PARTS * longest * 1e3:.3g} ms"
        )


def _stiffest(whole: Whole, solids: Mapping[str, Solid]) -> float:
    """Return the square of the fastest frequency of a free lattice around its rest [1/s2], by the power method."""
    # divided by the roots of the masses the matrix is symmetric: the power method then converges steadily
    roots = np.sqrt(np.repeat([solids[name].spec.mass for name in whole.names], 3))
    model, data = _alone(whole)
    mujoco.mj_forward(model, data)
    still = data.qfrc_spring.copy()
    first, second = whole.rests[list(whole.parts[0][:2])]
    size = _NUDGE * float(np.linalg.norm(first - second)) * float(roots.min())
    # a fixed seed: the same number of parts in every process, else hashes would differ
    shape, stiffness = np.random.default_rng(0).standard_normal(roots.size), 0.0
    for _ in range(_ROUNDS):
        scale = size / np.abs(shape).max()
        data.qpos[:] = scale * shape / roots
        mujoco.mj_forward(model, data)
        # a difference quotient: the stiffness is asked of MuJoCo and not made twice
        pulled: Floats = (still - data.qfrc_spring) / roots / scale
        stiffness = float(np.linalg.norm(pulled) / np.linalg.norm(shape))
        if not stiffness > 0.0:
            return 0.0
        shape = pulled / stiffness
    return _MARGIN * stiffness


def _alone(whole: Whole) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """Return a model of the nodes alone, each with three directions."""
    spec = mujoco.MjSpec()
    spec.option.gravity = [0.0, 0.0, 0.0]
    names = [f"n{number}" for number in range(len(whole.names))]
    for name, place in zip(names, whole.rests.tolist(), strict=True):
        body = spec.worldbody.add_body(name=name, pos=place, mass=1.0, inertia=[1.0, 1.0, 1.0], explicitinertial=True)
        body.ipos, body.iquat = [0.0, 0.0, 0.0], list(UNTURNED)
        for axis in np.eye(3):
            body.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=axis)
    _add_flex(spec, "flex", names, whole)
    model = spec.compile()
    return model, mujoco.MjData(model)
