"""Elements of a model on their way to MuJoCo: what is left out, and the text of the rest."""

from collections import Counter
from collections.abc import Iterator, Set
from xml.etree.ElementTree import Element, tostring

from coopsim.scene import Problems
from coopsim.scene.spans import Span
from coopsim.scene.xml_nodes import XmlNode


def text_of(root: XmlNode) -> str:
    """Return the XML of an element and all below it."""
    return tostring(_element(root), "unicode")


def _element(node: XmlNode) -> Element:
    element = Element(node.tag, node.attributes)
    element.text = node.text or None
    element.extend(map(_element, node.children))
    return element


def leave_out(root: XmlNode, known: Set[str], problems: Problems) -> None:
    """Remove elements that are not known with all that is in them; of each kind a warning tells the first place."""
    removed = list(_removed(root, known))
    counts = Counter(tag for tag, _ in removed)
    for tag, span in dict(reversed(removed)).items():
        more = f", here and {counts[tag] - 1} times below" if counts[tag] > 1 else ""
        problems.warn(span, f"the element <{tag}> is left out{more}")


def _removed(node: XmlNode, known: Set[str]) -> Iterator[tuple[str, Span]]:
    kept = []
    for child in node.children:
        if child.tag in known:
            kept.append(child)
            yield from _removed(child, known)
        else:
            yield child.tag, child.span
    node.children = kept


_RESISTING = ("damping", "friction", "frictionloss", "stiffness")


def warn_unused_dynamics(root: XmlNode, problems: Problems) -> None:
    """Warn of what a model says of its joints and this simulator does not do, each kind with its first line."""
    found: dict[str, list[Span]] = {}
    for node in root.walk():
        if node.tag == "mimic":
            found.setdefault("<mimic>", []).append(node.span)
        for name in _resistances(node):
            found.setdefault(name, []).append(node.span)
    for what, spans in found.items():
        places = f"here and {len(spans) - 1} times below" if len(spans) > 1 else "here"
        problems.warn(
            spans[0], f"{what} of a joint has no effect yet, {places}: the joint moves as if it were not said"
        )


def _resistances(node: XmlNode) -> Iterator[str]:
    """Yield which resistances an element gives a joint, those of 0 left out."""
    if node.tag == "dynamics":
        yield from (child.tag for child in node.children if child.tag in _RESISTING and _is_some(child.text))
    if node.tag in ("dynamics", "joint"):
        yield from (name for name, text in node.attributes.items() if name in _RESISTING and _is_some(text))


def _is_some(text: str) -> bool:
    """Return whether a text is anything but zeros."""
    return bool(text.strip("0. \t\n"))
