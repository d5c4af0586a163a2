"""A text whose lines are changed one by one; every byte of all others stays as it was."""

import re
from collections.abc import Sequence

_MARK = "\ufeff"
_END = re.compile(r"\r\n|\r|\n")


class Document:
    """The lines of a file, and what is to become of them.

    Lines are numbered from 1, as in spans; changes never move the numbers.

    Attributes:
        lines: As they were, without their ends.
        end: What ends its lines: that of the first one.
    """

    def __init__(self, text: str) -> None:
        self._mark = _MARK if text.startswith(_MARK) else ""
        text = text.removeprefix(_MARK)
        self._ends = [*_END.findall(text), ""]
        self.lines: list[str] = _END.split(text)
        self.end = self._ends[0] or "\n"
        self._changed: dict[int, str] = {}
        self._dropped: set[int] = set()
        self._added: dict[int, list[str]] = {}

    def is_blank(self, number: int) -> bool:
        """Return whether a line is there and empty."""
        return 0 < number <= len(self.lines) and not self.lines[number - 1].strip()

    def is_comment(self, number: int) -> bool:
        """Return whether a line is there and a comment alone."""
        return 0 < number <= len(self.lines) and self.lines[number - 1].lstrip().startswith("#")

    def is_dropped(self, number: int) -> bool:
        """Return whether a line will be gone."""
        return number in self._dropped

    @property
    def has_additions(self) -> bool:
        """Whether lines were inserted."""
        return bool(self._added)

    def now(self, number: int) -> str:
        """Return a line as it will be."""
        return self._changed.get(number, self.lines[number - 1])

    def change(self, number: int, line: str) -> None:
        """Replace a line."""
        self._changed[number] = line

    def drop(self, first: int, last: int) -> None:
        """Remove lines, both ends included."""
        self._dropped.update(range(first, last + 1))

    def add(self, after: int, lines: Sequence[str]) -> None:
        """Insert lines behind the one of this number, 0 = before all, and behind those inserted there already."""
        self._added.setdefault(after, []).extend(lines)

    def text(self) -> str:
        """Return the text as it will be."""
        rows = [(line, self.end) for line in self._added.get(0, ())]
        for number, end in enumerate(self._ends, 1):
            if number not in self._dropped:
                rows.append((self.now(number), end))
            rows += [(line, self.end) for line in self._added.get(number, ())]
        # a last line without an end gets one when others come behind it
        body = "".join(line + (end or self.end) for line, end in rows[:-1]) + "".join("".join(row) for row in rows[-1:])
        return self._mark + body
