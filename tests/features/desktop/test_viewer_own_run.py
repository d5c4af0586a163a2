"""The run that `coopsim gui` starts: it is looked for while the window is open."""

import os
import queue
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from viewer_live import draw_until, frames

from coopsim import plugins
from coopsim.errors import NoReply
from coopsim.features.desktop import displays
from coopsim.features.desktop.application import Application
from coopsim.features.desktop.commands import gui, view
from coopsim.features.desktop.commands.gui import OwnRun
from coopsim.features.desktop.link import ViewerLink
from coopsim.features.games.logic.lobby import VARIABLE
from coopsim.inprocess import LocalServer
from coopsim.robots import load
from coopsim.simulation import Simulation


class Started:
    """Stands for the process of a run; `words` are those of its command."""

    def __init__(self, words: list[str], **options: Any) -> None:
        self.surroundings = options.get("env", {})
        self.words, self.code, self.signals, self.stdin = list(words), None, [], None
        self.ready = Path(words[-1])

    def poll(self) -> int | None:
        return self.code

    def send_signal(self, number: int) -> None:
        self.signals.append(number)

    def wait(self, _: float = 0.0) -> int:
        return 0


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Started]:
    """What was started, none of it for real."""
    runs: list[Started] = []

    def start(words: list[str], **options: Any) -> Started:
        runs.append(Started(words, **options))
        return runs[-1]

    monkeypatch.setattr(gui.subprocess, "Popen", start)
    return runs


def test_a_run_is_begun_at_once_and_found_when_it_answers(started: list[Started]) -> None:
    with OwnRun() as run:
        run.begin("lab")
        (process,) = started
        assert process.words[:6] == [sys.executable, "-P", "-m", gui._BOUND, "run", "lab"]
        process.ready.write_text('{"zmq": "tcp://127.0.0.1:7"}', encoding="utf-8")
        assert run.locate() == "tcp://127.0.0.1:7"
        assert not run.has_failed
    assert process.signals
    assert not process.ready.parent.exists()


def test_matches_of_a_window_wait_for_their_players_unless_somebody_said_otherwise(
    started: list[Started], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    with OwnRun() as run:
        run.begin("death_match")
        monkeypatch.setenv(VARIABLE, "0")
        run.begin("death_match")
    assert [float(process.surroundings[VARIABLE]) for process in started] == [60.0, 0.0]
    assert started[0].surroundings["PATH"] == os.environ["PATH"]


def test_a_run_that_goes_on_beside_another_ends_with_its_window(
    started: list[Started], monkeypatch: pytest.MonkeyPatch
) -> None:
    view.begin_beside(Path("a.mcap"), 250)
    assert started[0].words[4:] == ["gui", "--from", "a.mcap@tick:250"]
    shown: list[str] = []

    def show(*_: Any) -> None:
        shown.extend(started[1].words[4:9])
        assert not started[1].signals

    monkeypatch.setattr(gui, "check_widgets", lambda: None)
    monkeypatch.setattr(displays, "on_lost_display", lambda _: None)  # to find Xlib starts programs, too
    monkeypatch.setattr(gui, "show", show)
    done = CliRunner().invoke(gui.gui, started[0].words[5:])
    assert (done.exit_code, shown) == (0, ["run", "--from", "a.mcap@tick:250", "--no-gui", "--stay"])
    assert started[1].signals
    both = CliRunner().invoke(gui.gui, ["lab", "--from", "a.mcap@1"])
    assert (both.exit_code, "not both" in both.output) == (2, True)


def test_plugins_are_loaded_into_each_run_of_the_window(
    started: list[Started], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    plugin = tmp_path / "waits.py"
    plugin.write_text("def main(arguments):\n    return 0\nPLUGINS = {'controllers': {'waits_here': main}}\n")
    monkeypatch.setattr(gui, "check_widgets", lambda: None)
    monkeypatch.setattr(displays, "on_lost_display", lambda _: None)
    monkeypatch.setattr(gui, "show", lambda *_: None)
    try:
        assert CliRunner().invoke(gui.gui, ["lab", "--plugin", str(plugin)]).exit_code == 0
    finally:
        plugins.forget(plugin)
    words = started[0].words
    assert words[words.index("--plugin") + 1] == str(plugin)
    refused = CliRunner().invoke(gui.gui, ["lab", "--plugin", str(tmp_path / "none.py")])
    assert refused.exit_code != 0
    assert len(started) == 1


def test_a_run_that_does_not_start_closes_the_window(started: list[Started]) -> None:
    with OwnRun() as run:
        run.begin("a.mcap")
        assert started[0].words[4] == "replay"
        started[0].code = 1
        with pytest.raises(NoReply):
            run.locate()
        assert run.has_failed


def test_another_file_takes_the_place_only_when_it_started(
    started: list[Started], monkeypatch: pytest.MonkeyPatch
) -> None:
    with OwnRun() as run:
        run.begin("lab")
        monkeypatch.setattr(gui, "awaited_endpoint", _refuse)
        with pytest.raises(NoReply, match="the terminal says why"):
            run.exchange("maze")
        assert not started[0].signals
        monkeypatch.setattr(gui, "awaited_endpoint", lambda *_: "tcp://127.0.0.1:8")
        assert run.exchange("maze") == "tcp://127.0.0.1:8"
        assert started[0].signals
        assert not started[2].signals


def _refuse(*_: object) -> str:
    raise NoReply("no")


def test_a_window_is_open_before_its_run_answers() -> None:
    places: queue.SimpleQueue[Any] = queue.SimpleQueue()
    link = ViewerLink(None, locate=places.get)
    application = Application(link, (400, 300))
    try:
        frames(application)
        assert link.facts.connection == "connecting"
        places.put(LocalServer(Simulation(load("single"))))
        draw_until(application, lambda: bool(application.session.model.entities))
        assert link.endpoint == "this process"
    finally:
        application.close()
