"""Recordings, and values over time, as one HTML page each that opens from disk; no server, no other host."""

import json
from collections.abc import Iterable, Sequence
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coopsim.features.export.series import Series
from coopsim.features.pictures.drawing_model import style
from coopsim.features.pictures.page_data import page_data, plan
from coopsim.features.pictures.page_robots import packed
from coopsim.features.pictures.palette import css, curve_colors
from coopsim.features.presentation.packaged import packaged_text
from coopsim.geometry import Floats
from coopsim.recording import Recording

_MOST_POINTS = 20_000  # of a curve; least and most of each part are kept, and the page stays small


def export_page(recording: Recording, path: str | Path, *, full: bool = False) -> int:
    """Write the page of a recording: top view, scrub bar, plots, messages; return how many bytes it has.

    Args:
        recording: Complete or cut off.
        path: An older file is overwritten.
        full: Every record and every reading, however large the page becomes.

    Raises:
        DamagedRecording: It holds no record, or a chunk is damaged.
        OSError: The page cannot be written.
    """
    text = page(recording, full=full).encode()
    Path(path).write_bytes(text)
    return len(text)


def page(recording: Recording, *, full: bool = False) -> str:
    """Return the text of the page."""
    data = page_data(recording, plan(recording, full=full))
    title = escape(f"{data['title']} - coopsim")
    return filled("page.html", ("logic", "curves", "view", "plots", "page"), data, title=title)


def plot_page(title: str, subtitle: str, panels: Sequence[Series]) -> str:
    """Return a page of values over time: dragging zooms, the pointer reads values.

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


def filled(template: str, scripts: Iterable[str], data: Any, **words: str) -> str:
    """Return a page that needs no other file.

    Args:
        template: Its HTML, with `{{NAME}}` for each part.
        scripts: Names of its scripts.
        data: What they show, plain as JSON.
        words: Further parts, as HTML.
    """
    text = json.dumps(data, separators=(",", ":"))
    parts = {
        **words,
        "css": f"{css()}\n{_file('page.css')}",
        "drawing": json.dumps({**style(), "curves": curve_colors()}, separators=(",", ":")),
        **{name: _file(f"{name}.js") for name in scripts},
        "data": text.replace("<", "\\u003c"),  # nothing in it can end the element that holds it
    }
    head, *pieces = _file(template).split("{{")
    whole = [head]
    for piece in pieces:
        name, rest = piece.split("}}", 1)
        whole += [parts[name], rest]
    return "".join(whole)


def _file(name: str) -> str:
    return packaged_text(resources.files("coopsim.features.pictures").joinpath("page"), name)
