"""Neutral joints as MuJoCo constraints between two points, on bodies that are free in space.

A support has a carriage on two sprung slides on its a, and b turns on it about the upright axis of a alone: a load does
not roll off two of them. A hinge or a slide takes half of the mass of what it carries onto a carriage of its own, which
turns or moves on its rail, and welds the other half to it: together they are what they were. A spring is one of
MuJoCo's tendons between two points, which constrains nothing.

Source: CoopDynSim, section III-D (the sprung support).
"""

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from coopsim.engines.plane.footprints import FARTHEST
from coopsim.engines.rotations import Quaternion, back, minus, plus, turned
from coopsim.features.space.binding import mujoco
from coopsim.features.space.dynamics import resistance
from coopsim.features.space.grips import SpatialJoint, axis_on_rail, ends, seen_from_rail, split_pose
from coopsim.features.space.solids import Solid
from coopsim.geometry import UNTURNED, Floats, Vector3

_REACH = 0.25  # m; of what a load turns about, above and below the carriage of a support
_GYRATION = 0.05  # m; of a carriage
_TINY = 1e-15  # m
_STIFF = (0.02, 1.0)
_HARD = (0.99, 0.999, 0.001, 0.5, 2.0)  # nearly rigid: MuJoCo allows at most 0.9999
_ROWS = {"pivot": 3, "hinge": 6, "weld": 6, "slide": 6, "support": 6, "spring": 0}


def shares(joints: Sequence[SpatialJoint], solids: Mapping[str, Solid]) -> dict[str, float]:
    """Return by body what part of its mass stays its own; the rest rides on the carriages of hinges and slides."""
    taken: dict[str, int] = {}
    for joint in joints:
        if joint.spec.is_movable and not joint.spec.is_chained:
            rider = ends(joint.spec, solids)[1]
            taken[rider] = taken.get(rider, 0) + 1
    return {name: 1.0 / (1.0 + count) for name, count in taken.items()}


