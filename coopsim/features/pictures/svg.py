"""Drawing in metres, written as SVG: x to the right, y up."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import TypeAlias

from coopsim.geometry import Vector3

Point: TypeAlias = tuple[float, float]
FONT = "-apple-system, 'Segoe UI', 'Helvetica Neue', 'DejaVu Sans', Arial, sans-serif"


class Drawing:
    """A picture of a rectangle of the world, in layers from the bottom to the top.

    Args:
        low: Lower left corner [m].
        high: Upper right corner [m].
        scale: Pixels per metre.
        border: Left, top, right, bottom of the frame around the rectangle [pixels].
    """

    def __init__(self, low: Point, high: Point, scale: float, border: tuple[float, float, float, float]) -> None:
        self._low, self._high, self.scale = low, high, scale
        self._left, self._top, right, bottom = border
        self.width = self._left + right + scale * (high[0] - low[0])
        self.height = self._top + bottom + scale * (high[1] - low[1])
        self._parts: list[str] = []

    def at(self, x: float, y: float) -> Point:
        """Return the pixel of a place in the world."""
        return self._left + self.scale * (x - self._low[0]), self._top + self.scale * (self._high[1] - y)

    def circle(self, centre: Point, radius: float, **style: object) -> None:
        """Draw a circle; `radius` in metres."""
        x, y = self.at(*centre)
        self.add(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius * self.scale:.2f}"{_style(style)}/>')

    def dot(self, centre: Point, radius: float, **style: object) -> None:
        """Draw a circle; `radius` in pixels."""
        self.circle(centre, radius / self.scale, **style)

    def polygon(self, corners: Iterable[Point], **style: object) -> None:
        """Draw a closed outline."""
        self.add(f'<polygon points="{self._pixels(corners)}"{_style(style)}/>')

    def line(self, points: Iterable[Point], **style: object) -> None:
        """Draw an open line with round ends."""
        style = {"fill": "none", "stroke_linecap": "round", "stroke_linejoin": "round", **style}
        self.add(f'<polyline points="{self._pixels(points)}"{_style(style)}/>')

    def text(self, place: Point, words: str, *, shift: Point = (0.0, 0.0), halo: str = "", **style: object) -> None:
        """Write words at a place in the world, shifted by pixels (right, down), within a halo of a colour."""
        x, y = self.at(*place)
        pixel = (x + shift[0], y + shift[1])
        if halo:  # a text of its own, since not every viewer knows paint-order
            around = {"fill": halo, "stroke": halo, "stroke_width": 4, "stroke_linejoin": "round"}
            self.words(pixel, words, **{**style, **around})
        self.words(pixel, words, **style)

    def words(self, pixel: Point, words: str, **style: object) -> None:
        """Write words at a pixel."""
        x, y = pixel
        style = {"font_size": 12, **style}
        self.add(f'<text x="{x:.1f}" y="{y:.1f}"{_style(style)}>{escape(words)}</text>')

    def add(self, element: str) -> None:
        """Add an element in pixels."""
        self._parts.append(element)

    def document(self, title: str) -> str:
        """Return the whole SVG."""
        width, height = round(self.width), round(self.height)
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" font-family="{FONT}">\n<title>{escape(title)}</title>\n'
        )
        return head + "\n".join(self._parts) + "\n</svg>\n"

    def _pixels(self, points: Iterable[Point]) -> str:
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in (self.at(*point) for point in points))


def color(rgb: Vector3, light: float = 1.0) -> str:
    """Return `#rrggbb`; `light` below 1 darkens, above 1 moves towards white."""
    if light <= 1.0:
        shaded = [channel * light for channel in rgb]
    else:
        shaded = [1.0 - (1.0 - channel) * (2.0 - light) for channel in rgb]
    return "#" + "".join(f"{round(255 * min(1.0, max(0.0, channel))):02x}" for channel in shaded)


def hull(points: Iterable[Point]) -> list[Point]:
    """Return the corners of the convex hull, counter-clockwise (monotone chain)."""
    ordered = sorted(set(points))
    if len(ordered) < 3:
        return ordered
    lower, upper = _chain(ordered), _chain(ordered[::-1])
    return lower[:-1] + upper[:-1]


def simplified(points: Sequence[Point], tolerance: float) -> list[Point]:
    """Return fewer points, none of the others farther than `tolerance` from the line (Douglas and Peucker, 1973)."""
    if len(points) < 3:
        return list(points)
    kept = {0, len(points) - 1}
    waiting = [(0, len(points) - 1)]
    while waiting:
        first, last = waiting.pop()
        far, place = max((_distance(points[i], points[first], points[last]), i) for i in range(first + 1, last))
        if far > tolerance:
            kept.add(place)
            waiting += [span for span in ((first, place), (place, last)) if span[1] - span[0] > 1]
    return [points[place] for place in sorted(kept)]


def _chain(ordered: Sequence[Point]) -> list[Point]:
    chain: list[Point] = []
    for point in ordered:
        while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= 0:
            chain.pop()
        chain.append(point)
    return chain


def _turn(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _distance(point: Point, a: Point, b: Point) -> float:
    """Return how far `point` is from the line from a to b."""
    along = (b[0] - a[0], b[1] - a[1])
    length = (along[0] ** 2 + along[1] ** 2) ** 0.5
    if length == 0.0:
        return float(((point[0] - a[0]) ** 2 + (point[1] - a[1]) ** 2) ** 0.5)
    share = ((point[0] - a[0]) * along[0] + (point[1] - a[1]) * along[1]) / length**2
    share = min(1.0, max(0.0, share))
    return float(((point[0] - a[0] - share * along[0]) ** 2 + (point[1] - a[1] - share * along[1]) ** 2) ** 0.5)


def _style(style: dict[str, object]) -> str:
    return "".join(f' {name.replace("_", "-")}="{value}"' for name, value in style.items())
