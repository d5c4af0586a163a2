"""The exported page in a real browser, on machines that have one (`make check-html` insists on it)."""

from pathlib import Path

import browser
import pytest
from offline_runs import CRASH, coopsim, recorded

pytestmark = pytest.mark.integration

if browser.found():

    def test_the_page_is_scrubbed_in_a_real_browser(tmp_path: Path) -> None:
        scenario = tmp_path / "crash.scenario"
        scenario.write_text(CRASH)
        path = recorded(tmp_path / "a.mcap", str(scenario))
        coopsim("export", str(path), "--html", str(tmp_path / "a.html"))
        found = browser.check(tmp_path / "a.html")
        assert (found["pictures"], found["end"]) == (81, 4)
