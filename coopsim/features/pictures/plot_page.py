"""Values over time as a page that any browser opens without a network: dragging zooms, the pointer reads values."""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coopsim.features.export.series import Series
from coopsim.features.pictures.html_page import filled
from coopsim.features.pictures.page_robots import packed
from coopsim.geometry import Floats

_MOST_POINTS = 20_000  # of a curve; least and most of each part are kept, and the page stays small


def plot_page(title: str, subtitle: str, panels: Sequence[Series]) -> str:
    """Return a page of values over time, with the curves of the page of a recording.

    Args:
        title: What is shown.
        subtitle: Of what.
        panels: From top to bottom, over the same time.
    """
    data = [_panel(series) for series in panels]
    return filled("plot.html", ("logic", "curves", "plot"), data, title=escape(title), subtitle=escape(subtitle))


def _panel(series: Series) -> dict[str, Any]:
    """Return a panel as the page reads it: the times of all curves once, of a curve that is thinned its own."""
    curves = [_curve(series, column) for column in range(len(series.labels))]
    panel = {"title": series.title, "unit": series.unit, "curves": curves}
    return panel if all("times" in curve for curve in curves) else {**panel, "times": packed(series.times, "<f8")}


def _curve(series: Series, column: int) -> dict[str, str]:
    times, values = thinned(series.times, series.values[:, column].astype(np.float32))
    own = {} if times is series.times else {"times": packed(times, "<f8")}
    return {"label": series.labels[column], "values": packed(values, "<f4"), **own}


def thinned(times: Floats, values: NDArray[np.float32]) -> tuple[Floats, NDArray[np.float32]]:
    """Return the lowest and the highest of each run of values where there are more than a page should hold."""
    size = -(-2 * len(values) // _MOST_POINTS)
    if size <= 2:
        return times, values
    whole = len(values) // size * size
    blocks = values[:whole].reshape(-1, size)
    is_known = np.isfinite(blocks)
    ends = np.where(is_known, blocks, np.inf).argmin(axis=1), np.where(is_known, blocks, -np.inf).argmax(axis=1)
    rows = np.sort(np.array(ends), axis=0) + np.arange(0, whole, size)
    places = np.concatenate([rows.T.ravel(), np.arange(whole, len(values))])
    return times[places], values[places]
