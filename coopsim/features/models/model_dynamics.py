"""Resistance of a model's joints, and which of them follow others, as joints of ours have it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from coopsim.features.models.joint_facts import Following, JointFacts
from coopsim.features.models.model_loops import ModelLoops
from coopsim.features.models.model_tendons import ModelTendons
from coopsim.scene import Joint, JointDynamics, Problems, Span

_OF_JOINTS = 2  # MuJoCo's kind of an equality between joints
_ELSEWHERE = (0, 1, 3)  # those that hold bodies, see `ModelLoops`, and those of tendons


class ModelDynamics:
    """Resistances of joints out of a model that MuJoCo compiled.

    Args:
        model: MuJoCo's.
        facts: What its joints say besides.
        start: Its first line.
        problems: Takes a warning for each coupling that is left out.
        tendons: Its tendons, which couple joints, too.
    """

    def __init__(self, model: Any, facts: JointFacts, start: Span, problems: Problems, tendons: ModelTendons) -> None:
        self._model, self._facts, self._start, self._problems = model, facts, start, problems
        self._loops = ModelLoops(model, start, problems)
        self._own: dict[str, tuple[int, JointDynamics]] = {}
        self._leaders = {**self._named_leaders(), **self._coupled_leaders()}
        for follower, leader, ratio, offset in tendons.followings(self._leaders):
            self._leaders[follower] = leader, ratio, offset

    def is_follower(self, number: int) -> bool:
        """Return whether a joint of MuJoCo follows another one."""
        return number in self._leaders

    def note(self, name: str, number: int, *, is_plain: bool) -> None:
        """Note what resists a joint of ours.

        Args:
            name: Its name.
            number: MuJoCo's joint.
            is_plain: Whether it is the same hinge or slide; else it is one of several, whose springs pull to 0.
        """
        model, dof = self._model, int(self._model.jnt_dofadr[number])
        place = int(model.jnt_qposadr[number])
        rest = float(model.qpos_spring[place] - model.qpos0[place]) if is_plain else 0.0
        resists = {
            "damping": float(model.dof_damping[dof]),
            "friction": float(model.dof_frictionloss[dof]),
            "stiffness": float(model.jnt_stiffness[number]),
        }
        # a fit to measurements may say so; what pushes a joint on would speed it up without end
        for word in [word for word, value in resists.items() if value < 0.0]:
            text = f"the joint {name!r} has the {word} {resists[word]:g}; it has none here"
            self._problems.warn(self._span(number), text)
            resists[word] = 0.0
        damping, friction, stiffness = resists.values()
        self._own[name] = number, JointDynamics(damping, friction, stiffness, rest if stiffness else 0.0)
        if is_plain and model.qpos0[place] != 0.0:
            text = f"the joint {name!r} is at {model.qpos0[place]:g} in the model where it is made, and at 0 here"
            self._problems.warn(self._span(number), text)

    def of(self, joint: Joint, names: Mapping[int, str]) -> Joint:
        """Return a joint with what resists it, given what joints of MuJoCo are called here."""
        if joint.name not in self._own:
            return joint
        number, dynamics = self._own[joint.name]
        following = self._leaders.get(number)
        if following is not None and following[0] in names:
            leader, ratio, offset = following
            dynamics = replace(dynamics, follows=names[leader], ratio=ratio, offset=offset)
        return replace(joint, dynamics=None if dynamics == JointDynamics() else dynamics)

    def _named_leaders(self) -> dict[int, tuple[int, float, float]]:
        """Return what URDF and SDF say: by follower its leader, ratio and offset."""
        numbers = {self._model.joint(number).name: number for number in range(self._model.njnt)}
        leaders = {}
        for name, following in self._facts.followers.items():
            if name not in numbers:
                continue
            if following.leader not in numbers or following.leader == name:
                text = f"the joint {name!r} mimics {following.leader!r}, which is no joint that moves; it moves freely"
                self._problems.warn(self._facts.spans[name], text)
                continue
            leaders[numbers[name]] = self._direct(name, following, numbers)
        return leaders

    def _direct(self, name: str, following: Following, numbers: Mapping[str, int]) -> tuple[int, float, float]:
        """Return the first leader of a line of them, each of which follows the next."""
        leader, ratio, offset = following
        seen = {name}
        while leader in self._facts.followers and leader not in seen:
            seen.add(leader)
            farther = self._facts.followers[leader]
            if farther.leader not in numbers or farther.leader in seen:
                break
            leader, ratio, offset = farther.leader, ratio * farther.ratio, ratio * farther.offset + offset
        return numbers[leader], ratio, offset

    def _coupled_leaders(self) -> dict[int, tuple[int, float, float]]:
        """Return what equalities of MJCF say; those that are no straight lines are told."""
        model, leaders = self._model, {}
        for number in range(model.neq):
            kind, ends = int(model.eq_type[number]), (int(model.eq_obj1id[number]), int(model.eq_obj2id[number]))
            is_coupling = kind == _OF_JOINTS and ends[1] >= 0 and bool(model.eq_active0[number])
            if not is_coupling:
                if kind not in _ELSEWHERE:
                    self._loops.warn_left_out(number)
                continue
            first, slope, *bent = model.eq_data[number][:5].tolist()
            if np.any(bent):
                name = model.joint(ends[0]).name
                text = f"the joint {name!r} follows another one by a curve; its slope at 0 is taken"
                self._problems.warn(self._span(ends[0]), text)
            leaders[ends[0]] = (ends[1], slope, first)
        return leaders

    def _span(self, number: int) -> Span:
        return self._facts.spans.get(self._model.joint(number).name, self._start)
