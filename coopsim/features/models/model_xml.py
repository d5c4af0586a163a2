"""XML of models as other readers take it: a declaration may come after blank lines or comments."""

import re
from pathlib import Path

from coopsim.scene import Problems
from coopsim.scene.source import read_file
from coopsim.scene.spans import Span
from coopsim.scene.xml_nodes import XmlNode, read_xml

_LATE_DECLARATION = re.compile(r"\A(?:\s+|<!--(?:(?!-->).)*-->)+(<\?xml\s[^>]*\?>)", re.DOTALL)


def expected_numbers(count: int) -> str:
    """Return what a message says is expected in place of words that are no numbers."""
    return "a finite number" if count == 1 else f"{count} finite numbers"


def read_model_xml(path: Path, problems: Problems) -> XmlNode | None:
    """Return the root of a model's file, None where it cannot be read, which is noted.

    A byte 0 ends the text, bytes that are not UTF-8 are Latin-1, and a declaration that is not at its beginning is left
    out, each with a warning.
    """
    before = problems.total
    text = "\n".join(read_file(path, problems, as_readers_in_c=True))
    match = _LATE_DECLARATION.match(text)
    if match is not None:
        begin, end = match.span(1)
        line, column = text.count("\n", 0, begin) + 1, begin - text.rfind("\n", 0, begin)
        problems.warn(Span(str(path), line, column), "the XML declaration is not at the beginning; it is left out")
        text = text[:begin] + " " * (end - begin) + text[end:]  # columns of what follows stay
    return read_xml(text.encode(), str(path), problems, "utf-8") if problems.total == before else None
