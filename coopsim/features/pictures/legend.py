"""Legend of a top view."""

from collections.abc import Iterable, Sequence
from itertools import cycle
from typing import TypeAlias

from coopsim.features.pictures.palette import LIGHT
from coopsim.features.pictures.svg import Drawing, Point

Sign: TypeAlias = tuple[str, str]
"""Words, and an element drawn around the origin [pixels]."""

_INK, _QUIET, _PAPER = (LIGHT[name] for name in ("ink", "quiet", "paper"))
_PEN = f'stroke="{_QUIET}" stroke-width="2"'
_ROW, _WORDS, _LENGTHS = 22.0, 32.0, 166.0  # points; a name of 16 letters and a length fit
_MOST = 30  # rows; more would be longer than the picture

ROBOTS: tuple[Sign, ...] = (
    ("start", f'<circle r="7" fill="#eceef1" {_PEN} stroke-dasharray="4 3"/>'),
    ("end", f'<circle r="7" fill="#b9bfc9" {_PEN}/><line x1="0" y1="0" x2="7" y2="0" {_PEN}/>'),
)
TEAM: Sign = (
    "shape of the team",
    f'<polygon points="-9,7 9,7 0,-8" fill="{_INK}" fill-opacity="0.1" stroke="{_QUIET}" stroke-dasharray="3 3"/>',
)


DASHES = ("7 4", "2 4", "10 3 2 3")
"""How the ways of other runs are dashed, one after the other."""


def runs(first: str, others: Iterable[str]) -> list[Sign]:
    """Return the signs of several runs: the first one, and those that are drawn dashed."""
    solid = f'<line x1="-11" x2="11" stroke="{_QUIET}" stroke-width="4"/>'
    dashed = [
        (name, f'<line x1="-11" x2="11" stroke="{_INK}" stroke-width="1.8" stroke-dasharray="{dash}"/>')
        for name, dash in zip(others, cycle(DASHES), strict=False)
    ]
    return [(first, solid), *dashed]


def every(seconds: float) -> Sign:
    """Return the sign of the marks of time."""
    return f"every {seconds:g} s", f'<circle r="4" fill="{_PAPER}" {_PEN}/>'


def crowd(robots: int, metres: float, seconds: float, paint: str) -> list[Sign]:
    """Return the signs of many robots: how many, how far they went on average, what their trails are."""
    disc = f'<circle r="7" fill="{paint}"/><line x1="0" y1="0" x2="7" y2="0" stroke="{_INK}" stroke-width="2"/>'
    trail = f'<path d="M-10 4q10 -14 20 -6" fill="none" stroke="{paint}" stroke-width="2" stroke-opacity="0.55"/>'
    return [(f"{robots} robots", disc), (f"{metres:.2f} m each", ""), (f"the last {seconds:g} s", trail)]


def target(name: str, paint: str) -> Sign:
    """Return the sign of a target."""
    ring = f'<circle r="7" fill="{_PAPER}" stroke="{paint}" stroke-width="2.5"/>'
    return f"target {name}", f'{ring}<circle r="3" fill="{paint}"/>'


def draw(on: Drawing, corner: Point, ways: Sequence[tuple[str, str, float]], signs: Iterable[Sign]) -> None:
    """Draw the legend.

    Args:
        on: What to draw on.
        corner: Upper left corner [pixels].
        ways: Name, colour and length [m] of each robot's way.
        signs: What else there is.
    """
    x, y = corner
    for name, paint, length in ways[:_MOST]:
        stroke = f'stroke="{paint}" stroke-width="4" stroke-linecap="round"'
        on.add(f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{x + 22:.1f}" y2="{y:.1f}" {stroke}/>')
        on.words((x + _WORDS, y + 4), name, fill=_INK)
        on.words((x + _LENGTHS, y + 4), f"{length:.2f} m", fill=_QUIET, text_anchor="end")
        y += _ROW
    if len(ways) > _MOST:
        on.words((x + _WORDS, y + 4), f"and {len(ways) - _MOST} more", fill=_QUIET)
        y += _ROW
    y += _ROW / 2 if ways else 0.0
    for words, sign in signs:
        on.add(f'<g transform="translate({x + 11:.1f} {y:.1f})">{sign}</g>')
        on.words((x + _WORDS, y + 4), words, fill=_QUIET)
        y += _ROW
