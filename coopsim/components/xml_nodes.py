"""Elements of an XML file with their places, and the paths by which EMF lets one refer to another."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from coopsim.scene import Problems, Span

_DEEPEST = 64
"""Number of elements in each other; what goes through them calls itself."""
_SEGMENT = re.compile(r"@(\w+)(?:\.(\d+))?")


@dataclass
class XmlNode:
    """An element: its name without namespace, its attributes, what is inside it."""

    tag: str
    attributes: dict[str, str]
    span: Span
    parent: "XmlNode | None" = field(default=None, repr=False)
    children: "list[XmlNode]" = field(default_factory=list)

    def all(self, tag: str) -> "Iterator[XmlNode]":
        """Go through the children of a name."""
        return (child for child in self.children if child.tag == tag)

    def get(self, name: str, default: str = "") -> str:
        """Return an attribute."""
        return self.attributes.get(name, default)

    @property
    def kind(self) -> str:
        """What `xsi:type` says, without namespace."""
        return self.get("type").rpartition(":")[2]


def read_xml(raw: bytes, file: str, problems: Problems) -> XmlNode | None:
    """Return the root; None where the file is no XML, or is cut, which is noted."""
    parser = expat.ParserCreate(namespace_separator=None)
    open_nodes: list[XmlNode] = []
    roots: list[XmlNode] = []

    def begin(tag: str, attributes: dict[str, str]) -> None:
        if len(open_nodes) >= _DEEPEST:
            raise expat.ExpatError(f"more than {_DEEPEST} elements are in each other")
        span = Span(file, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1)
        plain = {name.rpartition(":")[2]: value for name, value in attributes.items()}
        node = XmlNode(tag.rpartition(":")[2], plain, span, open_nodes[-1] if open_nodes else None)
        (open_nodes[-1].children if open_nodes else roots).append(node)
        open_nodes.append(node)

    def refuse(*_: object) -> None:
        raise expat.ExpatError("a model has no document type and no entities")

    parser.StartElementHandler = begin
    parser.EndElementHandler = lambda _: open_nodes.pop()
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(raw, True)
    except expat.ExpatError as problem:
        text = str(problem).partition(": line")[0]
        place = Span(file, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1)
        problems.add(place, f"no complete XML: {text}")
        return None
    return roots[0]


def referred(root: XmlNode, path: str) -> XmlNode | None:
    """Return the element that a path such as `//@rootComponent/@components.7/@outputs.0` means, None if none."""
    node = root
    for segment in path.removeprefix("//").split("/"):
        found = _SEGMENT.fullmatch(segment)
        inside = list(node.all(found[1])) if found else []
        index = int(found[2] or 0) if found else 0
        if index >= len(inside):
            return None
        node = inside[index]
    return node
