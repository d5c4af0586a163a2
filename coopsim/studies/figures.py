"""Figures of a study, drawn by plotly."""

from collections.abc import Mapping
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
import plotly.graph_objects as go

from coopsim.geometry import Floats
from coopsim.studies.table import StudyTable, ordered

_MOST_POINTS = 400
_MOST_GROUPS = 40
_LAYOUT = {"template": "plotly_white", "height": 360, "margin": {"l": 60, "r": 20, "t": 40, "b": 50}}


Groups: TypeAlias = "dict[str, np.ndarray[Any, np.dtype[np.int64]]]"
"""The rows of each value of what was varied."""


def distributions(study: StudyTable, metric: str, groups: Mapping[str, Groups]) -> list[Any]:
    """Return a box plot for each value of what was varied first, and the shares of runs below each value."""
    values = study.metrics[metric]
    first = groups[study.varied[0]] if study.varied else {"all runs": np.arange(len(values))}
    boxes, shares = go.Figure(layout=_LAYOUT), go.Figure(layout=_LAYOUT)
    for name, rows in list(first.items())[:_MOST_GROUPS]:
        found = np.sort(values[rows][np.isfinite(values[rows])])
        if found.size:
            boxes.add_trace(_box(name, found))
            shares.add_trace(_shares(name, found))
    axis = study.varied[0] if study.varied else ""
    boxes.update_layout(title=metric, yaxis_title=metric, xaxis={"type": "category", "title": axis}, showlegend=False)
    shares.update_layout(title=f"share of runs below a {metric}", xaxis_title=metric, yaxis_title="share of runs")
    shares.update_yaxes(range=[0.0, 1.02])
    return [boxes, shares]


def effects(study: StudyTable, metric: str, groups: Mapping[str, Groups]) -> list[Any]:
    """Return how a metric follows each of what was varied: means with their standard errors."""
    found = []
    for name in study.varied:
        means = [(value, *_mean(study.metrics[metric][rows])) for value, rows in groups[name].items()]
        texts, middles, errors = zip(*means, strict=True)
        trace = go.Scatter(x=texts, y=middles, error_y={"array": errors}, mode="lines+markers")
        figure = go.Figure(trace, layout=_LAYOUT)
        figure.update_layout(title=f"{metric} by {name}", xaxis={"type": "category", "title": name}, yaxis_title=metric)
        found.append(figure)
    return found


def heat_maps(study: StudyTable, metric: str, groups: Mapping[str, Groups]) -> list[Any]:
    """Return the mean of a metric over each pair of what was varied."""
    return [_heat_map(study.metrics[metric], metric, *pair) for pair in combinations(groups.items(), 2)]


def _heat_map(values: Floats, metric: str, across: tuple[str, Groups], down: tuple[str, Groups]) -> Any:
    (one, columns), (other, rows) = across, down
    cells = [
        [_mean(values[np.intersect1d(left, right, assume_unique=True)])[0] for left in columns.values()]
        for right in rows.values()
    ]
    trace = go.Heatmap(x=list(columns), y=list(rows), z=cells, colorbar={"title": metric}, colorscale="Viridis")
    figure = go.Figure(trace, layout=_LAYOUT)
    axes = {"xaxis": {"type": "category", "title": one}, "yaxis": {"type": "category", "title": other}}
    figure.update_layout(title=f"mean {metric}", **axes)
    return figure


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


def _box(name: str, found: Floats) -> Any:
    """Return a box drawn from five numbers: a page holds no row for it."""
    low, first, middle, third, high = np.quantile(found, [0.0, 0.25, 0.5, 0.75, 1.0]).tolist()
    reach = 1.5 * (third - first)
    fences = {"lowerfence": [max(low, first - reach)], "upperfence": [min(high, third + reach)]}
    return go.Box(x=[name], name=name, q1=[first], median=[middle], q3=[third], mean=[float(found.mean())], **fences)


def _shares(name: str, found: Floats) -> Any:
    places = np.unique(np.linspace(0, found.size - 1, min(found.size, _MOST_POINTS)).astype(np.int64))
    shares = (places + 1) / found.size
    return go.Scatter(x=found[places].tolist(), y=shares.tolist(), name=name, mode="lines", line={"shape": "hv"})


def _mean(values: Floats) -> tuple[float | None, float]:
    """Return mean and standard error; None where there is no value."""
    found = values[np.isfinite(values)]
    if not found.size:
        return None, 0.0
    return float(found.mean()), float(found.std(ddof=1) / np.sqrt(found.size)) if found.size > 1 else 0.0
