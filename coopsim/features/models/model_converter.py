"""Links, joints and devices of a robot out of a model that MuJoCo compiled."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from coopsim.engines.contract import MOVABLE
from coopsim.features.models.frames import angles, quaternion_matrix, three
from coopsim.features.models.joint_facts import JointFacts
from coopsim.features.models.model_dynamics import ModelDynamics
from coopsim.features.models.model_looks import ModelLooks
from coopsim.features.models.model_loops import ModelLoops
from coopsim.features.models.model_shapes import ModelShapes
from coopsim.features.models.model_tendons import ModelTendons
from coopsim.geometry import Floats
from coopsim.interfaces.arms import MOST_JOINTS
from coopsim.scene import BASE, DeviceSection, Joint, LinkSpec, Problems, RobotFile, Span, VisualSection
from coopsim.scene.spans import Entry

ANCHOR = 0.02  # m; side of the body `base`
_LIGHT, _LEAST = 1e-6, 1e-9  # kg, kg m2; of a body without mass
_FRICTION = 0.6  # of a shape of which a model says nothing
_USUAL_SPEED, _FASTEST = 1.5, 1e3  # rad/s, m/s; of a motor of which a model says nothing, and of any
_USUAL_EFFORT = 100.0  # N m, N; of a joint of which a model says nothing
_USUAL_SOFTNESS = (0.02, 1.0, 0.9, 0.95, 1e-3, 0.5, 2.0)  # solref and solimp of MuJoCo's limits
_LEAST_INERTIA = 1e-5  # kg m2; a servo cannot hold what resists less
_FREE, _BALL, _SLIDE, _HINGE = range(4)
_AXES = np.eye(3)


@dataclass(frozen=True)
class _Axis:
    """A direction in which a body moves.

    Attributes:
        kind: "hinge" or "slide".
        anchor: In the frame of the body [m].
        along: Unit vector in the frame of the body.
        number: MuJoCo's number of the joint.
        name: Ours.
    """

    kind: str
    anchor: Floats
    along: Floats
    number: int
    name: str


class ModelConverter:
    """Makes links and joints of what MuJoCo compiled.

    Args:
        model: MuJoCo's.
        path: The file.
        start: Its first line.
        facts: What its joints say besides.
        problems: Takes a warning for whatever becomes something else.
        pushes_back: Whether limits push joints back that begin beyond them, as in MuJoCo; else they hold them there
            until they come back, as in PyBullet.
    """

    def __init__(
        self, model: Any, path: Path, start: Span, facts: JointFacts, problems: Problems, *, pushes_back: bool = False
    ) -> None:
        self._model, self._path, self._start, self._problems = model, path, start, problems
        self._tendons, self._facts = ModelTendons(model, facts, start, problems), facts
        self._dynamics = ModelDynamics(model, facts, start, problems, self._tendons)
        self._tendon_limits = self._tendons.limits()
        self._pushes, self._taken = pushes_back, {BASE}
        self._names = {0: BASE}
        self._frames: dict[int, tuple[Floats, Floats]] = {0: (np.zeros(3), np.eye(3))}
        self._shapes = ModelShapes(model, start, problems)
        self._has_told_softness = False
        self._efforts: dict[str, float] = {}
        self._fastest: dict[str, float] = {}
        self._numbers: dict[int, str] = {}
        self._free = _carrier(model)
        self._driven = _driven_joints(model, self._tendons)

    def robot(self, looks: ModelLooks) -> RobotFile:
        """Return the robot, given what it looks like."""
        links: list[LinkSpec] = []
        visuals: list[VisualSection] = []
        joints: list[Joint] = []
        for body in range(1, self._model.nbody):
            link = self._link(body)
            carriers, body_joints = self._joints(body, link)
            links += [*carriers, link]
            joints += body_joints
            visuals += looks.of(body, self._names[body])
        joints = [self._dynamics.of(joint, self._numbers) for joint in joints]
        joints += ModelLoops(self._model, self._start, self._problems).pivots(self._names, self._frames, self._free)
        ropes = self._tendons.ropes(self._names, self._frames)
        joints += [replace(rope, name=self._unused(_word(rope.name, "tendon"))) for rope in ropes]
        if self._free:  # its own base is where it is put, with the small body in it
            origin = self._frames[self._free][0]
            links = [replace(link, position=three(np.subtract(link.position, origin))) for link in links]
        return RobotFile(
            self._path.stem,
            summary=f"model {self._path.name}",
            shape="box",
            size=(ANCHOR, ANCHOR, ANCHOR),
            mass=1.0 if not self._free else 1e-3,
            has_wheels=False,
            devices=tuple(self._devices(joints, links)),
            links=tuple(links),
            joints=tuple(joints),
            visuals=tuple(visuals),
            file=str(self._path),
            span=self._start,
            is_bolted=not self._free,
            is_articulated=True,
        )

    @property
    def renamed(self) -> dict[str, str]:
        """Links by the names of their model that something else has here, with their own names here."""
        names = {self._model.body(body).name: name for body, name in self._names.items() if body}
        return {name: own for name, own in names.items() if name != own and name in self._taken}

    def _devices(self, joints: list[Joint], links: list[LinkSpec]) -> Iterator[DeviceSection]:
        """Yield modules for the joints, up to eight in each, those that nothing drives apart; and where a tool is."""
        moving = [joint.name for joint in joints if joint.kind in MOVABLE]
        driven = [name for name in moving if name in self._efforts]
        for kind, names in (("joints", driven), ("passive", [name for name in moving if name not in self._efforts])):
            for first in range(0, len(names), MOST_JOINTS):
                module = kind if not first else f"{kind}_{first // MOST_JOINTS + 1}"
                chosen = names[first : first + MOST_JOINTS]
                efforts = [f"{self._efforts.get(name, 0.0):g}" for name in chosen]
                entries = [self._entry("joints", chosen), self._entry("max_effort", efforts)]
                if any(name in self._fastest for name in chosen):
                    speeds = [f"{self._fastest.get(name, _USUAL_SPEED):g}" for name in chosen]
                    entries.append(self._entry("max_velocity", speeds))
                yield DeviceSection("joints", module, settings=tuple(entries), span=self._start)
        if links:
            yield DeviceSection("tool", "pose", span=self._start, body=links[-1].name)

    def _entry(self, key: str, words: list[str]) -> Entry:
        return Entry(key, tuple(words), self._start, tuple(self._start for _ in words))

    def _link(self, body: int) -> LinkSpec:
        model = self._model
        place, turn = self._frame(body)
        name = self._names[body] = self._name(body)
        parts = self._shapes.of(body, name)
        rotation = quaternion_matrix(model.body_iquat[body])
        tensor = rotation @ np.diag(np.maximum(model.body_inertia[body], _LEAST)) @ rotation.T
        return LinkSpec(
            name,
            parts[0].shape,
            parts[0].size,
            max(float(model.body_mass[body]), _LIGHT),
            three(place),
            angles(turn),
            _FRICTION,
            three(model.body_ipos[body]),
            _moments(tensor),
            self._start,
            parts,
        )

    def _joints(self, body: int, link: LinkSpec) -> tuple[list[LinkSpec], list[Joint]]:
        """Return the joints that hold a body, and links without mass between them where there are several."""
        axes = list(self._axes(body))
        parent = self._names[int(self._model.body_parentid[body])]
        if not axes:
            return [], [self._between(f"weld_{body}", "weld", parent, link.name)]
        carriers: list[LinkSpec] = []
        joints: list[Joint] = []
        frame = self._frames[int(self._model.body_parentid[body])]
        for axis in axes:
            is_last = axis is axes[-1]
            carried = link.name if is_last else self._unused(f"{link.name}_{axis.name}")
            joints.append(self._moving(body, axis, (parent, carried), frame))
            if not is_last:
                at = self._frames[body]
                carriers.append(_massless(carried, at, self._start))
                parent, frame = carried, at
        return carriers, joints

    def _axes(self, body: int) -> Iterator[_Axis]:
        """Yield in which directions a body moves, a ball as three hinges, what is free in a fixed world as six."""
        model = self._model
        first = int(model.body_jntadr[body])
        for number in range(first, first + int(model.body_jntnum[body])):
            kind, at = int(model.jnt_type[number]), model.jnt_pos[number]
            name = _word(
                model.joint(number).name, f"joint_{body}_{number - first}" if number > first else f"joint_{body}"
            )
            if kind in (_SLIDE, _HINGE):
                axis = "hinge" if kind == _HINGE else "slide"
                yield _Axis(axis, at, model.jnt_axis[number], number, self._unused(name))
                continue
            if kind == _FREE and body == self._free:
                return
            _, turn = self._frames[body]
            if kind == _FREE:
                text = (
                    f"the body {self._names[body]!r} is free beside others: it moves by three slides and three hinges"
                )
                yield from (
                    _Axis("slide", np.zeros(3), turn.T @ along, number, self._unused(f"{name}_{'xyz'[k]}"))
                    for k, along in enumerate(_AXES)
                )
            else:
                text = f"the ball joint {name!r} becomes three hinges, about x, y and z of its body"
            self._warn(number, text)
            for k, along in enumerate(_AXES):
                yield _Axis("hinge", at, along, number, self._unused(f"{name}_r{'xyz'[k]}"))

    def _moving(self, body: int, axis: _Axis, ends: tuple[str, str], frame: tuple[Floats, Floats]) -> Joint:
        """Return a joint whose first body has its frame where `frame` is."""
        model, number = self._model, axis.number
        place, turn = self._frames[body]
        base, axes = frame
        is_plain = int(model.jnt_type[number]) in (_SLIDE, _HINGE)
        self._dynamics.note(axis.name, number, is_plain=is_plain)
        if is_plain:
            self._numbers[number] = axis.name
            speed = self._facts.speeds.get(model.joint(number).name)
            if speed is not None:
                self._fastest[axis.name] = min(speed, _FASTEST)
        if number in self._driven and is_plain and not self._dynamics.is_follower(number):
            most = float(model.jnt_actfrcrange[number][1]) if model.jnt_actfrclimited[number] else 0.0
            self._efforts[axis.name] = most or self._driven[number] or _USUAL_EFFORT
        joint = self._between(axis.name, axis.kind, *ends)
        dof = int(model.jnt_dofadr[number])
        armature = max(float(model.dof_armature[dof]), _LEAST_INERTIA - float(model.dof_M0[dof]), 0.0)
        return replace(
            joint,
            anchor=three(axes.T @ (place + turn @ axis.anchor - base)),
            axis=three(axes.T @ turn @ axis.along),
            limits=self._limits(number, axis.name) if is_plain else (),
            armature=armature,
        )

    def _between(self, name: str, kind: str, a: str, b: str) -> Joint:
        span = self._start
        return Joint(name, kind, a, b, span=span, a_span=span, b_span=span)

    def _limits(self, number: int, name: str) -> tuple[float, ...]:
        """Return the limits of a joint, counted from where it is made."""
        model, own = self._model, self._tendon_limits.get(number, (-np.inf, np.inf))
        if model.jnt_limited[number]:
            self._warn_of_softness(number, name)
            margin = float(model.jnt_margin[number])  # MuJoCo's limit holds that far before the end
            low, high = float(model.jnt_range[number][0]) + margin, float(model.jnt_range[number][1]) - margin
            own = max(own[0], low), min(own[1], high)
        elif number not in self._tendon_limits:
            return ()
        low, high = (float(end - model.qpos0[model.jnt_qposadr[number]]) for end in own)
        if not low <= 0.0 <= high:
            ends = f"the joint {name!r} begins beyond its limits, {low:.4g} to {high:.4g}"
            self._warn(number, f"{ends}; they {'push it back' if self._pushes else 'grow to where it begins'}")
            if self._pushes:
                return low, high
        return min(low, 0.0), max(high, 0.0)

    def _warn_of_softness(self, number: int, name: str) -> None:
        """Warn, once for a model, of limits that push back otherwise than ours do."""
        model = self._model
        own = np.concatenate([model.jnt_solref[number], model.jnt_solimp[number]])
        if not self._has_told_softness and not np.allclose(own, _USUAL_SOFTNESS):
            self._has_told_softness = True
            text = f"limits of the joint {name!r} have solreflimit or solimplimit of their own"
            self._warn(number, f"{text}; all limits are as soft as MuJoCo's default here")

    def _warn(self, joint: int, text: str) -> None:
        """Warn of a joint of the model, where that is written."""
        self._problems.warn(self._facts.spans.get(self._model.joint(joint).name, self._start), text)

    def _frame(self, body: int) -> tuple[Floats, Floats]:
        """Return place and orientation of a body of MuJoCo in the frame of the robot, joints at 0."""
        parent = int(self._model.body_parentid[body])
        place, turn = self._frames[parent]
        frame = place + turn @ self._model.body_pos[body], turn @ quaternion_matrix(self._model.body_quat[body])
        self._frames[body] = frame
        return frame

    def _name(self, body: int) -> str:
        name = _word(self._model.body(body).name, f"link_{body}")
        return self._unused(f"{name}_link" if name == BASE else name)

    def _unused(self, name: str) -> str:
        """Return a name that no other body or joint of the robot has."""
        word, count = name, 2
        while word in self._taken:
            word, count = f"{name}_{count}", count + 1
        self._taken.add(word)
        return word


def _carrier(model: Any) -> int:
    """Return the free body that carries all that moves, of which the base is a part; 0 = there is none.

    Where something moves beside it, as an arm beside a ball, free bodies move in six directions against a base that
    stays.
    """
    free = np.flatnonzero(model.jnt_type == _FREE)
    body = int(model.jnt_bodyid[free[0]]) if len(free) == 1 else 0
    is_alone = bool(np.all(model.body_rootid[model.body_weldid > 0] == body))
    return body if is_alone else 0


def _driven_joints(model: Any, tendons: ModelTendons) -> dict[int, float]:
    """Return the joints that motors drive, with the largest effort, 0 = not known; all where there are no motors."""
    if not model.nu:
        return dict.fromkeys(range(model.njnt), 0.0)
    of_joints = np.flatnonzero(np.isin(model.actuator_trntype, (0, 1))).tolist()
    pulls = [(motor, int(model.actuator_trnid[motor][0]), 1.0) for motor in of_joints]
    efforts: dict[int, float] = {}
    for motor, joint, share in (*pulls, *tendons.efforts()):
        gear, gain = abs(float(model.actuator_gear[motor][0])), abs(float(model.actuator_gainprm[motor][0]))
        effort = 0.0
        if model.actuator_forcelimited[motor]:
            effort = gear * float(np.abs(model.actuator_forcerange[motor]).max())
        elif model.actuator_ctrllimited[motor] and not model.actuator_biastype[motor]:
            effort = gear * gain * float(np.abs(model.actuator_ctrlrange[motor]).max())
        efforts[joint] = efforts.get(joint, 0.0) + share * effort
    return efforts


def _massless(name: str, frame: tuple[Floats, Floats], span: Span) -> LinkSpec:
    place, turn = frame
    moments = (_LEAST, _LEAST, _LEAST, 0.0, 0.0, 0.0)
    small = (1e-4, 1e-4, 1e-4)
    return LinkSpec(name, "box", small, _LIGHT, three(place), angles(turn), 0.0, (0.0, 0.0, 0.0), moments, span)


def _word(name: str, otherwise: str) -> str:
    """Return a name that files may have."""
    word = re.sub(r"\W", "_", name, flags=re.ASCII)
    return word if word and not word[0].isdigit() else otherwise


def _moments(tensor: Floats) -> tuple[float, float, float, float, float, float]:
    """Return xx, yy, zz, xy, xz and yz of a symmetric tensor."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = tensor.tolist()
    return (xx, yy, zz, xy, xz, yz)
