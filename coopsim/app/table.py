"""Tables for people."""

from collections.abc import Sequence
from typing import TypeAlias

Cell: TypeAlias = str | int | float | None


def table(headers: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Return a text table: numbers to the right with their digits as given, None as a dash."""
    lines = [list(headers), *([_text(cell) for cell in row] for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(headers))]
    right = [_is_numeric([row[column] for row in rows]) for column in range(len(headers))]
    rule = "  ".join("-" * width for width in widths)
    drawn = [_line(line, widths, right) for line in lines]
    return "\n".join([drawn[0], rule, *drawn[1:]])


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number of things in words: 1 part, 2 parts."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = (
        cell.rjust(width) if to_right else cell.ljust(width)
        for cell, width, to_right in zip(cells, widths, right, strict=True)
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
