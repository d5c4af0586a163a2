"""Elements of a model on their way to MuJoCo: what is left out, and the text of the rest."""

from collections import Counter
from collections.abc import Iterator, Set
from xml.sax.saxutils import escape, quoteattr

from coopsim.features.models.left_out import LossList
from coopsim.scene import Problems
from coopsim.scene.spans import Span
from coopsim.scene.xml_nodes import XmlNode


def text_of(root: XmlNode) -> tuple[str, list[Span]]:
    """Return the XML of an element and all below it, each element on a line of its own, and where each line is from."""
    lines: list[str] = []
    spans: list[Span] = []
    _write(root, lines, spans)
    return "\n".join(lines), spans


def _write(node: XmlNode, lines: list[str], spans: list[Span]) -> None:
    # a line break within an attribute or a text would shift all lines below
    words = "".join(f" {name}={quoteattr(_on_one_line(value))}" for name, value in node.attributes.items())
    lines.append(f"<{node.tag}{words}>{escape(_on_one_line(node.text))}")
    spans.append(node.span)
    for child in node.children:
        _write(child, lines, spans)
    lines.append(f"</{node.tag}>")
    spans.append(node.span)


def _on_one_line(text: str) -> str:
    return " ".join(text.split("\n"))


def leave_out(root: XmlNode, tags: Set[str], problems: Problems) -> None:
    """Remove elements that are not known with all that is in them; of each kind a warning tells the first place."""
    removed = list(_removed(root, tags))
    if isinstance(problems, LossList):
        problems.leave_out(removed)
        return
    counts = Counter(tag for tag, _ in removed)
    for tag, span in dict(reversed(removed)).items():
        more = f", here and {counts[tag] - 1} times below" if counts[tag] > 1 else ""
        problems.warn(span, f"the element <{tag}> is left out{more}")


def _removed(node: XmlNode, tags: Set[str]) -> Iterator[tuple[str, Span]]:
    kept = []
    for child in node.children:
        if child.tag in tags:
            kept.append(child)
            yield from _removed(child, tags)
        else:
            yield child.tag, child.span
    node.children = kept
