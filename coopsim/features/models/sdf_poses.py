"""Poses and numbers of SDF elements.

Source: the SDFormat specification 1.12, sdformat.org/spec, element `pose`.
"""

import math
from collections.abc import Iterable
from typing import TypeAlias

import numpy as np

from coopsim.features.models.frames import quaternion_matrix
from coopsim.features.models.model_xml import expected_numbers
from coopsim.geometry import Floats, Quaternion, Vector3, quaternion, rotation_matrix, times, turned
from coopsim.scene import Problems
from coopsim.scene.xml_nodes import XmlNode

Place: TypeAlias = tuple[Vector3, Quaternion]
"""A position [m] and a quaternion w x y z."""
HERE: Place = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
_QUATERNION = "quat_xyzw"
_MAY_BE_ENDLESS = ("lower", "upper", "effort", "velocity")


def text_in(node: XmlNode, tag: str) -> str:
    """Return the text of the first child of a name, "" without one."""
    return next((child.text.strip() for child in node.all(tag)), "")


def numbers_in(
    text: str, count: int, node: XmlNode, problems: Problems, *, may_be_endless: bool = False
) -> list[float]:
    """Return the numbers of a text of an element; a text that does not hold so many is noted, and gives ones."""
    try:
        numbers = [float(word) for word in text.split()]
    except ValueError:
        numbers = []
    if len(numbers) == count and all(not math.isnan(n) if may_be_endless else math.isfinite(n) for n in numbers):
        return numbers
    problems.add(node.span, f"<{node.tag}> takes {expected_numbers(count)}, got {text.strip()[:60]!r}")
    return [1.0] * count


def number_in(node: XmlNode | None, tag: str, otherwise: float, problems: Problems) -> float:
    """Return the number of the first child of a name; a limit may be endless."""
    child = next(node.all(tag), None) if node else None
    if child is None:
        return otherwise
    return numbers_in(child.text, 1, child, problems, may_be_endless=tag in _MAY_BE_ENDLESS)[0]


def words_of(values: Iterable[float]) -> str:
    """Return numbers as MJCF has them."""
    return " ".join(f"{value:.12g}" for value in values)


def pose_in(node: XmlNode, problems: Problems) -> Place:
    """Return what the `<pose>` of an element says, in the frame that it is relative to; a wrong one is noted."""
    pose = next(node.all("pose"), None)
    if pose is None or not pose.text.strip():
        return HERE
    if pose.get("rotation_format") == _QUATERNION:
        x, y, z, i, j, k, w = numbers_in(pose.text, 7, pose, problems)
        length = math.sqrt(w * w + i * i + j * j + k * k)
        if length == 0.0:
            problems.add(pose.span, "the quaternion of this <pose> has no length")
            return HERE
        return (x, y, z), (w / length, i / length, j / length, k / length)
    x, y, z, *turn = numbers_in(pose.text, 6, pose, problems)
    roll, pitch, yaw = map(math.radians, turn) if pose.get("degrees") in ("1", "true") else turn
    return (x, y, z), quaternion(roll, pitch, yaw)


def turn_of(node: XmlNode, problems: Problems) -> Floats:
    """Return the rotation that the `<pose>` of an element says, as a matrix, shape (3, 3)."""
    pose = next(node.all("pose"), None)
    if pose is None or not pose.attributes:
        # not by its quaternion, which would change the last digits of inertias in recordings of earlier programs
        numbers = numbers_in(pose.text, 6, pose, problems) if pose is not None and pose.text.strip() else [0.0] * 6
        return rotation_matrix(*numbers[3:])
    return quaternion_matrix(np.array(pose_in(node, problems)[1]))


def set_place(node: XmlNode, place: Place) -> None:
    """Give an element a `<pose>` that is relative to nothing else."""
    former = next(node.all("pose"), None)
    (x, y, z), (w, i, j, k) = place
    span = former.span if former is not None else node.span
    pose = XmlNode("pose", {"rotation_format": _QUATERNION}, span, node)
    pose.text = " ".join(map(repr, (x, y, z, i, j, k, w)))
    node.children = [pose, *(child for child in node.children if child is not former)]


def composed(frame: Place, place: Place) -> Place:
    """Return a place, given in a frame, where that frame is given."""
    at, turn = frame
    x, y, z = turned(turn, place[0])
    return (at[0] + x, at[1] + y, at[2] + z), times(turn, place[1])


def inverse(q: Quaternion) -> Quaternion:
    """Return the opposite rotation."""
    w, x, y, z = q
    return (w, -x, -y, -z)


def seen_from(frame: Place, place: Place) -> Place:
    """Return a place as it is seen from a frame."""
    (x, y, z), back = frame[0], inverse(frame[1])
    away = (place[0][0] - x, place[0][1] - y, place[0][2] - z)
    return turned(back, away), times(back, place[1])


def inverted(place: Place) -> Place:
    """Return where the frame in which a place is given is, seen from that place."""
    return seen_from(place, HERE)
