"""Values over time as a page that any browser opens without a network: dragging zooms, the pointer reads values."""

import base64
import html
import json
from collections.abc import Sequence
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coopsim.errors import NoSuchPlugin
from coopsim.features.export.series import Series
from coopsim.geometry import Floats
from coopsim.interpreter import extra_command

_PAGE = Path(__file__).parent / "page" / "plot.html"
_MOST_POINTS = 20_000  # of a curve; plotly stays fluent, and least and most of each part are kept
_PANEL, _EDGES = 240, 110  # pixels; a curve of that height is read to a hundredth


def plot_page(title: str, subtitle: str, panels: Sequence[Series]) -> str:
    """Return a page of values over time, drawn by plotly.

    Args:
        title: What is shown.
        subtitle: Of what.
        panels: From top to bottom, over the same time.

    Raises:
        NoSuchPlugin: The package that draws is not installed.
    """
    try:
        from plotly import io
        from plotly.offline import get_plotlyjs
    except ImportError:
        text = "a plot in HTML needs the package plotly; one in SVG needs nothing"
        raise NoSuchPlugin(text).advise(extra_command("studies")) from None
    figure = figure_of(panels)
    figure["layout"]["template"] = io.templates["plotly_white"].to_plotly_json()
    parts = {"plotly": get_plotlyjs(), "figure": json.dumps(figure).replace("</", "<\\/")}
    words = {"title": html.escape(title), "subtitle": html.escape(subtitle)}
    return Template(_PAGE.read_text(encoding="utf-8")).substitute(parts | words)


def figure_of(panels: Sequence[Series]) -> dict[str, Any]:
    """Return what plotly.js draws: data and layout, plain as JSON."""
    data = [
        _line(series, column, number) for number, series in enumerate(panels, 1) for column in range(len(series.labels))
    ]
    axes = {_axis("yaxis", number): {"title": {"text": _titled(panel)}} for number, panel in enumerate(panels, 1)}
    layout = {
        "grid": {"rows": len(panels), "columns": 1, "pattern": "coupled"},
        "height": _EDGES + _PANEL * len(panels),
        "hovermode": "x",
        "margin": {"t": 30},
        "showlegend": True,
        "xaxis": {"title": {"text": "time [s]"}},
        **axes,
    }
    return {"data": data, "layout": layout}


def _line(series: Series, column: int, number: int) -> dict[str, Any]:
    times, values = thinned(series.times, series.values[:, column].astype(np.float32))
    group = {"legendgroup": str(number), "legendgrouptitle": {"text": series.title}}
    drawn = {"type": "scatter", "mode": "lines", "name": series.labels[column], **group}
    return {**drawn, "yaxis": _axis("y", number), "x": _packed(times, "f8"), "y": _packed(values, "f4")}


def _axis(name: str, number: int) -> str:
    return name if number == 1 else f"{name}{number}"


def _titled(series: Series) -> str:
    return series.title if series.unit == "1" else f"{series.title} [{series.unit}]"


def _packed(values: NDArray[Any], kind: str) -> dict[str, str]:
    """Return an array as plotly.js reads it; JSON knows no NaN, which are gaps here."""
    raw = np.ascontiguousarray(values, f"<{kind}").tobytes()
    return {"dtype": kind, "bdata": base64.b64encode(raw).decode()}


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
