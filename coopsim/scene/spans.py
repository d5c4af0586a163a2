"""Spans of a text."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A place in a text: lines and columns count from 1."""

    file: str = ""
    line: int = 0
    column: int = 0
    length: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    @property
    def head(self) -> str:
        """First words of a mistake's text; "" where nothing was written."""
        return f"{self}: " if self.line else f"{self.file}: " if self.file else ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A key and its values as written, with the place of the key and of each value."""

    key: str
    values: tuple[str, ...]
    span: Span
    value_spans: tuple[Span, ...]
