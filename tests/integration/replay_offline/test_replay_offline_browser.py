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
        coopsim("export", str(path), "--flat", "--html", str(tmp_path / "a.html"))
        report = browser.check(tmp_path / "a.html")
        assert (report["pictures"], report["end"]) == (81, 4)

    def test_curves_are_read_looked_into_and_hidden_in_a_real_browser(tmp_path: Path) -> None:
        path = recorded(tmp_path / "a.mcap", "single", "--mode", "lockstep")
        page = tmp_path / "plot.html"
        coopsim("plot", str(path), "--reading", "robot1.sonars", "--reading", "robot1.odometry.x", "-o", str(page))
        with browser.Browser(page) as window:
            whole = window.value("[coopsim.clock.from, coopsim.clock.to]")
            assert whole == window.value("coopsim.whole")
            left, top, width, height = window.box(".plot:nth-child(2) canvas")
            middle = top + height / 2
            window.call("Input.dispatchMouseEvent", type="mouseMoved", x=left + width / 2, y=middle)
            time = window.value("coopsim.clock.time")
            assert time == pytest.approx(sum(whole) / 2, rel=0.1)
            read = window.value(
                "[...document.querySelectorAll('.plot:first-child .legend b')].map((b) => +b.textContent)"
            )
            frame = f"coopsim.logic.frameAt(coopsim.panels[0].curves[0].times, {time})"
            shown = window.value(f"coopsim.panels[0].curves.map((curve) => curve.values[{frame}])")
            assert len(read) == len(shown) == 11
            assert read == pytest.approx(shown, abs=0.006)
            window.drag([(left + share * width, middle) for share in (0.4, 0.5, 0.6)])
            begin, end = window.value("[coopsim.clock.from, coopsim.clock.to]")
            assert end - begin == pytest.approx(0.2 * (whole[1] - whole[0]), rel=0.2)
            window.value("document.querySelector('.legend span:nth-child(2)').click()")
            assert window.value("coopsim.plots[0].series.map((each) => each.isOff).slice(0, 3)") == [False, True, False]
            window.key("Escape", 27)
            assert window.value("[coopsim.clock.from, coopsim.clock.to]") == whole
            assert (window.complaints, len(window.requests)) == ([], 1)
