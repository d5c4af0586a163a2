"""Engines without joints: empty arrays and refusals."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from coopsim.engines.contract import JointSpec
from coopsim.engines.plane.footprints import located
from coopsim.errors import EngineCannot, NoSuchName
from coopsim.geometry import Floats


class WithoutJoints:
    """The part of an engine that has no joints: empty arrays and refusals.

    Attributes:
        advice: The engine to choose instead, as an end of a sentence.
    """

    kind: ClassVar[str]
    advice: ClassVar[str]

    joints: Sequence[str] = ()
    joint_position = joint_velocity = joint_effort = joint_inertia = np.zeros(0)
    joint_limits = np.zeros((0, 2))  # arrays of the class: nobody can write into none

    def check_step(self, dt: float) -> None:
        """Accept a step of every length: there are no springs that it could be too long for."""

    def joint_state(self) -> Floats:
        """Return nothing, shape (0, 6): there are no joints."""
        return np.zeros((0, 6))

    def add_joint(self, joint: JointSpec) -> None:
        """Refuse a joint.

        Raises:
            EngineCannot: Always.
        """
        raise EngineCannot(
            f"{located(joint.span)}the {self.kind} engine has no joints; {joint.name!r} is a {joint.kind}, "
            f"so choose {self.advice}"
        )

    def remove_joint(self, name: str) -> None:
        """Refuse.

        Raises:
            NoSuchName: Always.
        """
        raise NoSuchName(f"there is no joint named {name!r}; the {self.kind} engine has none")
