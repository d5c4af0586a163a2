"""Values over time as SVG."""

import math
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from coopsim.features.export.series import Series
from coopsim.features.pictures.palette import series_color
from coopsim.features.pictures.time_plot import ticks, time_plot

SVG = "{http://www.w3.org/2000/svg}"


def series(values: np.ndarray, labels: tuple[str, ...] = ("a",), unit: str = "m") -> Series:
    times = np.linspace(0.0, 10.0, len(values))
    return Series("robot1.sonars", unit, labels, times, values.astype(np.float32).reshape(len(values), len(labels)))


def parsed(svg: str) -> ET.Element:
    return ET.fromstring(svg)


def words(root: ET.Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def lines(root: ET.Element) -> list[list[tuple[float, float]]]:
    curves = [element for element in root.iter(f"{SVG}polyline") if element.get("stroke-width") == "1.6"]
    return [[tuple(map(float, pair.split(","))) for pair in curve.get("points", "").split()] for curve in curves]


def test_axes_say_what_and_in_which_unit() -> None:
    root = parsed(time_plot("title & <more>", "sub", [series(np.linspace(0, 3, 50), ("a",))]))
    said = words(root)
    assert {"title & <more>", "sub", "robot1.sonars [m]", "time [s]", "0", "10", "3"} <= set(said)


def test_pure_numbers_have_no_unit() -> None:
    assert "robot1.sonars" in words(parsed(time_plot("t", "s", [series(np.ones(5), unit="1")])))


def test_negative_numbers_have_a_true_minus() -> None:
    assert "\u22121" in words(parsed(time_plot("t", "s", [series(np.linspace(-1, 1, 9))])))


def test_a_peak_of_a_single_tick_among_a_million_is_drawn() -> None:
    values = np.zeros(300_000)
    values[123_456] = 5.0
    (line,) = lines(parsed(time_plot("t", "s", [series(values)])))
    ys = [y for _, y in line]
    assert len(line) < 4000
    assert max(ys) - min(ys) > 100


def test_where_there_was_no_value_there_is_no_line() -> None:
    values = np.linspace(0, 1, 100)
    values[40:60] = math.nan
    before, after = lines(parsed(time_plot("t", "s", [series(values)])))
    assert before[-1][0] < after[0][0]


def test_every_column_has_its_line_and_its_name() -> None:
    labels = tuple(f"[{k}]" for k in range(11))
    root = parsed(time_plot("t", "s", [series(np.random.default_rng(1).random((20, 11)), labels)]))
    assert len(lines(root)) == 11
    assert set(labels) <= set(words(root))
    assert len({series_color(k, 11) for k in range(11)}) == 11


def test_a_long_legend_is_cut() -> None:
    labels = tuple(f"[{k}]" for k in range(40))
    assert "and 29 more" in words(
        parsed(time_plot("t", "s", [series(np.random.default_rng(1).random((5, 40)), labels)]))
    )


@pytest.mark.parametrize("values", [np.zeros(1), np.full(9, math.nan), np.full(9, 7.0), np.array([1e-30, 1e30])])
def test_strange_values_are_drawn_without_a_word(values: np.ndarray) -> None:
    text = time_plot("t", "s", [series(values), series(values)])
    parsed(text)
    assert not re.search(r'"[^"]*(nan|inf)[^"]*"', text)


def test_nothing_is_drawn_as_empty_axes() -> None:
    assert "robot1.sonars [m]" in words(parsed(time_plot("t", "s", [series(np.zeros((0, 1)))])))


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.0, 10.0, [0, 2, 4, 6, 8, 10]),
        (-0.1, 0.11, [-0.1, -0.05, 0, 0.05, 0.1]),
        (2.0, 2.5, [2.0, 2.1, 2.2, 2.3, 2.4, 2.5]),
    ],
)
def test_marks_are_round_numbers(low: float, high: float, expected: list[float]) -> None:
    assert ticks(low, high, 5) == pytest.approx(expected)
