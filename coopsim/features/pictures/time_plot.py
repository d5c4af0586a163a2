"""Values over time as SVG: a panel for each unit, one time axis below."""

import math
from collections.abc import Sequence

import numpy as np

from coopsim.features.export.series import Series
from coopsim.features.pictures.palette import LIGHT, series_color
from coopsim.features.pictures.svg import Drawing, Point, color, simplified
from coopsim.geometry import Floats

_INK, _QUIET, _PAPER, _GRID = (LIGHT[name] for name in ("ink", "quiet", "paper", "line"))
_WIDTH, _HEIGHT, _APART = 860.0, 190.0, 40.0  # points; two panels fill a printed page
_LEFT, _TOP, _RIGHT, _BOTTOM = 72.0, 96.0, 150.0, 44.0  # points; room for numbers, title, legend and the axis
_MOST_LABELS = 11  # rows that fit beside one panel


def time_plot(title: str, subtitle: str, panels: Sequence[Series]) -> str:
    """Return an SVG of values over time.

    Args:
        title: What is shown.
        subtitle: Of what.
        panels: From top to bottom, over the same time.
    """
    drawing = Drawing(
        (0.0, 0.0),
        (_WIDTH, len(panels) * (_HEIGHT + _APART) - _APART),
        1.0,
        (_LEFT, _TOP, _RIGHT, _BOTTOM),
    )
    drawing.add(f'<rect width="{drawing.width:.0f}" height="{drawing.height:.0f}" fill="{_PAPER}"/>')
    drawing.words((24, 34), title, font_size=20, fill=_INK, font_weight="600")
    drawing.words((24, 53), subtitle, fill=_QUIET)
    for index, series in enumerate(panels):
        bottom = (len(panels) - 1 - index) * (_HEIGHT + _APART)
        _Panel(drawing, series, bottom).draw(is_lowest=index == len(panels) - 1)
    return drawing.document(title)


class _Panel:
    """A pair of axes with its lines."""

    def __init__(self, on: Drawing, series: Series, bottom: float) -> None:
        self._on, self._series, self._bottom = on, series, bottom
        times = series.times
        self._from, self._to = (float(times[0]), float(times[-1])) if len(times) else (0.0, 1.0)
        if self._to <= self._from:
            self._to = self._from + 1.0
        self._low, self._high = _range(series)

    def draw(self, *, is_lowest: bool) -> None:
        """Draw axes, lines and legend."""
        self._axes(is_lowest=is_lowest)
        for column in range(len(self._series.labels)):
            self._line(column)
        self._legend()

    def _axes(self, *, is_lowest: bool) -> None:
        on, series = self._on, self._series
        for value in ticks(self._low, self._high, 5):
            y = self._y(value)
            on.line(((0.0, y), (_WIDTH, y)), stroke=_GRID)
            words = f"{value:.6g}".replace("-", "\u2212")
            on.text((0.0, y), words, shift=(-8, 4), fill=_QUIET, text_anchor="end")
        for time in ticks(self._from, self._to, 10):
            x = self._x(time)
            on.line(((x, self._bottom), (x, self._bottom - 5)), stroke=_QUIET)
            if is_lowest:
                on.text((x, self._bottom), f"{time:.6g}", shift=(0, 20), fill=_QUIET, text_anchor="middle")
        on.line(((0.0, self._bottom), (_WIDTH, self._bottom)), stroke=_QUIET)
        if is_lowest:
            on.text((_WIDTH, self._bottom), "time [s]", shift=(12, 20), fill=_QUIET)
        unit = "" if series.unit == "1" else f" [{series.unit}]"
        on.text((0.0, self._bottom + _HEIGHT), series.title + unit, shift=(-48, -12), fill=_INK, font_weight="600")

    def _line(self, column: int) -> None:
        """Draw one column; where there was no value, nothing."""
        values = self._series.values[:, column].astype(np.float64)
        present = np.isfinite(values)
        breaks = np.flatnonzero(np.diff(present.astype(np.int8))) + 1
        for part in np.split(np.arange(len(values)), breaks):
            if part.size and present[part[0]]:
                points = self._thinned(self._series.times[part], values[part])
                style = {"stroke": color(series_color(column, len(self._series.labels))), "stroke_width": 1.6}
                self._on.line(simplified(points, 0.25), **style)

    def _thinned(self, times: Floats, values: Floats) -> list[Point]:
        """Return the lowest and the highest value of each half pixel: nothing short is lost."""
        xs = (times - self._from) / (self._to - self._from) * _WIDTH
        begins = np.flatnonzero(np.diff(np.floor(2.0 * xs), prepend=-1.0))
        if 2 * len(begins) >= len(xs):
            return [(float(x), self._y(float(value))) for x, value in zip(xs, values, strict=True)]
        low, high = np.minimum.reduceat(values, begins), np.maximum.reduceat(values, begins)
        points: list[Point] = []
        for x, first, down, up in zip(xs[begins], values[begins], low, high, strict=True):
            ends = (up, down) if first > (up + down) / 2 else (down, up)
            points += [(float(x), self._y(float(value))) for value in dict.fromkeys(ends)]
        return points

    def _legend(self) -> None:
        labels = self._series.labels
        if len(labels) == 1 and self._series.title.endswith(labels[0]):
            return  # the title says it
        x, y = self._on.at(_WIDTH, self._bottom + _HEIGHT)
        for row, label in enumerate(labels[:_MOST_LABELS]):
            line = y + 6 + 17 * row
            paint = color(series_color(row, len(labels)))
            stroke = f'stroke="{paint}" stroke-width="3" stroke-linecap="round"'
            self._on.add(f'<line x1="{x + 14:.0f}" y1="{line:.0f}" x2="{x + 30:.0f}" y2="{line:.0f}" {stroke}/>')
            self._on.words((x + 38, line + 4), label, fill=_INK)
        if len(labels) > _MOST_LABELS:
            more = f"and {len(labels) - _MOST_LABELS} more"
            self._on.words((x + 38, y + 10 + 17 * _MOST_LABELS), more, fill=_QUIET)

    def _x(self, time: float) -> float:
        return (time - self._from) / (self._to - self._from) * _WIDTH

    def _y(self, value: float) -> float:
        return self._bottom + (value - self._low) / (self._high - self._low) * _HEIGHT


def ticks(low: float, high: float, most: int) -> list[float]:
    """Return round numbers within `low` and `high`, at most one more than `most`."""
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(times * power for times in (1.0, 2.0, 5.0, 10.0) if times * power >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [round(index * step, 12) for index in range(first, math.floor(high / step + 1e-9) + 1)]


def _range(series: Series) -> tuple[float, float]:
    values = series.values[np.isfinite(series.values)]
    if not values.size:
        return 0.0, 1.0
    low, high = float(values.min()), float(values.max())
    if high - low < 1e-9:
        room = 0.1 * abs(high) or 0.5
        return low - room, high + room
    room = 0.06 * (high - low)
    return (0.0 if 0.0 <= low < 0.35 * high else low - room), high + room