class JointMaker:
    """Adds joints to a MuJoCo model.

    Args:
        model: To add to.
        bodies: Its bodies by our names.
        solids: What they were made from; their origins in MuJoCo are the centres of mass.
        share: Part of its own mass that a body keeps which rides on hinges or slides.
        points: How many names were given before.

    Attributes:
        points: How many names were given.
    """

    def __init__(
        self,
        model: mujoco.MjSpec,
        bodies: Mapping[str, mujoco.MjsBody],
        solids: Mapping[str, Solid],
        share: Mapping[str, float],
        points: int = 0,
    ) -> None:
        self._model, self._bodies, self._solids, self._share = model, bodies, solids, share
        self.points = points

    def add(self, joint: SpatialJoint) -> list[str]:
        """Add one joint and return the names of its carriage's joints; a chained one has come with its body."""
        spec = joint.spec
        if spec.is_chained:
            return [chained_name(spec.b)] if spec.is_movable else []
        if spec.kind == "spring":
            self._spring(joint)
            return []
        ways = []
        match spec.kind:
            case "hinge" | "slide":
                ways = [self._ride(joint)]
            case "support":
                ways = self._support(joint)
            case "weld":
                a = self._site(self._bodies[spec.a], self._on(spec.a, joint.grip.on_a))
                b = self._site(self._bodies[spec.b], self._on(spec.b, joint.grip.on_b), back(joint.grip.turn))
                self._equal(mujoco.mjtEq.mjEQ_WELD, a, b)
            case _:
                a = self._site(self._bodies[spec.a], self._on(spec.a, joint.grip.on_a))
                b = self._site(self._bodies[spec.b], self._on(spec.b, joint.grip.on_b))
                self._equal(mujoco.mjtEq.mjEQ_CONNECT, a, b)
        self._model.add_exclude(bodyname1=self._bodies[spec.a].name, bodyname2=self._bodies[spec.b].name)
        return ways

    def _support(self, joint: SpatialJoint) -> list[str]:
        spec = joint.spec
        mass, moment = spec.carriage, spec.carriage * _GYRATION**2
        carriage = self._bodies[spec.a].add_body(
            pos=self._on(spec.a, joint.grip.on_a), mass=mass, inertia=[moment] * 3, **EXPLICIT
        )
        sprung = {"stiffness": [spec.stiffness, 0, 0], "damping": [spec.damping, 0, 0]}
        names = [
            self._way(carriage, mujoco.mjtJoint.mjJNT_SLIDE, axis, (-spec.limit, spec.limit), **sprung)
            for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
        ]
        # two points above each other: the load turns about the upright axis alone, and does not roll off
        for side in (-_REACH, _REACH):
            up = (0.0, 0.0, side)
            on_b = plus(joint.grip.on_b, turned(back(joint.grip.turn), up))
            b = self._site(self._bodies[spec.b], self._on(spec.b, on_b))
            self._equal(mujoco.mjtEq.mjEQ_CONNECT, self._site(carriage, up), b)
        return names

    def _spring(self, joint: SpatialJoint) -> None:
        spec = joint.spec
        tendon = self._model.add_tendon(
            name=joint.known_by,
            stiffness=[spec.stiffness, 0.0, 0.0],
            damping=[spec.damping, 0.0, 0.0],
            springlength=[spec.length, spec.length],
            **limited((max(spec.lower, 0.0), spec.upper) if spec.upper < math.inf else (-math.inf, math.inf)),
        )
        tendon.wrap_site(self._site(self._bodies[spec.a], self._on(spec.a, joint.grip.on_a)))
        tendon.wrap_site(self._site(self._bodies[spec.b], self._on(spec.b, joint.grip.on_b)))

    def _ride(self, joint: SpatialJoint) -> str:
        """Add the carriage of a hinge or slide, and weld its rider to it."""
        spec = joint.spec
        rail, rider = ends(spec, self._solids)
        solid, place, turn = self._solids[rider], *seen_from_rail(joint, self._solids)
        part = self._share[rider]
        carriage = self._bodies[rail].add_body(
            pos=minus(place, self._solids[rail].centre), quat=turn, mass=part * solid.spec.mass, **EXPLICIT
        )
        set_inertia(carriage, part * solid.inertia)
        along, anchor = axis_on_rail(joint, self._solids)
        kind = mujoco.mjtJoint.mjJNT_SLIDE if spec.kind == "slide" else mujoco.mjtJoint.mjJNT_HINGE
        pivot = turned(back(turn), minus(anchor, place))
        more = resistance(spec, 1.0 if rail == spec.a else -1.0)
        # where a rides on b the motion counts the other way
        low, high = spec.limits if rail == spec.a else (-spec.limits[1], -spec.limits[0])
        name = self._way(
            carriage, kind, turned(back(turn), along), (low, high), pos=pivot, armature=spec.armature, **more
        )
        site = self._site(carriage, (0.0, 0.0, 0.0))
        self._equal(mujoco.mjtEq.mjEQ_WELD, site, self._site(self._bodies[rider], (0.0, 0.0, 0.0)))
        return name

    def _way(
        self,
        carriage: mujoco.MjsBody,
        kind: mujoco.mjtJoint,
        axis: Vector3,
        limits: tuple[float, float],
        **more: Any,
    ) -> str:
        name = self._next_name()
        carriage.add_joint(name=name, type=kind, axis=axis, **more, **limited(limits))
        return name

    def _site(self, body: mujoco.MjsBody, place: Vector3, turn: Quaternion = UNTURNED) -> str:
        name = self._next_name()
        body.add_site(name=name, pos=place, quat=turn)
        return name

    def _equal(self, kind: mujoco.mjtEq, a: str, b: str) -> None:
        self._model.add_equality(
            type=kind, objtype=mujoco.mjtObj.mjOBJ_SITE, name1=a, name2=b, solref=_STIFF, solimp=_HARD
        )

    def _on(self, body: str, place: Vector3) -> Vector3:
        """Return a place in the frame of a body as seen from its centre of mass."""
        return minus(place, self._solids[body].centre)

    def _next_name(self) -> str:
        self.points += 1
        return f"j{self.points}"


def chained_name(body: str) -> str:
    """Return what MuJoCo calls the joint that a body of a chain rides on."""
    return f"chain {body}"


def limited(limits: tuple[float, float]) -> dict[str, Any]:
    """Return limits as MuJoCo wants them."""
    if all(map(math.isinf, limits)):
        return {}
    return {"limited": 1, "range": [min(max(end, -FARTHEST), FARTHEST) for end in limits]}


EXPLICIT = {"explicitinertial": True, "ipos": [0.0, 0.0, 0.0], "iquat": [1.0, 0.0, 0.0, 0.0]}


