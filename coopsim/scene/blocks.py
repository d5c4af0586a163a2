"""Blocks of lines that belong to a section; values are changed in place."""

from collections.abc import Sequence

from coopsim.scene.document import Document
from coopsim.scene.lines import Line, Section

_WIDTH = 12  # letters; values of usual keys stand in one column


def first_line(document: Document, section: Section) -> int:
    """Return where a section begins: with the comment right above its header.

    A comment that begins on the first line of the file speaks of the file.
    """
    return _above(document, section.span.line)


def last_line(document: Document, section: Section) -> int:
    """Return where a section ends: with its last key and the comment right below, unless a header follows that."""
    last = max([section.span.line, *(line.number for line in section.lines)])
    end = last
    while document.is_comment(end + 1):
        end += 1
    return end if end == len(document.lines) or document.is_blank(end + 1) else last


def remove(document: Document, section: Section) -> None:
    """Remove a section with its own comments and the empty lines behind it; at the end of the file, those before it."""
    first, last = first_line(document, section), last_line(document, section)
    while document.is_blank(last + 1) and last + 1 < len(document.lines):
        last += 1
    document.drop(first, last)
    if last + 1 >= len(document.lines):
        while document.is_blank(first - 1) or document.is_dropped(first - 1):
            first -= 1
            document.drop(first, first)


def remove_line(document: Document, section: Section, line: Line) -> None:
    """Remove one line of a section with the comment right above it; that below the header speaks of the section."""
    if line.number == section.span.line:
        _remove_from_header(document, line)
        return
    first = line.number
    while document.is_comment(first - 1):
        first -= 1
    document.drop(line.number if first == section.span.line + 1 else first, line.number)


def set_words(document: Document, line: Line, words: Sequence[str]) -> None:
    """Replace the values of a line; spaces and comments stay."""
    raw, spans = document.now(line.number), line.value_spans()
    if len(words) == len(spans):
        for span, word in zip(reversed(spans), reversed(words), strict=True):
            raw = raw[: span.column - 1] + word + raw[span.column - 1 + span.length :]
    else:
        raw = raw[: spans[0].column - 1] + " ".join(words) + raw[spans[-1].column - 1 + spans[-1].length :]
    document.change(line.number, raw)


def add_key(document: Document, section: Section, key: str, words: Sequence[str]) -> None:
    """Add a line to a section, laid out like the one before it."""
    own = [line for line in section.lines if line.number != section.span.line]
    after = max([section.span.line, *(line.number for line in own)])
    document.add(after, [_laid_out(own[-1] if own else None, key, words)])


def new_section(header: str, keys: Sequence[tuple[str, Sequence[str]]]) -> list[str]:
    """Return the lines of a new section."""
    return [f"[{header}]", *(_laid_out(None, key, words) for key, words in keys)]


def append(document: Document, section: Section | None, lines: Sequence[str]) -> None:
    """Add a section behind another one, None = at the end of the file."""
    if section is not None:
        document.add(last_line(document, section), ["", *lines])
        return
    last = len(document.lines)
    while last and document.is_blank(last):
        last -= 1
    document.add(last, ["", *lines] if last or document.has_additions else lines)


def _above(document: Document, number: int) -> int:
    first = number
    while document.is_comment(first - 1):
        first -= 1
    return number if first == 1 else first


def _remove_from_header(document: Document, line: Line) -> None:
    raw, spans = document.now(line.number), line.value_spans()
    behind = raw[spans[-1].column - 1 + spans[-1].length :]
    document.change(line.number, raw[: line.column - 1].rstrip() + behind.rstrip())


def _laid_out(model: Line | None, key: str, words: Sequence[str]) -> str:
    indent, gap = "", " " * max(1, _WIDTH - len(key))
    if model is not None:
        indent = model.content[: model.column - 1]
        value = model.value_spans()[0].column - 1
        between = model.content[model.column - 1 + len(model.key) : value]
        gap = between if "\t" in between else " " * max(1, value - len(indent) - len(key))
    return f"{indent}{key}{gap}{' '.join(words)}"
