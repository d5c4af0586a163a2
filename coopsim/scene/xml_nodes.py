"""Elements of an XML file with their places. What is cut, too deep, or has a document type or entities is not read."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from coopsim.scene.problems import Problems
from coopsim.scene.source import read_file
from coopsim.scene.spans import Span

_DEEPEST = 64
"""Number of elements in each other; what goes through them calls itself."""
MOST_ELEMENTS = 300_000
"""In a file: each takes some 0.6 kB, and 4 bytes of text are enough for one."""
_ATTRIBUTE = re.compile(rb"""\s([^\s=/>"']+)\s*=\s*("[^"]*"|'[^']*')""")
_LONGEST_TAG = 65_536
"""Beyond, places of attributes are not looked for [bytes]."""


@dataclass
class XmlNode:
    """An element: its name without namespace, its attributes, what is inside it.

    Attributes:
        places: Of each attribute and of its value, where they are known.
        text: What stands between its children, with its white space; "" where that is all.
    """

    tag: str
    attributes: dict[str, str]
    span: Span
    parent: "XmlNode | None" = field(default=None, repr=False)
    children: "list[XmlNode]" = field(default_factory=list)
    places: dict[str, tuple[Span, Span]] = field(default_factory=dict, repr=False)
    text: str = field(default="", repr=False)

    def all(self, tag: str) -> "Iterator[XmlNode]":
        """Go through the children of a name."""
        return (child for child in self.children if child.tag == tag)

    def get(self, name: str, default: str = "") -> str:
        """Return an attribute."""
        return self.attributes.get(name, default)

    @property
    def kind(self) -> str:
        """Value of `xsi:type`, without namespace."""
        return self.get("type").rpartition(":")[2]

    def walk(self) -> "Iterator[XmlNode]":
        """Go through this element and all below it, in the order of the file."""
        yield self
        for child in self.children:
            yield from child.walk()


def read_xml_file(path: Path, problems: Problems) -> XmlNode | None:
    """Return the root of a file in UTF-8; None where it cannot be read, which is noted.

    Args:
        path: The file.
        problems: Takes every mistake.
    """
    before = problems.total
    text = "\n".join(read_file(path, problems))
    return read_xml(text.encode(), str(path), problems, "utf-8") if problems.total == before else None


def read_xml(raw: bytes, file: str, problems: Problems, encoding: str | None = None) -> XmlNode | None:
    """Return the root; None where the text is no XML, is cut, or is refused, which is noted.

    Args:
        raw: The text.
        file: Its name in spans.
        problems: Takes the mistake.
        encoding: Of the text; None = as it says itself.
    """
    reader = _XmlReader(raw, file, encoding)
    try:
        return reader.root()
    except expat.ExpatError as problem:
        reason = f"no complete XML: {str(problem).partition(': line')[0]}"
    except _Refused as problem:
        reason = str(problem)
    problems.add(reader.here, reason)
    return None


class _Refused(Exception):
    """XML that is not read."""


class _XmlReader:
    def __init__(self, raw: bytes, file: str, encoding: str | None) -> None:
        self._raw, self._file = raw, file
        self._roots: list[XmlNode] = []
        self._open: list[XmlNode] = []
        self._count = 0
        self._texts: list[list[str]] = []  # put together at the end of an element: each line comes by itself
        self._parser = expat.ParserCreate(encoding)
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._begin
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._append_text
        self._parser.StartDoctypeDeclHandler = self._parser.EntityDeclHandler = self._refuse

    @property
    def here(self) -> Span:
        return Span(self._file, self._parser.CurrentLineNumber, self._parser.CurrentColumnNumber + 1)

    def root(self) -> XmlNode:
        self._parser.Parse(self._raw, True)
        return self._roots[0]

    def _begin(self, tag: str, attributes: dict[str, str]) -> None:
        if len(self._open) >= _DEEPEST:
            raise _Refused(f"more than {_DEEPEST} elements are in each other")
        self._count += 1
        if self._count > MOST_ELEMENTS:
            raise _Refused(f"there are more than {MOST_ELEMENTS} elements")
        plain = {_plain(name): value for name, value in attributes.items()}
        parent = self._open[-1] if self._open else None
        node = XmlNode(_plain(tag), plain, self.here, parent)
        node.places = dict(_attribute_spans(self._raw, self._parser.CurrentByteIndex, node.span, len(attributes)))
        (parent.children if parent else self._roots).append(node)
        self._open.append(node)
        self._texts.append([])

    def _end(self, _: str) -> None:
        text = "".join(self._texts.pop())
        self._open.pop().text = text if text.strip() else ""

    def _append_text(self, text: str) -> None:
        self._texts[-1].append(text)

    def _refuse(self, *_: object) -> None:
        raise _Refused("the file must have no document type and no entities; remove the line")


def _plain(name: str) -> str:
    """Return a name without its namespace."""
    return name.rpartition(":")[2]


def _attribute_spans(raw: bytes, start: int, element: Span, count: int) -> Iterator[tuple[str, tuple[Span, Span]]]:
    """Yield the place of each attribute, and that of its value, of the element that begins at a byte."""
    matches = _ATTRIBUTE.finditer(raw, start, start + _LONGEST_TAG) if count else iter(())
    value, before = element, start
    for _, match in zip(range(count), matches, strict=False):
        name = match[1].decode("utf-8", "replace")
        at = _moved(value, raw[before : match.start(1)])
        value, before = _moved(at, raw[match.start(1) : match.start(2) + 1]), match.start(2) + 1
        yield _plain(name), (Span(at.file, at.line, at.column, len(name)), value)


def _moved(span: Span, text: bytes) -> Span:
    """Return the place after a text that begins at `span`."""
    last = text.rpartition(b"\n")[2]
    first = 1 if b"\n" in text else span.column
    return Span(span.file, span.line + text.count(b"\n"), first + len(last.decode("utf-8", "replace")))
