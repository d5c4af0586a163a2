"""Couplings of SDF joints: screws, whose turning and sliding go together, and gearboxes between two hinges.

Source: the SDFormat specification 1.12, sdformat.org/spec, element `joint`: `screw_thread_pitch` is the way of one turn
of a right-handed thread, `thread_pitch` the angle per metre of a left-handed one; of a gearbox the angle of the child
about `<axis2>` is minus `gearbox_ratio` times that of the parent about `<axis>`, both against the reference body.
"""

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from coopsim.features.models.sdf_poses import number_in, text_in
from coopsim.geometry import Vector3
from coopsim.scene import Problems
from coopsim.scene.xml_nodes import XmlNode

SCREW, GEARBOX = "screw", "gearbox"
_HINGES = ("revolute", "continuous")
_SLIDE = "prismatic"
_PARALLEL = 0.999
"""Cosine between two directions that count as one axis."""


class _Coupling(NamedTuple):
    """Joint that follows another one.

    Attributes:
        follower: Its name.
        leader: Name of the other.
        ratio: Its position per that of the other.
    """

    follower: str
    leader: str
    ratio: float


def slide_name(screw: str) -> str:
    """Return the name of the slide of a screw: it is a joint of its own."""
    return f"{screw}_slide"


class SdfCouplings:
    """Joints of a model that follow others.

    Args:
        joints: By the link that each holds.
        along: Returns the direction of an axis of a joint in the model; the axis is "axis" or "axis2".
        problems: Takes a warning for what is left out.
    """

    def __init__(
        self, joints: Mapping[str, XmlNode], along: Callable[[XmlNode, str], Vector3], problems: Problems
    ) -> None:
        self._joints, self._along, self._problems = joints, along, problems
        self._couplings: list[_Coupling] = []

    def add_screw(self, node: XmlNode) -> None:
        """Couple the slide of a screw to its hinge."""
        name = node.get("name")
        self._couplings.append(_Coupling(slide_name(name), name, self._way(node)))

    def add_closing(self, node: XmlNode) -> bool:
        """Couple joints by one that holds a link which another joint holds already; return whether it is a coupling."""
        kind = node.get("type")
        if kind not in (SCREW, GEARBOX):
            return False
        coupling = self._nut(node) if kind == SCREW else self._gears(node)
        if coupling is None:
            wants = "a hinge and a slide" if kind == SCREW else "two hinges on <gearbox_reference_body>"
            text = f"the joint {node.get('name')!r} of the type {kind!r} is left out: it couples {wants}"
            self._problems.warn(node.span, f"{text}, whose axes are parallel to its own")
        else:
            self._couplings.append(coupling)
        return True

    def write(self, equality: Element) -> None:
        """Add an element for each coupling."""
        for follower, leader, ratio in self._couplings:
            SubElement(equality, "joint", joint1=follower, joint2=leader, polycoef=f"0 {ratio:.12g} 0 0 0")

    def _way(self, node: XmlNode) -> float:
        """Return how far a screw moves per angle [m/rad]."""
        if any(node.all("screw_thread_pitch")) or not any(node.all("thread_pitch")):
            return number_in(node, "screw_thread_pitch", 1.0, self._problems) / (2.0 * math.pi)
        turns = number_in(node, "thread_pitch", 1.0, self._problems)
        if turns == 0.0:
            self._problems.add(node.span, f"<thread_pitch> of the joint {node.get('name')!r} is 0; expected rad/m")
            return 1.0
        return -1.0 / turns

    def _nut(self, node: XmlNode) -> _Coupling | None:
        """Return what a screw does between a hinge and a slide that hang on one link."""
        child, parent = (self._joints.get(text_in(node, end)) for end in ("child", "parent"))
        if child is None or parent is None or text_in(child, "parent") != text_in(parent, "parent"):
            return None
        ends = {joint.get("type"): (joint, sign) for joint, sign in ((child, 1.0), (parent, -1.0))}
        hinge = next((ends[kind] for kind in _HINGES if kind in ends), None)
        slide, way = ends.get(_SLIDE), self._way(node)
        if hinge is None or slide is None:
            return None
        turn, shift = (self._sense(node, "axis", joint) for joint, _ in (hinge, slide))
        if not turn or not shift or not way:
            return None
        # child against parent: its way is the pitch times its angle; each end counts by its sign
        ratio = (slide[1] * shift) / (way * hinge[1] * turn)
        # the slide bears the load and is what is commanded
        return _Coupling(hinge[0].get("name"), slide[0].get("name"), ratio)

    def _gears(self, node: XmlNode) -> _Coupling | None:
        reference = text_in(node, "gearbox_reference_body")
        child, parent = (self._joints.get(text_in(node, end)) for end in ("child", "parent"))
        if child is None or parent is None:
            return None
        if any(joint.get("type") not in _HINGES or text_in(joint, "parent") != reference for joint in (child, parent)):
            return None
        first, second = self._sense(node, "axis", parent), self._sense(node, "axis2", child)
        ratio = -number_in(node, "gearbox_ratio", 1.0, self._problems) * first * second
        return _Coupling(child.get("name"), parent.get("name"), ratio) if ratio else None

    def _sense(self, node: XmlNode, axis: str, joint: XmlNode) -> float:
        """Return 1 where an axis of a coupling points as that of a joint, -1 where opposite, 0 where neither."""
        own, moved = (np.array(direction) for direction in (self._along(node, axis), self._along(joint, "axis")))
        cosine = float(own @ moved) / (float(np.linalg.norm(own) * np.linalg.norm(moved)) or 1.0)
        return math.copysign(1.0, cosine) if abs(cosine) > _PARALLEL else 0.0
