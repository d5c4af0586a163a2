"""Lists of what a model loses on its way to a robot: every element that is left out, with its place."""

from collections import Counter
from typing import Any, NamedTuple

from coopsim.scene import Problems, Span


class LeftOut(NamedTuple):
    """An element that is left out.

    Attributes:
        element: Its name.
        span: Where it is.
    """

    element: str
    span: Span


class LossList(Problems):
    """Mistakes and warnings of a model, with each element that is left out, where others keep the first of a kind.

    Attributes:
        elements: In the order of the files.
        changes: All other warnings: what becomes something else.
    """

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[LeftOut] = []
        self.changes: list[tuple[Span, str]] = []

    def leave_out(self, elements: list[tuple[str, Span]]) -> None:
        """Note elements that are left out."""
        self.elements += [LeftOut(tag, span) for tag, span in elements]

    def warn(self, span: Span, text: str) -> None:
        """Note what becomes something else, without a limit."""
        self.changes.append((span, text))
        super().warn(span, text)

    def lines(self) -> list[str]:
        """Return all that is lost or changed, a line each, with file, line and column."""
        lost = [(span, f"<{element}> is left out") for element, span in self.elements]
        return [f"{span}: {text}" for span, text in sorted([*lost, *self.changes])]

    def plain(self) -> dict[str, Any]:
        """Return all that is lost or changed, as programs read it."""
        return {
            "left_out": [{"element": element, "at": str(span)} for element, span in self.elements],
            "changed": [{"text": text, "at": str(span)} for span, text in self.changes],
        }

    def summary(self) -> str:
        """Return how many elements of each kind are left out, and how many other changes there are."""
        counts = Counter(element for element, _ in self.elements)
        kinds = [f"{count} <{element}>" for element, count in sorted(counts.items())]
        left_out = f"left out: {', '.join(kinds)}" if kinds else "nothing is left out"
        changes = f"{len(self.changes)} thing{'s' if len(self.changes) > 1 else ''} changed"
        return f"{left_out}; {changes}" if self.changes else left_out
