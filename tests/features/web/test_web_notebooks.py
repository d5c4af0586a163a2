"""Runs and recordings in cells of notebooks: what a cell shows, and what becomes of the server behind it."""

import sys
from html import unescape
from pathlib import Path
from types import SimpleNamespace

import pytest
from web_pages import Page

import coopsim
from coopsim.app.main import run
from coopsim.client import connect
from coopsim.errors import BadArgument, NoReply
from coopsim.features.web import process
from coopsim.testkit import Run

pytestmark = pytest.mark.integration


def test_a_run_is_a_frame_with_its_page_until_that_is_closed() -> None:
    with Run("single", "--no-controllers", "--duration", "3600") as live, connect(live.endpoint) as sim:
        page = sim.show(height=300, role="drive")
        frame = page._repr_html_()
        assert f'src="{page.address}"' in frame
        assert 'height="300"' in frame
        assert page.address in repr(page)
        with Page(page.address) as browser:
            assert browser.hello["role"] == "drive"
        page.close()
        page.close()
        with pytest.raises(OSError, match="refused"):
            Page(page.address)
        assert sim.clock.call("status").mode == "real-time"


def test_a_recording_is_all_in_its_cell_and_reaches_no_notebook(tmp_path: Path) -> None:
    words = "run", "single", "--no-gui", "--mode", "free", "--duration", "0.2", "--no-controllers", "--port", "0"
    assert run([*words, "--record", str(tmp_path / "a.mcap")]) == 0
    with coopsim.open_recording(tmp_path / "a.mcap") as recording:
        page = recording.show()
        frame = page._repr_html_()
    assert 'sandbox="allow-scripts"' in frame
    text = frame.partition('srcdoc="')[2].partition('"')[0]
    assert "<" not in text
    assert unescape(text).startswith("<!doctype html>")
    assert "robot1" in unescape(text)
    assert page.address == ""
    assert "characters" in repr(page)


def test_what_cannot_be_shown_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with coopsim.open("single") as sim, pytest.raises(BadArgument, match="start the scene by `coopsim run`"):
        sim.show()
    run_of_nobody = SimpleNamespace(endpoint="tcp://127.0.0.1:9")
    with pytest.raises(BadArgument, match="expected the role watch, drive or edit, got 'own'"):
        coopsim.show(run_of_nobody, role="own")
    monkeypatch.setattr(process, "module_command", lambda *_: [sys.executable, "-c", "print('the page needs nothing')"])
    with pytest.raises(NoReply, match=r"no page of tcp://127\.0\.0\.1:9 comes: the page needs nothing"):
        coopsim.show(run_of_nobody)
