"""The palette: what is drawn on white can be read there, and pictures and pages have the same colours."""

import json
import re

import numpy as np
import pytest

from coopsim.features.amsa.components import LeafKind
from coopsim.features.amsa.components.graph_layout import KIND_COLORS
from coopsim.features.export.series import Series
from coopsim.features.pictures import palette
from coopsim.features.pictures.drawing_model import SPRING, style
from coopsim.features.pictures.html_page import plot_page
from coopsim.features.pictures.palette import DARK, LIGHT, SERIES, SERIES_ON_PAPER, css, on_paper, series_color
from coopsim.features.pictures.svg import color
from coopsim.features.pictures.time_plot import time_plot
from coopsim.geometry import Vector3


def contrast_with_white(rgb: Vector3) -> float:
    """Return the contrast as WCAG 2.2 defines it."""
    channels = np.array(rgb)
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return 1.05 / (float(linear @ (0.2126, 0.7152, 0.0722)) + 0.05)


def curves(count: int) -> Series:
    values = np.random.default_rng(1).random((20, count))
    return Series("t", "m", tuple(map(str, range(count))), np.arange(20.0), values)


@pytest.mark.parametrize("number", range(len(SERIES)))
def test_every_curve_can_be_read_on_white_and_keeps_its_hue(number: int) -> None:
    before, after = np.array(SERIES[number]), np.array(on_paper(SERIES[number]))
    assert contrast_with_white(on_paper(SERIES[number])) > 2.95
    assert np.argsort(after).tolist() == np.argsort(before).tolist()
    assert (after <= before + 1e-6).all()


def test_what_can_be_read_already_stays_as_it_is() -> None:
    assert on_paper((0.0, 0.45, 0.70)) == pytest.approx((0.0, 0.45, 0.70), abs=1e-6)
    assert on_paper((0.0, 0.0, 0.0)) == (0.0, 0.0, 0.0)


def test_colours_of_curves_stay_apart_on_white() -> None:
    apart = [np.linalg.norm(np.subtract(a, b)) for k, a in enumerate(SERIES_ON_PAPER) for b in SERIES_ON_PAPER[:k]]
    assert min(apart) > 0.15


def test_few_curves_have_clearly_different_colours_and_many_a_scale_from_blue_to_red() -> None:
    few = [series_color(k, len(SERIES)) for k in range(len(SERIES))]
    assert tuple(few) == SERIES_ON_PAPER
    many = [series_color(k, 8) for k in range(8)]
    assert len(set(many)) == 8
    assert (many[0][2] > many[0][0], many[-1][0] > many[-1][2]) == (True, True)


def test_both_themes_name_the_same_colours_and_pages_get_them() -> None:
    assert list(LIGHT) == list(DARK)
    light, dark = css().split("@media")
    for theme, text in ((LIGHT, light), (DARK, dark)):
        assert all(f"--{name}: {paint};" in text for name, paint in theme.items())


@pytest.mark.parametrize("count", [3, 7, 12])
def test_a_picture_and_the_page_of_the_same_curves_have_the_same_colours(count: int) -> None:
    strokes = dict.fromkeys(
        re.findall(r'stroke="(#[0-9a-f]{6})" stroke-width="1.6"', time_plot("t", "s", [curves(count)]))
    )
    assert list(strokes) == [color(series_color(k, count)) for k in range(count)]
    script = re.search(r"const drawing = (.*);", plot_page("t", "s", [curves(count)]))
    assert script
    drawing = json.loads(script[1])
    assert drawing["curves"]["light"] == [color(paint) for paint in SERIES_ON_PAPER]
    assert drawing["rays"] == style()["rays"]


def test_kinds_of_components_have_colours_of_the_palette() -> None:
    assert set(KIND_COLORS) == set(LeafKind)
    assert set(KIND_COLORS.values()) <= set(SERIES_ON_PAPER)
    assert len(set(KIND_COLORS.values())) == len(LeafKind)


def test_pages_get_curves_for_both_grounds_and_the_spring_of_pictures() -> None:
    facts = style()
    np.testing.assert_allclose(facts["seriesOnPaper"], SERIES_ON_PAPER, atol=1e-4)
    assert palette.curve_colors()["dark"] == [color(paint) for paint in SERIES]
    np.testing.assert_allclose(facts["spring"]["color"], np.array(SPRING) / 255.0, atol=1e-4)
