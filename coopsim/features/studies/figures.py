"""Figures of a study as plotly.js draws them: data and layout, plain as JSON.

Plotly's own classes check each value in Python, which takes longer than everything else a report does.
"""

import json
import math
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from plotly import io

from coopsim.features.studies.by_value import ordered
from coopsim.features.studies.table import StudyTable
from coopsim.geometry import Floats

Figure: TypeAlias = dict[str, Any]
Groups: TypeAlias = "dict[str, np.ndarray[Any, np.dtype[np.int64]]]"
"""The rows of each value of what was varied."""

_MOST_POINTS = 400  # of a curve; an even pick, ends included
_MOST_GROUPS = 40  # colours and bars that fit a page
_MOST_SHARES = 8
"""Of more values, these many curves of shares are drawn: the legend of more cannot be read."""


def template() -> str:
    """Return what all figures have in common, as JSON."""
    return json.dumps(io.templates["plotly_white"].to_plotly_json())


def _axis(names: Iterable[str]) -> dict[str, str]:
    """Return the kind of an axis: of numbers, which stand as far apart as they are, or of words."""
    return {"type": "linear" if _are_numbers(names) else "category"}


def _are_numbers(names: Iterable[str]) -> bool:
    try:
        return all(math.isfinite(float(name)) for name in names)
    except ValueError:
        return False


def _axis_values(names: Iterable[str]) -> list[Any]:
    """Return values as an axis takes them: as numbers where all are."""
    categories = list(names)
    return [float(category) for category in categories] if _are_numbers(categories) else categories


def _figure(title: str, across: str, down: str, data: list[Any], **more: Any) -> Figure:
    axes = {"xaxis": {"title": {"text": across}}, "yaxis": {"title": {"text": down}}}
    for axis, settings in more.items():
        axes[axis] |= settings
    margin = {"l": 60, "r": 20, "t": 40, "b": 50}
    layout = {"title": {"text": title}, "height": 360, "margin": margin, "showlegend": len(data) > 1, **axes}
    return {"data": data, "layout": layout}


def distributions(study: StudyTable, metric: str, groups: Mapping[str, Groups]) -> list[Figure]:
    """Return a box plot for each value of what was varied first, and the shares of runs below each value."""
    values = study.metrics[metric]
    first = groups[study.varied[0]] if study.varied else {"all runs": np.arange(len(values))}
    boxes, shares = [], []
    shown = list(first)[:_MOST_GROUPS]
    for name, place in zip(shown, _axis_values(shown), strict=True):
        rows = first[name]
        finite = np.sort(values[rows][np.isfinite(values[rows])])
        if finite.size:
            boxes.append(_box(name, place, finite))
            shares.append(_shares(name, finite))
    axis = study.varied[0] if study.varied else ""
    box = _figure(metric, axis, metric, boxes, xaxis=_axis(shown))
    box["layout"]["showlegend"] = False
    some = sorted({round(place) for place in np.linspace(0, len(shares) - 1, _MOST_SHARES)} if shares else ())
    title = f"share of runs below a {metric}"
    if len(some) < len(shares):
        title += f", {len(some)} of {len(shares)} values"
    shares = [shares[place] for place in some]
    return [box, _figure(title, metric, "share of runs", shares, yaxis={"range": [0.0, 1.02]})]


def effects(study: StudyTable, metric: str, groups: Mapping[str, Groups]) -> list[Figure]:
    """Return how a metric follows each of what was varied: means with their standard errors."""
    marks = []
    for name in study.varied:
        means = [(value, *_mean(study.metrics[metric][rows])) for value, rows in groups[name].items()]
        texts, middles, errors = zip(*means, strict=True)
        line = {
            "type": "scatter",
            "x": _axis_values(texts),
            "y": middles,
            "error_y": {"array": errors},
            "mode": "lines+markers",
        }
        marks.append(_figure(f"{metric} by {name}", name, metric, [line], xaxis=_axis(texts)))
    return marks


def heat_maps(study: StudyTable, metric: str, groups: Mapping[str, Groups]) -> list[Figure]:
    """Return the mean of a metric over each pair of what was varied."""
    return [_heat_map(study.metrics[metric], metric, *pair) for pair in combinations(groups.items(), 2)]


def _heat_map(values: Floats, metric: str, across: tuple[str, Groups], down: tuple[str, Groups]) -> Figure:
    (first_axis, columns), (second_axis, rows) = across, down
    is_there = np.isfinite(values)
    column, row = (_group_numbers(groups, len(values)) for groups in (columns, rows))
    cell = (row * len(columns) + column)[is_there & (row >= 0) & (column >= 0)]
    chosen = values[is_there & (row >= 0) & (column >= 0)]
    size = len(rows) * len(columns)
    counts = np.bincount(cell, minlength=size)
    sums = np.bincount(cell, chosen, minlength=size)
    means = [sums[n] / counts[n] if counts[n] else None for n in range(size)]
    cells = [means[n : n + len(columns)] for n in range(0, size, len(columns))]
    colours = {"colorbar": {"title": {"text": metric}}, "colorscale": "Viridis"}
    places: Figure = {"x": _axis_values(columns), "y": _axis_values(rows)}
    trace = {"type": "heatmap", **places, "z": cells, **colours}
    return _figure(f"mean {metric}", first_axis, second_axis, [trace], xaxis=_axis(columns), yaxis=_axis(rows))


def _group_numbers(groups: Groups, count: int) -> "np.ndarray[Any, np.dtype[np.int64]]":
    """Return the number of each row's group, -1 = none."""
    places = np.full(count, -1)
    for number, rows in enumerate(groups.values()):
        places[rows] = number
    return places


def groups_of(study: StudyTable, name: str) -> Groups:
    """Return the rows of each value; many different numbers are gathered in ten equal parts."""
    column = study.column(name)
    values = ordered(column)
    cells = np.array(column)
    if len(values) <= _MOST_GROUPS:
        return {value: np.flatnonzero(cells == value) for value in values}
    numbers = cells.astype(np.float64)
    edges = np.quantile(numbers, np.linspace(0.0, 1.0, 11))
    place = np.clip(np.searchsorted(edges, numbers, side="right") - 1, 0, 9)
    return {f"{edges[n]:.3g} to {edges[n + 1]:.3g}": np.flatnonzero(place == n) for n in range(10)}


def _box(name: str, place: str | float, numbers: Floats) -> Figure:
    """Return a box drawn from five numbers: a page holds no row for it."""
    low, first, middle, third, high = np.quantile(numbers, [0.0, 0.25, 0.5, 0.75, 1.0]).tolist()
    reach = 1.5 * (third - first)
    fences = {"lowerfence": [max(low, first - reach)], "upperfence": [min(high, third + reach)]}
    box = {"q1": [first], "median": [middle], "q3": [third], "mean": [float(numbers.mean())], **fences}
    return {"type": "box", "x": [place], "name": name, **box}


def _shares(name: str, numbers: Floats) -> Figure:
    places = np.unique(np.linspace(0, numbers.size - 1, min(numbers.size, _MOST_POINTS)).astype(np.int64))
    shares = (places + 1) / numbers.size
    line = {"x": numbers[places].tolist(), "y": shares.tolist(), "mode": "lines", "line": {"shape": "hv"}}
    return {"type": "scatter", "name": name, **line}


def _mean(values: Floats) -> tuple[float | None, float]:
    """Return mean and standard error; None where there is no value."""
    value = values[np.isfinite(values)]
    if not value.size:
        return None, 0.0
    return float(value.mean()), float(value.std(ddof=1) / np.sqrt(value.size)) if value.size > 1 else 0.0
