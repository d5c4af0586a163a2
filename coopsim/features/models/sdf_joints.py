"""Joints of SDF models as MJCF: what turns about two axes is two joints in a row, and a ball is MuJoCo's.

Source: the SDFormat specification 1.12, sdformat.org/spec, element `joint`: the first axis of `universal` and
`revolute2` is fixed to the parent, the second one to the child.
"""

import math
from collections.abc import Iterator
from xml.etree.ElementTree import Element, SubElement

from coopsim.features.models.joint_facts import second_name
from coopsim.features.models.sdf_couplings import SCREW, slide_name
from coopsim.features.models.sdf_nesting import AXES_OF_MODELS
from coopsim.features.models.sdf_poses import inverse, number_in, numbers_in, pose_in, text_in, words_of
from coopsim.geometry import Quaternion, Vector3, turned
from coopsim.scene import Problems
from coopsim.scene.xml_nodes import XmlNode

_HINGES, _SLIDES = ("revolute", "continuous", "universal", "revolute2"), ("prismatic",)
_TWOFOLD = ("universal", "revolute2")
_BALL, _FIXED = "ball", "fixed"
_DYNAMICS = {
    "damping": "damping",
    "frictionloss": "friction",
    "stiffness": "spring_stiffness",
    "springref": "spring_reference",
}
_ENDLESS = 1e15  # what SDF writes for no limit
_ARM = 0.05  # m; from the place of a hinge that closes a loop to the points on its axis that are held
_UP = "0 0 1"  # the axis of a joint that says none


class SdfJoints:
    """Writes joints of a model.

    Args:
        version: Of SDF, in which the model is written.
        problems: Takes a warning for a joint that is welded, and mistakes.
    """

    def __init__(self, version: str, problems: Problems) -> None:
        self._is_old, self._problems = version in AXES_OF_MODELS, problems

    def add(self, node: XmlNode, link: Quaternion, body: Element) -> None:
        """Add a joint to the body that it holds.

        Args:
            node: `<joint>`.
            link: Orientation of that body in the model.
            body: Of MJCF.
        """
        kind, name = node.get("type"), node.get("name")
        if kind == _BALL:
            SubElement(body, "joint", name=name, type="ball", pos=words_of(pose_in(node, self._problems)[0]))
            self._warn_of_axes(node)
        elif kind in (*_HINGES, *_SLIDES, SCREW):
            for axis, axis_name in self._axes(node):
                self._add_axis(node, axis, axis_name, link, body)
            if kind == SCREW:
                at, along = pose_in(node, self._problems)[0], self.along(node, next(node.all("axis"), None), link)
                ways = {"pos": words_of(at), "axis": words_of(along)}
                SubElement(body, "joint", {"name": slide_name(name), "type": "slide", **ways})
        elif kind != _FIXED:
            kinds = ", ".join((*_HINGES, *_SLIDES, SCREW, _BALL, _FIXED))
            self._problems.warn(
                node.span, f"the joint {name!r} is of the type {kind!r}; it is welded: those that move are {kinds}"
            )

    def close(self, node: XmlNode, link: Quaternion, equality: Element) -> None:
        """Add what holds a link that hangs on another joint already; arguments as those of `add`, and `<equality>`."""
        kind, name = node.get("type"), node.get("name")
        arms: tuple[Vector3, ...] = ((0.0, 0.0, 0.0),)
        if kind in ("revolute", "continuous"):
            x, y, z = self.along(node, next(node.all("axis"), None), link)
            length = math.hypot(x, y, z) / _ARM or 1.0
            arms = ((x / length, y / length, z / length), (-x / length, -y / length, -z / length))
        elif kind == _FIXED:
            arms = (*arms, (_ARM, 0.0, 0.0), (0.0, _ARM, 0.0))
        elif kind != _BALL:
            text = f"the joint {name!r} of the type {kind!r} would close a loop and is left out"
            self._problems.warn(node.span, f"{text}: hinges, balls and fixed joints do")
            return
        parent, at = text_in(node, "parent"), pose_in(node, self._problems)[0]
        for arm in arms:
            ends = {"body1": text_in(node, "child"), **({} if parent == "world" else {"body2": parent})}
            SubElement(equality, "connect", ends, anchor=words_of([p + q for p, q in zip(at, arm, strict=True)]))

    def _axes(self, node: XmlNode) -> Iterator[tuple[XmlNode | None, str]]:
        """Yield the axes of a joint, that of the parent first, each with its name."""
        name = node.get("name")
        yield next(node.all("axis"), None), name
        second = next(node.all("axis2"), None)
        if node.get("type") in _TWOFOLD:
            if second is None:
                text = f"the joint {name!r} of the type {node.get('type')!r} has no <axis2>; it turns about one axis"
                self._problems.warn(node.span, text)
                return
            yield second, second_name(name)
        elif second is not None:
            text = f"the joint {name!r} of the type {node.get('type')!r} has one axis; its <axis2> is left out"
            self._problems.warn(second.span, text)

    def _warn_of_axes(self, node: XmlNode) -> None:
        """Warn of resistances and limits, which SDF does not have for balls."""
        axis = next(node.all("axis"), None)
        if axis is not None and axis.children:
            text = f"the joint {node.get('name')!r} is a ball and has no axis; what its <axis> says is left out"
            self._problems.warn(axis.span, text)

    def _add_axis(self, node: XmlNode, axis: XmlNode | None, name: str, link: Quaternion, body: Element) -> None:
        kind, at = node.get("type"), pose_in(node, self._problems)[0]
        along = self.along(node, axis, link)
        joint = SubElement(body, "joint", name=name, type="slide" if kind in _SLIDES else "hinge")
        joint.set("pos", words_of(at))
        joint.set("axis", words_of(along))
        limit = next(axis.all("limit"), None) if axis else None
        low, high = (self._number(limit, key, sign * math.inf) for key, sign in (("lower", -1), ("upper", 1)))
        if kind != "continuous" and low > -_ENDLESS and high < _ENDLESS:
            joint.set("range", words_of((low, high)))
        dynamics = next(axis.all("dynamics"), None) if axis else None
        for key, tag in _DYNAMICS.items():
            value = self._number(dynamics, tag, 0.0)
            if value != 0.0:
                joint.set(key, f"{value:.12g}")
        effort = self._number(limit, "effort", -1.0)
        if 0.0 < effort < _ENDLESS:
            joint.set("actuatorfrcrange", words_of((-effort, effort)))

    def along(self, node: XmlNode, axis: XmlNode | None, link: Quaternion) -> Vector3:
        """Return the direction of an axis in the frame of the link that it holds, whose orientation is given."""
        xyz = next(axis.all("xyz"), None) if axis else None
        along = self._three(xyz.text if xyz else _UP, node)
        if axis is not None and xyz is not None and self._is_in_model(axis, xyz):
            return turned(inverse(link), along)
        return turned(pose_in(node, self._problems)[1], along)

    def _is_in_model(self, axis: XmlNode, xyz: XmlNode) -> bool:
        """Return whether an axis is given in the frame of the model: SDF says it in three ways, by its versions."""
        if xyz.get("expressed_in"):
            return xyz.get("expressed_in") == "__model__"
        said = text_in(axis, "use_parent_model_frame")
        return said in ("1", "true") if said else self._is_old

    def _number(self, node: XmlNode | None, tag: str, otherwise: float) -> float:
        return number_in(node, tag, otherwise, self._problems)

    def _three(self, text: str, node: XmlNode) -> Vector3:
        x, y, z = numbers_in(text, 3, node, self._problems)
        return (x, y, z)
