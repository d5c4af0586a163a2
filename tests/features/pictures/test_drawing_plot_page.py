"""Values over time as a page."""

import base64
import json
import re
import sys
from typing import Any

import numpy as np
import pytest

from coopsim.features.export.series import Series
from coopsim.features.pictures.html_page import plot_page, thinned
from coopsim.geometry import Floats


def series(values: Floats, unit: str = "m") -> Series:
    return Series("robot1.sonars.ranges", unit, ("left", "right"), np.arange(len(values)) * 0.01, np.float32(values))


def shown(page: str) -> Any:
    """Return what the page reads."""
    match = re.search(r'<script type="application/json" id="panels">(.*?)</script>', page, re.DOTALL)
    assert match is not None
    return json.loads(match[1])


def numbers(text: str, kind: str) -> Floats:
    return np.frombuffer(base64.b64decode(text), kind)


def test_each_column_is_a_curve_over_the_common_time_with_gaps_where_nothing_was_read() -> None:
    values = np.array([[0.0, 1.0], [np.nan, 2.0], [0.5, 3.0]])
    panels = shown(plot_page("a", "b", [series(values), series(values, "1")]))
    assert [(panel["title"], panel["unit"]) for panel in panels] == [
        ("robot1.sonars.ranges", "m"),
        ("robot1.sonars.ranges", "1"),
    ]
    assert [curve["label"] for curve in panels[0]["curves"]] == ["left", "right"]
    assert numbers(panels[0]["times"], "<f8").tolist() == [0.0, 0.01, 0.02]
    np.testing.assert_array_equal(numbers(panels[0]["curves"][0]["values"], "<f4"), [0.0, np.nan, 0.5])
    assert numbers(panels[1]["curves"][1]["values"], "<f4").tolist() == [1.0, 2.0, 3.0]


def test_a_curve_that_is_thinned_has_times_of_its_own() -> None:
    values = np.random.default_rng(1).normal(size=(50_000, 2))
    (panel,) = shown(plot_page("a", "b", [series(values)]))
    assert "times" not in panel
    for column, curve in enumerate(panel["curves"]):
        times, kept = numbers(curve["times"], "<f8"), numbers(curve["values"], "<f4")
        assert len(times) == len(kept) < 21_000
        np.testing.assert_array_equal(kept, np.float32(values[np.rint(times / 0.01).astype(int), column]))


def test_a_long_line_keeps_what_is_short_and_its_time() -> None:
    values = np.zeros(1_000_001, np.float32)
    values[[123_456, 777_777, -1]] = 5.0, -3.0, 9.0
    values[500_000:501_000] = np.nan
    times, kept = thinned(np.arange(len(values)) * 0.01, values)
    assert len(kept) < 21_000
    assert (np.diff(times) > 0.0).sum() > 9_000
    assert (np.diff(times) >= 0.0).all()
    assert dict(zip(kept[np.abs(kept) > 1.0].tolist(), times[np.abs(kept) > 1.0].tolist(), strict=True)) == {
        5.0: pytest.approx(1234.56),
        -3.0: pytest.approx(7777.77),
        9.0: pytest.approx(10_000.0),
    }
    assert np.isnan(kept).any()


def test_the_page_needs_no_network_and_shows_names_as_they_are() -> None:
    page = plot_page("</script><b>", "run.mcap & 3 s", [series(np.ones((3, 2)))])
    assert "<h1>&lt;/script&gt;&lt;b&gt;</h1>" in page
    assert "run.mcap &amp; 3 s" in page
    assert not re.search(r"<(script|link|img)[^>]* (src|href)=", page)
    assert "Content-Security-Policy" in page
    assert len(shown(page)[0]["curves"]) == 2


def test_names_within_the_data_end_no_script() -> None:
    evil = Series("</script><script>alert(1)</script>", "m", ("<!--",), np.zeros(1), np.zeros((1, 1), np.float32))
    page = plot_page("a", "b", [evil])
    assert "alert(1)</script>" not in page
    (panel,) = shown(page)
    assert (panel["title"], panel["curves"][0]["label"]) == ("</script><script>alert(1)</script>", "<!--")


def test_a_page_needs_no_package_and_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "plotly", None)
    assert len(plot_page("a", "b", [series(np.ones((3, 2)))])) < 40_000
    assert shown(plot_page("a", "b", [])) == []
