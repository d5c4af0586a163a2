"""Tables and pages for people, as wide as the terminal."""

import itertools
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import TypeAlias

Cell: TypeAlias = str | int | float | None

_NARROWEST = 24  # letters; a narrower last column would be broken into single words
_ENDLESS = 100_000  # letters; into a file or a pipe nothing is broken, so that grep finds whole lines


def width() -> int:
    """Return how many columns there are: those of the terminal, and in a pipe as many as a line needs."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else _ENDLESS


def table(headers: Sequence[str], rows: Sequence[Sequence[Cell]], columns: int | None = None) -> str:
    """Return a text table: numbers to the right with their digits as given, None as a dash.

    Args:
        headers: One word or two for each column.
        rows: Cells; where they are too wide together, the last column is broken into lines.
        columns: Room for a line; None = that of the terminal. Where the last column gets next to nothing of it, its
            cells stand below their rows.
    """
    lines = [list(headers), *([_text(cell) for cell in row] for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(headers))]
    right = [_is_numeric([row[column] for row in rows]) for column in range(len(headers))]
    whole = columns or width()
    room = whole - sum(widths[:-1]) - 2 * len(widths[:-1])
    is_below = room < min(widths[-1], _NARROWEST) and len(widths) > 1
    widths[-1] = 0 if is_below else min(widths[-1], max(room, _NARROWEST))
    rule = "  ".join("-" * size for size in widths).rstrip()
    drawn = [
        list(_lines_below(line, widths, right, whole) if is_below else _lines(line, widths, right)) for line in lines
    ]
    return "\n".join(itertools.chain(drawn[0], [rule], *drawn[1:]))


def entry(head: str, *texts: str, columns: int | None = None) -> str:
    """Return an entry of a manual page: what it is about in a line of its own, and texts below it, further in."""
    room = max(2 * _NARROWEST, columns or width())
    lines = _wrapped(head, room, "  ", "      ")
    for text in texts:
        lines += _wrapped(text, room, "      ", "        ")
    return "\n".join(lines)


def listing(rows: Iterable[tuple[str, str]], columns: int | None = None) -> str:
    """Return names with what they are, one below the other."""
    pairs = list(rows)
    names = max((len(name) for name, _ in pairs), default=0)
    room = max(names + _NARROWEST, columns or width())
    lines: list[str] = []
    for name, text in pairs:
        lines += _wrapped(text, room, f"  {name:{names}}  ", " " * (names + 4))
    return "\n".join(lines)


def flowing(text: str, columns: int | None = None) -> str:
    """Return one sentence in as many lines as it needs."""
    return "\n".join(_wrapped(text, max(_NARROWEST, columns or width()), "", "  "))


def fitted(text: str, columns: int | None = None) -> str:
    """Return a text whose lines are as wide as the terminal; what is broken goes on further in."""
    room = max(_NARROWEST, columns or width())
    lines: list[str] = []
    for line in text.split("\n"):
        indent = line[: len(line) - len(line.lstrip())]
        lines += [line] if len(line) <= room else _wrapped(line.strip(), room, indent, f"{indent}  ")
    return "\n".join(lines)


def counted(number: int, singular: str, plural: str = "") -> str:
    """Return a number of things in words: 1 part, 2 parts."""
    return f"{number} {singular if number == 1 else plural or singular + 's'}"


def _wrapped(text: str, room: int, first: str, following: str) -> list[str]:
    kept = textwrap.wrap(
        text, room, initial_indent=first, subsequent_indent=following, break_long_words=False, break_on_hyphens=False
    )
    return kept or [first.rstrip()]


def _lines(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> Iterable[str]:
    """Yield the lines of a row: more than one where its last cell is broken."""
    *first, last = cells
    parts = _wrapped(last, widths[-1], "", "") if len(last) > widths[-1] else [last]
    yield _line([*first, parts[0]], widths, right)
    for part in parts[1:]:
        yield _line([*("" for _ in first), part], widths, right)


def _lines_below(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool], room: int) -> Iterable[str]:
    """Yield the lines of a row whose last cell stands below it."""
    *first, last = cells
    yield _line(first, widths[:-1], right[:-1])
    yield from _wrapped(last, max(room, _NARROWEST), "    ", "    ")


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = (
        cell.rjust(room) if to_right else cell.ljust(room)
        for cell, room, to_right in zip(cells, widths, right, strict=True)
    )
    return "  ".join(padded).rstrip()


def _text(cell: Cell) -> str:
    if cell is None:
        return "-"
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)


def _is_numeric(cells: Sequence[Cell]) -> bool:
    def numeric(cell: Cell) -> bool:
        if not isinstance(cell, str):
            return True
        try:
            float(cell)
        except ValueError:
            return False
        return True

    return bool(cells) and all(map(numeric, cells))
