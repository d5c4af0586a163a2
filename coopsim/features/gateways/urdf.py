"""URDF of a robot as it is drawn: a link for each of its bodies, so that rviz and others show it.

Bodies beside the base float: `/tf` says where they are, for a simulation knows it without the axes of the joints.

Source: wiki.ros.org/urdf/XML (links, geometry, floating joints).
"""

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from coopsim.geometry import ORIGIN, Pose, Vector3, fixed_angles, within

if TYPE_CHECKING:
    from coopsim.state import EntityRow, PlacedVisual

BASE = "base_link"
_UNDRAWN = frozenset({"arrow"})
"""Shapes that point to the front and are no body."""


def urdf(robot: "EntityRow") -> str:
    """Return the description of a robot; its links are called like its frames, `robot1/base_link`."""
    root = ET.Element("robot", name=robot.name)
    visuals = [visual for visual in robot.drawn() if visual.shape not in _UNDRAWN]
    for body in dict.fromkeys(("", *(visual.body for visual in visuals))):
        name = frame_of(robot.name, body)
        link = ET.SubElement(root, "link", name=name)
        for number, visual in enumerate(visual for visual in visuals if visual.body == body):
            _draw(link, visual, f"{name}/{number}")
        if not body:
            _weigh(link, robot.mass, robot.size)
            continue
        joint = ET.SubElement(root, "joint", name=f"{name}_pose", type="floating")
        ET.SubElement(joint, "parent", link=frame_of(robot.name, ""))
        ET.SubElement(joint, "child", link=name)
    ET.indent(root)
    return '<?xml version="1.0"?>\n' + ET.tostring(root, encoding="unicode")


def frame_of(robot: str, body: str) -> str:
    """Return the name of the frame of a body of a robot, "" = its base."""
    return f"{robot}/{body or BASE}"


def _draw(link: ET.Element, visual: "PlacedVisual", name: str) -> None:
    """Add a shape to a link, as it is drawn and as things touch it."""
    centre = within(visual.pose, (0.0, 0.0, 0.5 * visual.size[2], *ORIGIN[3:]))
    for kind in ("visual", "collision"):
        part = ET.SubElement(link, kind, name=name)
        _put_origin(part, centre)
        _add_geometry(ET.SubElement(part, "geometry"), visual.shape, visual.size)
        if kind == "visual":
            material = ET.SubElement(part, "material", name=name)
            ET.SubElement(material, "color", rgba=_numbers(*visual.color, 1.0))


def _add_geometry(geometry: ET.Element, shape: str, size: Vector3) -> None:
    """Add what comes nearest to a shape: URDF has boxes, cylinders and spheres."""
    length, width, height = size
    match shape:
        case "sphere":
            ET.SubElement(geometry, "sphere", radius=f"{0.5 * length:.9g}")
        case "cylinder" | "capsule" | "cone":
            ET.SubElement(geometry, "cylinder", radius=f"{0.25 * (length + width):.9g}", length=f"{height:.9g}")
        case _:
            ET.SubElement(geometry, "box", size=_numbers(length, width, height))


def _weigh(link: ET.Element, mass: float, size: Vector3) -> None:
    """Say the mass of a robot, with the inertia of a box of its size."""
    x, y, z = (edge * edge / 12.0 for edge in size)
    inertial = ET.SubElement(link, "inertial")
    _put_origin(inertial, (0.0, 0.0, 0.5 * size[2], *ORIGIN[3:]))
    ET.SubElement(inertial, "mass", value=f"{mass:.9g}")
    moments = {"ixx": y + z, "iyy": x + z, "izz": x + y, "ixy": 0.0, "ixz": 0.0, "iyz": 0.0}
    ET.SubElement(inertial, "inertia", {axis: f"{mass * moment:.9g}" for axis, moment in moments.items()})


def _put_origin(part: ET.Element, pose: Pose) -> None:
    x, y, z, *rotation = pose
    w, i, j, k = rotation
    ET.SubElement(part, "origin", xyz=_numbers(x, y, z), rpy=_numbers(*fixed_angles((w, i, j, k))))


def _numbers(*values: float) -> str:
    return " ".join(f"{value:.9g}" for value in values)
