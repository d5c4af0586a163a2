"""Joints as a simulation remembers them: what they are, and where their bodies were when they were made."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import astuple, fields, replace
from typing import Any, NamedTuple, Self, TypeAlias

from coopsim.engines import JointSpec, PhysicsEngine
from coopsim.engines.rotations import Quaternion, back, minus, plus, times, turned
from coopsim.errors import BadFile
from coopsim.geometry import Vector3
from coopsim.scene import JointDynamics
from coopsim.state.plain import check

Pose: TypeAlias = tuple[float, float, float, float, float, float, float]
_SPEC = [field.name for field in fields(JointSpec) if field.compare]


class Joined(NamedTuple):
    """A joint.

    Attributes:
        a: Pose of its first body when the joint was made.
        b: Pose of its second body then.
    """

    spec: JointSpec
    a: Pose
    b: Pose

    def moved(self, name: str, pose: Pose) -> Self:
        """Return it as if the body of this name, and all else with it, had been at a pose when it was made."""
        end = self.a if name == self.spec.a else self.b
        if end == pose:
            return self
        turn = times(_turn(pose), back(_turn(end)))
        place = minus(pose[:3], turned(turn, end[:3]))

        def shifted(before: Pose) -> Pose:
            return (*plus(place, turned(turn, before[:3])), *times(turn, _turn(before)))

        anchor, axis = plus(place, turned(turn, self.spec.anchor)), turned(turn, self.spec.axis)
        far = None if self.spec.far_anchor is None else plus(place, turned(turn, self.spec.far_anchor))
        spec = replace(self.spec, anchor=anchor, axis=axis, far_anchor=far)
        return self._replace(spec=spec, a=shifted(self.a), b=shifted(self.b))

    @property
    def anchor_on_a(self) -> Vector3:
        """Position of the joint in the frame of its first body [m]."""
        return turned(back(_turn(self.a)), minus(self.spec.anchor, self.a[:3]))

    @property
    def ends(self) -> tuple[Vector3, Vector3] | tuple[None, None]:
        """Ends of a spring, in the frames of its bodies, to the micrometre [m]; None of other kinds."""
        if self.spec.kind != "spring":
            return None, None
        far = turned(back(_turn(self.b)), minus(self.spec.far, self.b[:3]))
        return _rounded(self.anchor_on_a), _rounded(far)

    def to_plain(self) -> list[Any]:
        """Return it out of lists, numbers and text; where it stood in a file is left out."""
        values = [getattr(self.spec, name) for name in _SPEC]
        # last fields that nobody set: snapshots of older versions stay the same bytes
        while values[-1] is None:
            del values[-1]
        values = [list(astuple(value)) if isinstance(value, JointDynamics) else value for value in values]
        return [values, self.a, self.b]

    @classmethod
    def from_plain(cls, content: Sequence[Any]) -> "Joined":
        """Return what `to_plain` was given.

        Raises:
            BadFile: It is something else.
        """
        try:
            check([content[1], content[2]], tuple[Pose, Pose], "joints")
            # a joint without a limit has an infinite one
            check([0.0 if value in (math.inf, -math.inf) else value for value in content[0]], list[Any], "joints")
            values = [tuple(value) if isinstance(value, list | tuple) else value for value in content[0]]
            # a joint of an earlier version lacks its last fields
            given: dict[str, Any] = dict(zip(_SPEC[: len(values)], values, strict=True))
            if "dynamics" in given:
                given["dynamics"] = JointDynamics(*given["dynamics"])
                check(given["dynamics"], JointDynamics, "joints")
            joined = cls(JointSpec(**given), tuple(content[1]), tuple(content[2]))
            check(joined.spec.name, str, "joints")
        except (ValueError, LookupError, TypeError) as problem:
            raise BadFile(f"the snapshot cannot be read: {problem}") from None
        return joined


def _rounded(place: Vector3) -> Vector3:
    # + 0.0 makes -0.0 the 0.0 that it equals, so that texts are equal, too
    x, y, z = (round(side, 6) + 0.0 for side in place)
    return x, y, z


def _turn(pose: Pose) -> Quaternion:
    return pose[3:]


def join(engine: PhysicsEngine, spec: JointSpec, fixed: Mapping[str, Pose]) -> Joined:
    """Join two bodies where they are now.

    Args:
        engine: Holds them.
        spec: The joint.
        fixed: Poses of the bodies without mass, by name.

    Raises:
        EngineCannot: The engine has no such joint.
        BadArgument: A joint of this name is there, or a number is out of range.
        NoSuchName: It joins a body that is not there.
    """
    poses = {**fixed, **{name: tuple(pose) for name, pose in zip(engine.names, engine.poses.tolist(), strict=True)}}
    engine.add_joint(spec)
    return Joined(spec, poses[spec.a], poses[spec.b])