def set_inertia(body: mujoco.MjsBody, inertia: Floats) -> None:
    """Give a body its tensor about the centre of mass; a diagonal one keeps MuJoCo fast."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia.tolist()
    # what rounding leaves of a symmetric body
    if max(abs(xy), abs(xz), abs(yz)) <= 1e-12 * inertia.max():
        body.inertia = [xx, yy, zz]
    else:
        body.fullinertia = [xx, yy, zz, xy, xz, yz]


class Readout:
    """Reads what the joints of a compiled model do.

    Args:
        joints: In the order in which they were added.
        solids: What their bodies were made from.
        rows: Of the moving bodies by name.
    """

    def __init__(self, joints: Sequence[SpatialJoint], solids: Mapping[str, Solid], rows: Mapping[str, int]) -> None:
        self._joints, self._solids, self._rows = joints, solids, rows
        self._chained: Mapping[str, Floats] = {}
        # equality constraints come first among MuJoCo's forces, in the order in which they were added
        sizes = [0 if joint.spec.is_chained else _ROWS[joint.spec.kind] for joint in joints]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        self._starts: list[int] = starts[:-1].astype(int).tolist()

    def read(
        self,
        poses: Floats,
        forces: Floats,
        accelerations: Floats,
        gravity: Floats,
        chained: Mapping[str, Floats] = MappingProxyType({}),
    ) -> Floats:
        """Return displacement and force of each joint, shape (j, 6); see `engines.PhysicsEngine`.

        Args:
            poses: Of the moving bodies, shape (n, 7).
            forces: Of MuJoCo's constraints, those of joints first, flat [N]; empty before the first step.
            accelerations: Of the centres of mass, shape (n, 3) [m/s2].
            gravity: Shape (3,) [m/s2].
            chained: Forces on the bodies that springs and chained joints hold, by `known_by`, shape (3,) each [N].
        """
        self._chained = chained
        states = np.zeros((len(self._joints), 6))
        for row, (joint, start) in enumerate(zip(self._joints, self._starts, strict=True)):
            states[row, :3] = self._apart(joint, poses)
            if forces.size or joint.known_by in chained:
                states[row, 3:] = self._force(joint, forces[start:], accelerations, gravity)
        return states

    def _apart(self, joint: SpatialJoint, poses: Floats) -> Vector3:
        spec, grip = joint.spec, joint.grip
        if spec.kind == "support":
            x, y = joint.carriage[0].tolist()
            return (x, y, 0.0)
        at_a, of_a = split_pose(self._pose(spec.a, poses))
        at_b, of_b = split_pose(self._pose(spec.b, poses))
        anchor = plus(at_b, turned(of_b, grip.on_b))
        return minus(turned(back(of_a), minus(anchor, at_a)), grip.on_a)

    def _force(self, joint: SpatialJoint, forces: Floats, accelerations: Floats, gravity: Floats) -> Floats:
        """Return the force on b."""
        spec = joint.spec
        if joint.known_by in self._chained:
            return self._chained[joint.known_by]
        # MuJoCo says what the constraint does to the first body
        force: Floats = -forces[:3]
        if spec.kind == "support":
            force = force - forces[3:6]
        if spec.is_movable:
            rail, rider = ends(spec, self._solids)
            # the rail carries the carriage, too
            riding = shares(self._joints, self._solids)[rider] * self._solids[rider].spec.mass
            force = force + riding * (accelerations[self._rows[rider]] - gravity)
            return force if rail == spec.a else -force
        return force

    def _pose(self, name: str, poses: Floats) -> Sequence[float]:
        row = self._rows.get(name, -1)
        return self._solids[name].spec.pose if row < 0 else poses[row].tolist()


def spring_forces(model: mujoco.MjModel, data: mujoco.MjData) -> dict[str, Floats]:
    """Return the force of each spring on the second body in the last step, by its name in MuJoCo, shape (3,) [N]."""
    states, limits = {}, _tensions(model, data)
    for tendon in range(model.ntendon):
        first = model.tendon_adr[tendon]
        a, b = (data.site_xpos[model.wrap_objid[first + k]] for k in (0, 1))
        length = float(data.ten_length[tendon])
        stretch = length - float(model.tendon_lengthspring[tendon, 0])
        pull = model.tendon_stiffness[tendon] * stretch + model.tendon_damping[tendon] * data.ten_velocity[tendon]
        states[model.tendon(tendon).name] = -(pull + limits[tendon]) / max(length, _TINY) * (b - a)
    return states


def _tensions(model: mujoco.MjModel, data: mujoco.MjData) -> Floats:
    """Return with which force the longest and the shortest length of each tendon hold it, shape (t,) [N]."""
    tensions = np.zeros(model.ntendon)
    for row in np.flatnonzero(data.efc_type == int(mujoco.mjtConstraint.mjCNSTR_LIMIT_TENDON)):
        tendon = int(data.efc_id[row])
        is_taut = data.ten_length[tendon] > model.tendon_range[tendon].mean()
        tensions[tendon] += data.efc_force[row] if is_taut else -data.efc_force[row]
    return tensions
