"""Artifacts as XML: bodies and visuals in trees, a driver, sensors. Each element is a section of a `.robot` file."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from coopsim.geometry import ORIGIN, Pose, Vector3, fixed_angles, quaternion, within
from coopsim.scene.lines import Line, Section
from coopsim.scene.problems import Problems
from coopsim.scene.robot_file import robot_of
from coopsim.scene.spans import Span
from coopsim.scene.specs import BASE, LinkSpec, RobotFile
from coopsim.scene.xml_nodes import XmlNode, read_xml_file
from coopsim.suggest import choices, hint, quoted

ARTIFACT = "artifact"
_ROLES = ("driver", "sensor")
_LOGIC = (*_ROLES, "device")
_INSIDE: Mapping[str, tuple[str, ...]] = {
    ARTIFACT: ("body", "visual", *_LOGIC),
    "body": ("body", "joint", "visual", *_LOGIC),
    "visual": ("visual",),
}
_DIGITS = 12
"""Of the places of bodies that stand in others, so that 0.1 + 0.05 is what a file says by 0.15."""


def read_artifact(path: Path, problems: Problems) -> RobotFile:
    """Read an artifact; it is called as its file.

    Args:
        path: An `.xml` file.
        problems: Takes every mistake.
    """
    root, before = read_xml_file(path, problems), problems.total
    tree = _Tree(problems)
    if root is not None and root.tag == ARTIFACT:
        tree.read(root)
    elif root is not None:
        problems.add(root.span, f"expected <{ARTIFACT}>, got {quoted(f'<{root.tag}>')}")
    is_whole = root is not None and problems.total == before
    file = robot_of(tree.sections, path, problems, is_whole=is_whole)
    devices = tuple(replace(device, role=tree.roles.get(device.span, "")) for device in file.devices)
    return replace(file, devices=devices, links=_outermost_links(file.links, tree.parents))


def _outermost_links(links: tuple[LinkSpec, ...], parents: Mapping[Span, Span]) -> tuple[LinkSpec, ...]:
    """Return the links, each relative to the body that it is in, as they stand on the outermost body."""
    frames: dict[Span, Pose] = {}
    elements = []
    for link in links:
        parent = frames.get(parents[link.span], ORIGIN)
        elements.append(link if parent == ORIGIN else _moved(link, parent))
        frames[link.span] = (*elements[-1].position, *quaternion(*elements[-1].orientation))
    return tuple(elements)


def _moved(link: LinkSpec, parent: Pose) -> LinkSpec:
    """Return a link that stands in the frame of a parent as it stands on the outermost body."""
    x, y, z, w, i, j, k = within(parent, (*link.position, *quaternion(*link.orientation)))
    is_turned = parent[3:] != ORIGIN[3:]
    angles = _rounded(fixed_angles((w, i, j, k))) if is_turned else link.orientation
    return replace(link, position=_rounded((x, y, z)), orientation=angles)


def _rounded(values: Vector3) -> Vector3:
    x, y, z = (round(value, _DIGITS) for value in values)
    return (x, y, z)


@dataclass(slots=True)
class _ElementSection(Section):
    """A section that is an element."""

    tag: str = ""

    @property
    def title(self) -> str:
        """Title in the text of mistakes."""
        return f"<{self.tag}>"


@dataclass(slots=True)
class _AttributeLine(Line):
    """A line that is an attribute; its content is the value."""

    value: Span = field(default_factory=Span)

    def value_spans(self) -> tuple[Span, ...]:
        """Return the place of each word of the value."""
        places, end = [], 0
        for word in self.values:
            begin = self.content.index(word, end)
            end = begin + len(word)
            places.append(Span(self.file, self.value.line, self.value.column + begin, len(word)))
        return tuple(places)


class _Tree:
    """Goes through the elements of an artifact.

    Attributes:
        sections: One for each element.
        parents: Of each link, where the body is that it is in.
        roles: Of drivers and sensors, by their places.
    """

    def __init__(self, problems: Problems) -> None:
        self.sections: list[Section] = []
        self.parents: dict[Span, Span] = {}
        self.roles: dict[Span, str] = {}
        self._problems = problems
        self._counts: dict[str, int] = {}

    def read(self, root: XmlNode) -> None:
        """Read the whole tree."""
        self._add(root, "ROBOT")
        bodies = list(root.all("body"))
        for node in self._known(root):
            if node.tag == "body":
                self._outermost(node)
            elif node.tag == "visual":
                self._visual(node)
            else:
                self._device(node)
        for node in bodies[1:]:
            text = f"an artifact has one outermost body, that on line {bodies[0].span.line}; put this one into it"
            self._problems.add(node.span, text)
        if not bodies:
            self._problems.add(root.span, f"<{ARTIFACT}> needs a <body>; what has none is an object of a world")

    def _outermost(self, node: XmlNode) -> None:
        if node.attributes.pop("name", BASE) != BASE:
            text = f"the outermost body is called {BASE}, as the artifact for others; remove its name"
            self._problems.add(node.places.get("name", (node.span,))[0], text)
        for joint in node.all("joint"):
            text = (
                f'no joint holds the outermost body; remove it, or write bolted="yes" in <body>, line {node.span.line}'
            )
            self._problems.add(joint.span, text)
        self._add(node, "BODY")
        self._inside(node, BASE)

    def _link(self, node: XmlNode, parent: XmlNode, parent_name: str) -> None:
        section = self._add(node, "LINK")
        name = node.get("name", section.name.lower())
        self.parents[node.span] = parent.span
        joints = list(node.all("joint"))
        for joint in joints[1:]:
            text = f"one joint holds a body, and that on line {joints[0].span.line} does; put a body between"
            self._problems.add(joint.span, text)
        held = joints[0] if joints else XmlNode("joint", {"type": "weld"}, node.span, node)
        said = {"bodies": f"{parent_name} {name}"}
        self._add(held, "JOINT", said if "name" in held.attributes else {"name": name, **said})
        self._leaf(held)
        self._inside(node, name)

    def _inside(self, node: XmlNode, name: str) -> None:
        for child in self._known(node):
            if child.tag == "body":
                self._link(child, node, name)
            elif child.tag == "visual":
                self._visual(child, {"body": name})
            elif child.tag in _LOGIC:
                self._device(child, {} if name == BASE else {"body": name})

    def _visual(self, node: XmlNode, said: Mapping[str, str] | None = None) -> None:
        name = self._add(node, "VISUAL", said).name.lower()
        for child in self._known(node):
            self._visual(child, {"parent": node.get("name", name)})

    def _device(self, node: XmlNode, said: Mapping[str, str] | None = None) -> None:
        self._add(node, "DEVICE", said)
        self._leaf(node)
        if node.tag in _ROLES:
            self.roles[node.span] = node.tag

    def _leaf(self, node: XmlNode) -> None:
        for _ in self._known(node):
            pass

    def _known(self, node: XmlNode) -> list[XmlNode]:
        """Return what may be in an element; note what may not."""
        tags = _INSIDE.get(node.tag, ())
        if node.text:
            self._problems.add(node.span, f"<{node.tag}> has text, which is not read; write attributes")
        for child in node.children:
            if child.tag not in tags:
                advice = f"{hint(child.tag, tags)}; it knows {choices(tags)}" if tags else ", and nothing else"
                self._problems.add(child.span, f"<{node.tag}> knows no element {quoted(child.tag)}{advice}")
        return [child for child in node.children if child.tag in tags]

    def _add(self, node: XmlNode, kind: str, said: Mapping[str, str] | None = None) -> Section:
        """Note an element as a section; `said` is what its place in the tree says of it."""
        number = self._counts[kind] = self._counts.get(kind, 0) + 1
        section = _ElementSection(kind, f"{kind}_{number}", node.span, tag=node.tag)
        for key, value in node.attributes.items():
            at, value_at = node.places.get(key, (node.span, node.span))
            words = value.split()
            if words:
                section.lines.append(_AttributeLine(key, words, at.file, at.line, at.column, value, value=value_at))
            else:
                self._problems.add(at, f"{quoted(key)} has no value")
        for key, value in (said or {}).items():
            at = node.span
            section.lines.append(_AttributeLine(key, value.split(), at.file, at.line, at.column, value, value=at))
        self.sections.append(section)
        return section
