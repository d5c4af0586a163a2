"""The joints of an arm as text, as the parameter `chain` of its module `tool` has it.

One joint after the other, separated by `;`: name, kind, a point of its axis, the axis, lowest and highest position,
largest speed. The last part is `tool` with place and quaternion of its point. All is seen from the base while all
joints are at 0.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from coopsim.errors import BadArgument
from coopsim.geometry import Vector3


@dataclass(frozen=True, slots=True)
class ChainJoint:
    """A joint between the base and the tool.

    Attributes:
        kind: "hinge" or "slide".
        point: Of its axis [m].
        axis: Unit vector.
        low: Lowest position [rad, m].
        high: Highest position [rad, m].
        fastest: Largest speed [rad/s, m/s].
    """

    name: str
    kind: str
    point: Vector3
    axis: Vector3
    low: float = -math.inf
    high: float = math.inf
    fastest: float = math.inf


@dataclass(frozen=True, slots=True)
class Chain:
    """The way from the base of a robot to its tool.

    Attributes:
        tool: Place and quaternion of the tool while all joints are at 0.
    """

    joints: tuple[ChainJoint, ...]
    tool: tuple[float, float, float, float, float, float, float]

    def to_text(self) -> str:
        """Return it as text."""
        parts = [
            " ".join(
                [joint.name, joint.kind, *map(repr, (*joint.point, *joint.axis, joint.low, joint.high, joint.fastest))]
            )
            for joint in self.joints
        ]
        return "; ".join([*parts, " ".join(["tool", *map(repr, self.tool)])])

    @classmethod
    def from_text(cls, text: str) -> "Chain":
        """Return what `to_text` gave.

        Raises:
            BadArgument: It is no such text.
        """
        *parts, last = [part.split() for part in text.split(";")]
        try:
            x, y, z, w, i, j, k = map(float, last[1:])
            return cls(tuple(_joint(part) for part in parts), (x, y, z, w, i, j, k))
        except (ValueError, IndexError):
            raise BadArgument(f"expected the joints of a chain and its tool, got {text[:80]!r}") from None


def _joint(words: Iterable[str]) -> ChainJoint:
    name, kind, *numbers = words
    x, y, z, u, v, w, low, high, fastest = map(float, numbers)
    return ChainJoint(name, kind, (x, y, z), (u, v, w), low, high, fastest)
