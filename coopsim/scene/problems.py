"""Mistakes in a text, and what may be one: each with its place, all of them at once."""

from collections.abc import Iterator
from dataclasses import dataclass

from coopsim.errors import BadFile
from coopsim.scene.spans import Span

PRINTED = 100
"""Largest number of problems that are kept and printed."""
ENOUGH = 1000
"""Number of problems after which a reader stops: the text is no such file at all."""
_WIDTH = 100  # letters of a line around a mistake


@dataclass(frozen=True, slots=True)
class Problem:
    """A mistake.

    Attributes:
        span: Where it is.
        text: What was expected and what came.
        source: The line, cut around the place where it is long.
        caret: Column of the place within `source`, from 0.
        is_warning: Whether it may be meant so: such a file can be run.
    """

    span: Span
    text: str
    source: str = ""
    caret: int = 0
    is_warning: bool = False

    def __str__(self) -> str:
        head = f"{self.span}: {'warning: ' if self.is_warning else ''}{self.text}"
        if not self.source.strip():
            return head
        # tabs stay tabs, so that the caret stands under its place at any tab width
        pad = "".join("\t" if char == "\t" else " " for char in self.source[: self.caret])
        marks = "^" + "~" * (min(self.span.length, len(self.source) - self.caret) - 1)
        return f"{head}\n    {self.source}\n    {pad}{marks}"


class Problems:
    """Collects the mistakes of one file and of the files it names; keeps the first hundred, counts all.

    Attributes:
        total: How many mistakes there were.
        warned: How many warnings.
    """

    def __init__(self) -> None:
        self.total = self.warned = 0
        self._kept: list[Problem] = []
        self._warnings: list[Problem] = []
        self._lines: dict[str, list[str]] = {}

    def learn(self, file: str, lines: list[str]) -> None:
        """Remember the lines of a file, to show them."""
        self._lines[file] = lines

    def add(self, span: Span, text: str) -> None:
        """Note a mistake."""
        self.total += 1
        if len(self._kept) < PRINTED:
            self._kept.append(Problem(span, text, *self._excerpt(span)))

    def warn(self, span: Span, text: str) -> None:
        """Note what may be meant so, but probably is not."""
        self.warned += 1
        if len(self._warnings) < PRINTED:
            self._warnings.append(Problem(span, text, *self._excerpt(span), is_warning=True))

    @property
    def is_full(self) -> bool:
        """Whether reading on is of no use to anybody."""
        return self.total >= ENOUGH

    def __len__(self) -> int:
        return len(self._kept)

    def __iter__(self) -> Iterator[Problem]:
        """Go through the mistakes kept, file by file in the order the files were read, by place in each."""
        return self._in_order(self._kept)

    @property
    def warnings(self) -> list[Problem]:
        """The warnings kept, in the same order."""
        return list(self._in_order(self._warnings))

    def _in_order(self, problems: list[Problem]) -> Iterator[Problem]:
        order = {file: number for number, file in enumerate(self._lines)}
        return iter(sorted(problems, key=lambda problem: (order.get(problem.span.file, -1), problem.span)))

    def __str__(self) -> str:
        more = self.total - len(self._kept)
        tail = [f"... and {more} more"] if more else []
        return "\n".join([*map(str, self), *tail])

    def raise_any(self) -> None:
        """Raise what was found.

        Raises:
            BadFile: There was a mistake.
        """
        if self.total:
            raise BadFile(str(self), tuple(self))

    def _excerpt(self, span: Span) -> tuple[str, int]:
        lines = self._lines.get(span.file, [])
        if not 0 < span.line <= len(lines):
            return "", 0
        line = lines[span.line - 1]
        start = max(0, span.column - 1 - _WIDTH // 2) if len(line) > _WIDTH else 0
        shown = "".join(char if char.isprintable() or char == "\t" else "?" for char in line[start : start + _WIDTH])
        return shown, min(span.column - 1 - start, len(shown))
