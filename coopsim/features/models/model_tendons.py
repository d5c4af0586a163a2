"""Tendons of a model: couplings of two joints, limits of one, ropes and springs between two points, motors of joints.

A fixed tendon is a sum of positions of joints, each with a coefficient. One that an equality holds couples its joints;
one with limits and a single joint limits that one. A spatial tendon between two sites is a spring or a rope. What
else a tendon does is left out and told.

Source: MuJoCo's XML reference, sections "tendon" and "equality/tendon".
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from coopsim.features.models.frames import three
from coopsim.features.models.joint_facts import JointFacts
from coopsim.geometry import Floats
from coopsim.scene import Joint, Problems, Span

_OF_TENDONS = 3  # MuJoCo's kind of an equality between tendons
_JOINT, _SITE = 1, 3  # MuJoCo's kinds of what a tendon goes over
_ON_TENDON = 3  # MuJoCo's kind of a motor that pulls a tendon
_TINY = 1e-9  # of a coefficient, beside which a joint takes no part
_Frames = Mapping[int, tuple[Floats, Floats]]


class ModelTendons:
    """Tendons of a compiled model.

    Args:
        model: MuJoCo's.
        facts: Where its tendons stand.
        start: Its first line.
        problems: Takes a warning for whatever of a tendon is left out.
    """

    def __init__(self, model: Any, facts: JointFacts, start: Span, problems: Problems) -> None:
        self._model, self._facts, self._start, self._problems = model, facts, start, problems
        self._terms = [self._terms_of(tendon) for tendon in range(model.ntendon)]
        self._held: set[int] = set()

    def followings(self, leaders: Mapping[int, tuple[int, float, float]]) -> Iterator[tuple[int, int, float, float]]:
        """Yield what equalities of tendons say: a joint, its leader, ratio and offset from where they begin.

        Args:
            leaders: Of joints that follow already, by number.
        """
        model, follows = self._model, {joint: leader for joint, (leader, _, _) in leaders.items()}
        driven = {int(model.actuator_trnid[k][0]) for k in range(model.nu) if int(model.actuator_trntype[k]) in (0, 1)}
        for number in np.flatnonzero(model.eq_type == _OF_TENDONS).tolist():
            pair = self._pair(number)
            # joints that motors drive lead, and of two the one nearer to the base
            ends = sorted(pair, key=lambda joint: (joint not in driven, joint)) if pair else []
            follower = next((joint for joint in reversed(ends) if self._may_follow(joint, ends, follows)), None)
            if pair is None or follower is None:
                self._warn_equality(number)
                continue
            leader = next(joint for joint in ends if joint != follower)
            follows[follower] = leader
            self._held.add(int(model.eq_obj1id[number]))
            shift = float(model.eq_data[number][0]) / pair[follower]
            yield follower, leader, -pair[leader] / pair[follower], shift

    def limits(self) -> dict[int, tuple[float, float]]:
        """Return limits of joints that a tendon of their own has, counted as in the model."""
        limits: dict[int, tuple[float, float]] = {}
        for tendon, terms in enumerate(self._terms):
            if terms is None or len(terms) != 1 or not self._model.tendon_limited[tendon]:
                continue
            ((joint, coefficient),) = terms.items()
            low, high = sorted(float(end) / coefficient for end in self._model.tendon_range[tendon])
            before = limits.get(joint, (-np.inf, np.inf))
            limits[joint] = max(low, before[0]), min(high, before[1])
        return limits

    def efforts(self) -> Iterator[tuple[int, int, float]]:
        """Yield motors that pull tendons of joints: the motor, a joint, and the effort there per force."""
        model = self._model
        for motor in np.flatnonzero(model.actuator_trntype == _ON_TENDON).tolist():
            terms = self._terms[int(model.actuator_trnid[motor][0])]
            if terms is None:
                self._warn(int(model.actuator_trnid[motor][0]), "motor that pulls it")
            for joint, coefficient in (terms or {}).items():
                yield motor, joint, abs(coefficient)

    def ropes(self, names: Mapping[int, str], frames: _Frames) -> Iterator[Joint]:
        """Yield springs and ropes between two points, and warn of all that is left out.

        Args:
            names: Of the bodies, by MuJoCo's number.
            frames: Place and orientation of each in the robot, joints at 0.
        """
        model = self._model
        for tendon in range(model.ntendon):
            first, count = int(model.tendon_adr[tendon]), int(model.tendon_num[tendon])
            sites = [int(model.wrap_objid[k]) for k in range(first, first + count) if model.wrap_type[k] == _SITE]
            bodies = [int(model.site_bodyid[site]) for site in sites]
            if len(sites) == count == 2 and bodies[0] != bodies[1]:
                yield from self._rope(tendon, sites, (names, frames))
            elif lost := self._lost(tendon):
                self._warn(tendon, lost)

    def _rope(self, tendon: int, sites: list[int], where: tuple[Mapping[int, str], _Frames]) -> Iterator[Joint]:
        model, (names, frames) = self._model, where
        ends = [int(model.site_bodyid[site]) for site in sites]
        points = [model.site_pos[site] for site in sites]
        spots = [frames[body][0] + frames[body][1] @ point for body, point in zip(ends, points, strict=True)]
        low, high = (float(length) for length in model.tendon_lengthspring[tendon])
        stiffness, damping = float(model.tendon_stiffness[tendon]), float(model.tendon_damping[tendon])
        limits = tuple(map(float, model.tendon_range[tendon])) if model.tendon_limited[tendon] else ()
        if model.tendon_frictionloss[tendon] or (stiffness and low != high):
            self._warn(tendon, "friction" if low == high else "slack of its spring")
        if not (stiffness or damping or limits):
            return
        span, length = self._span(tendon), low if stiffness else float(np.linalg.norm(spots[1] - spots[0]))
        yield Joint(
            model.tendon(tendon).name or f"tendon_{tendon}",
            "spring",
            names[ends[0]],
            names[ends[1]],
            anchor=three(points[0]),
            far_anchor=three(points[1]),
            limits=limits,
            stiffness=stiffness,
            damping=damping,
            length=length,
            span=span,
            a_span=span,
            b_span=span,
        )

    def _terms_of(self, tendon: int) -> dict[int, float] | None:
        """Return the coefficients of the joints of a fixed tendon; None of one that goes over sites."""
        model, first = self._model, int(self._model.tendon_adr[tendon])
        rows = range(first, first + int(model.tendon_num[tendon]))
        if any(model.wrap_type[row] != _JOINT for row in rows):
            return None
        terms = {int(model.wrap_objid[row]): float(model.wrap_prm[row]) for row in rows}
        return {joint: coefficient for joint, coefficient in terms.items() if abs(coefficient) > _TINY}

    def _pair(self, number: int) -> dict[int, float] | None:
        """Return the coefficients of two joints that an equality couples; None where it does something else."""
        model, data = self._model, self._model.eq_data[number]
        tendon, second = int(model.eq_obj1id[number]), int(model.eq_obj2id[number])
        terms, more = self._terms[tendon], self._terms[second] if second >= 0 else {}
        if terms is None or more is None or not model.eq_active0[number] or (second >= 0 and np.any(data[2:5])):
            return None
        total = {joint: terms.get(joint, 0.0) - float(data[1]) * more.get(joint, 0.0) for joint in {**terms, **more}}
        total = {joint: coefficient for joint, coefficient in total.items() if abs(coefficient) > _TINY}
        return total if len(total) == 2 else None

    def _may_follow(self, joint: int, ends: list[int], follows: Mapping[int, int]) -> bool:
        """Return whether a joint can follow the other end: it follows none, and no line of leaders ends at it."""
        leader: int | None = next(end for end in ends if end != joint)
        while leader is not None and leader != joint:
            leader = follows.get(leader)
        return joint not in follows and leader is None

    def _lost(self, tendon: int) -> str:
        """Return in words what of a tendon has no counterpart here, "" where nothing."""
        model, terms = self._model, self._terms[tendon]
        if tendon in self._held:
            return ""  # what holds it outdoes the rest
        is_limit_lost = model.tendon_limited[tendon] and (terms is None or len(terms) != 1)
        parts = {
            "spring": model.tendon_stiffness[tendon],
            "damping": model.tendon_damping[tendon],
            "friction": model.tendon_frictionloss[tendon],
            "armature": model.tendon_armature[tendon],
            "limits": is_limit_lost,
        }
        return ", ".join(name for name, value in parts.items() if value)

    def _warn(self, tendon: int, lost: str) -> None:
        name, terms = self._model.tendon(tendon).name, self._terms[tendon]
        over = f"of {len(terms)} joints" if terms is not None else "over more than two sites of two bodies"
        self._problems.warn(self._span(tendon), f"the tendon {name or tendon!r} {over}: left out: {lost}")

    def _warn_equality(self, number: int) -> None:
        model, tendon = self._model, int(self._model.eq_obj1id[number])
        name = model.tendon(tendon).name or tendon
        text = f"the equality of the tendon {name!r}, which couples tendons, is left out"
        self._problems.warn(self._span(tendon), f"{text}: two joints can be coupled, by a straight line")

    def _span(self, tendon: int) -> Span:
        return self._facts.tendons.get(self._model.tendon(tendon).name, self._start)
