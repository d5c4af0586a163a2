"""Facts about the joints of a model that MuJoCo's reader does not keep: lines, speeds, which joint follows which."""

import math
from dataclasses import dataclass, field
from typing import NamedTuple

from coopsim.scene import Problems
from coopsim.scene.spans import Span
from coopsim.scene.xml_nodes import XmlNode

SECOND_AXIS = "axis2"
"""Element of SDF joints that turn about two axes."""
_TENDONS = ("fixed", "spatial")
_ENDLESS = 1e15  # what writers of SDF say for no limit


def second_name(joint: str) -> str:
    """Return the name of the second axis of a joint: it is a joint of its own."""
    return f"{joint}_{SECOND_AXIS}"


class Following(NamedTuple):
    """Joint that another one follows.

    Attributes:
        leader: Name of the other joint, in the model.
        ratio: Its position per that of the leader.
        offset: Its position where the leader is at 0 [rad, m].
    """

    leader: str
    ratio: float
    offset: float


@dataclass
class JointFacts:
    """Facts about the joints of a model, by their names in it.

    Attributes:
        spans: Where each begins.
        speeds: Largest velocities, of those that say one [rad/s, m/s].
        followers: Joints that follow others.
        tendons: Where each tendon begins.
    """

    spans: dict[str, Span] = field(default_factory=dict)
    speeds: dict[str, float] = field(default_factory=dict)
    followers: dict[str, Following] = field(default_factory=dict)
    tendons: dict[str, Span] = field(default_factory=dict)

    def read(self, root: XmlNode, problems: Problems) -> None:
        """Read what all joints below an element say; numbers that are none are noted."""
        for joint in root.walk():
            name = joint.get("name")
            if joint.tag in _TENDONS:
                self.tendons.setdefault(name, joint.span)
            if joint.tag != "joint" or not name or name in self.spans:
                continue
            self.spans[name] = joint.span
            second = next(joint.all(SECOND_AXIS), None)
            if second is not None:
                self.spans[second_name(name)] = second.span
                self._read_axis(second_name(name), second, problems)
            for part in joint.children:
                if part is not second:
                    self._read_axis(name, part, problems)

    def _read_axis(self, name: str, within: XmlNode, problems: Problems) -> None:
        """Read what an axis of a joint says, or what URDF says beside it."""
        for part in within.walk():
            if part.tag == "limit":
                speed = _number(part, "velocity", 0.0, problems)
                if 0.0 < speed < _ENDLESS:
                    self.speeds[name] = speed
            elif part.tag == "mimic":
                self._read_follower(name, part, problems)

    def _read_follower(self, name: str, mimic: XmlNode, problems: Problems) -> None:
        ratio, offset = _number(mimic, "multiplier", 1.0, problems), _number(mimic, "offset", 0.0, problems)
        # SDF alone has a reference: the position of the leader where the follower is at its offset
        offset -= ratio * _number(mimic, "reference", 0.0, problems)
        leader = mimic.get("joint")
        leader = second_name(leader) if mimic.get("axis") == SECOND_AXIS else leader
        self.followers[name] = Following(leader, ratio, offset)


def _number(node: XmlNode, name: str, otherwise: float, problems: Problems) -> float:
    """Return the number of an attribute, or of an element of that name."""
    child = next(node.all(name), None)
    text = node.get(name) or (child.text if child is not None else "")
    if not text.strip():
        return otherwise
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if math.isnan(number):
        problems.add(node.span, f"{name} of <{node.tag}> takes a number, got {text.strip()[:40]!r}")
        return otherwise
    return number
