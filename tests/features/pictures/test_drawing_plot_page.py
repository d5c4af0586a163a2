"""Values over time as a page."""

import base64
import json
import re
import sys

import numpy as np
import pytest

from coopsim.errors import NoSuchPlugin
from coopsim.features.export.series import Series
from coopsim.features.pictures.plot_page import figure_of, plot_page, thinned
from coopsim.geometry import Floats


def series(values: Floats, unit: str = "m") -> Series:
    return Series("robot1.sonars.ranges", unit, ("left", "right"), np.arange(len(values)) * 0.01, np.float32(values))


def numbers(packed: dict[str, str]) -> Floats:
    return np.frombuffer(base64.b64decode(packed["bdata"]), f"<{packed['dtype']}")


def test_each_column_is_a_line_over_the_common_time_with_gaps_where_nothing_was_read() -> None:
    values = np.array([[0.0, 1.0], [np.nan, 2.0], [0.5, 3.0]])
    figure = figure_of([series(values), series(values, "1")])
    assert [(each["name"], each["yaxis"]) for each in figure["data"]] == [
        ("left", "y"),
        ("right", "y"),
        ("left", "y2"),
        ("right", "y2"),
    ]
    assert numbers(figure["data"][0]["x"]).tolist() == [0.0, 0.01, 0.02]
    np.testing.assert_array_equal(numbers(figure["data"][0]["y"]), [0.0, np.nan, 0.5])
    titles = figure["layout"]["yaxis"]["title"]["text"], figure["layout"]["yaxis2"]["title"]["text"]
    assert titles == ("robot1.sonars.ranges [m]", "robot1.sonars.ranges")


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
    match = re.search(r'<script id="figure" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert match is not None
    assert len(json.loads(match[1])["data"]) == 2


def test_without_plotly_it_is_said_what_needs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "plotly", None)
    with pytest.raises(NoSuchPlugin, match="one in SVG needs nothing"):
        plot_page("a", "b", [])
