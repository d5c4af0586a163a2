"""The end of a run on a page, and the menu of scenes: what one browser runs again or loads all others follow."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Browser
from page_in_browser import choose, click, open_page
from web_pages import Page, PageProcess

from coopsim.app.main import run as run_command
from coopsim.client import Client, connect
from coopsim.testkit import Run

pytestmark = pytest.mark.integration
SCENE = """
[VIEW]
caption A robot that is nearly there
[TARGET]
red 1.2 0 0
[ROBOT_1]
type single
name robot1
[GOAL_1]
name there
reach red 1.05
[CONTROLLER_1]
run seek
robots robot1
target red
"""
PATIENCE = 60.0
"""For a control law that starts as a process on a busy machine [s]."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scenes")
    (folder / "brief.scenario").write_text(SCENE, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def ended(folder: Path) -> Iterator[Run]:
    """A run that is over, and stays."""
    with Run(str(folder / "brief.scenario"), "--stay", folder=folder) as live:
        yield live


@pytest.fixture(scope="module")
def pages(ended: Run) -> Iterator[PageProcess]:
    with PageProcess(ended.endpoint) as process:
        process.wait_for("shows brief")
        yield process


@pytest.fixture(scope="module")
def watcher() -> Iterator[Browser]:
    """The browser of somebody else."""
    with Browser(None, (1280, 800), "--disable-gpu-compositing") as browser:
        yield browser


@pytest.fixture
def run(ended: Run) -> Iterator[Client]:
    with connect(ended.endpoint) as client:
        yield client


def begins(run: Client) -> int:
    """Return how often a scene has begun in this run."""
    return int(json.loads(run.module("/sim/controllers").status().status)["begins"])


def shows(page: Browser, selector: str, *, seconds: float = PATIENCE) -> None:
    page.until(f"document.querySelector('{selector}').checkVisibility()", seconds)


def hides(page: Browser, selector: str) -> None:
    page.until(f"!document.querySelector('{selector}').checkVisibility()", PATIENCE)


def focused(page: Browser) -> str:
    return str(page.value("document.activeElement.id || document.activeElement.firstChild.textContent"))


def test_the_end_is_told_to_all_and_who_edits_runs_it_again_by_a_key(
    window: Browser, watcher: Browser, pages: PageProcess, run: Client
) -> None:
    page, beside = open_page(window, pages.link("edit")), open_page(watcher, pages.link("watch"))
    for browser in (page, beside):
        shows(browser, "#ending")
        lines = browser.value(
            "[...document.getElementById('ending-lines').children].map((l) => [l.dataset.kind, l.textContent])"
        )
        assert [kind for kind, _ in lines] == ["good", "met", "law"], lines
        assert lines[0][1].startswith("Over after ")
        assert "there: reached" in lines[1][1]
        assert lines[2][1].startswith("seek ")
    for button in ("#run-again", "#ending-reset", "#go-on"):
        shows(page, button)
        hides(beside, button)
    hides(beside, "#run-again-now")
    before = begins(run)
    beside.key("r", 82)
    page.key("r", 82)
    page.until(f"coopsim.app.runEnd.standing.begins === {before} + 1", PATIENCE)
    beside.until(f"coopsim.app.runEnd.standing.begins === {before} + 1", PATIENCE)
    for browser in (page, beside):  # it ends once more
        shows(browser, "#ending")
    assert begins(run) == before + 1, "a key of who watches begins nothing"


def test_the_card_is_closed_hidden_by_the_past_and_told_anew_with_the_next_end(
    window: Browser, pages: PageProcess, run: Client
) -> None:
    page = open_page(window, pages.link("edit"))
    shows(page, "#ending")
    page.value("coopsim.app.time.past = 0; coopsim.app.time.enable()")
    hides(page, "#ending")
    click(page, "#live")
    shows(page, "#ending")
    click(page, "#close-ending")
    hides(page, "#ending")
    before = begins(run)
    page.key("r", 82)  # of a card that is closed nobody can see what R does
    run.clock.set_mode("lockstep")
    click(page, "#run-again-now")
    shows(page, "#ending")
    assert begins(run) == before + 1
    click(page, "#go-on")
    hides(page, "#ending")
    page.until("coopsim.app.time.clock.paused === 0")
    page.until("coopsim.app.time.clock.mode === 'real-time'")  # in lockstep nobody is left to wait for
    run.clock.call("pause")


def test_a_scene_is_found_and_loaded_by_keys_and_all_browsers_follow_it(
    window: Browser, watcher: Browser, pages: PageProcess, run: Client
) -> None:
    page, beside = open_page(window, pages.link("edit")), open_page(watcher, pages.link("watch"))
    run.clock.call("continue")
    run.module("/sim/controllers").restart()
    shows(page, "#ending")
    beside.key("o", 79)
    page.key("o", 79)
    shows(page, "#scenes")
    assert focused(page) == "scenes-search"
    page.call("Input.insertText", text="no such scene")
    page.until("document.getElementById('scenes-found').textContent === 'No scene has these words.'")
    page.key("Enter", 13)  # nothing is there to be chosen
    page.value("document.getElementById('scenes-search').value = ''")
    page.call("Input.insertText", text="GAP formation")
    page.until("document.querySelectorAll('#scenes-found button').length > 0")
    first = page.value("document.querySelector('#scenes-found button').firstChild.textContent")
    page.key("ArrowDown", 40)
    assert focused(page) == first
    page.key("ArrowUp", 38)
    assert focused(page) == "scenes-search"
    page.value("document.getElementById('scenes-search').value = ''")
    page.call("Input.insertText", text="arena.world")
    page.until("document.querySelectorAll('#scenes-found button').length === 1")
    page.key("Enter", 13)
    for browser in (page, beside):
        browser.until("coopsim.app.facts.scenario === 'arena' && !coopsim.app.view.byName.has('robot1')", PATIENCE)
        hides(browser, "#ending")
    assert page.value("document.getElementById('title').textContent") == "arena"
    page.until("coopsim.app.time.clock.paused === 0", PATIENCE)  # nobody paused: the run before was over
    assert not page.value("document.getElementById('scenes').open")
    assert not beside.value("document.getElementById('scenes').open")


def test_changes_are_lost_by_another_scene_after_a_question_alone(
    window: Browser, pages: PageProcess, run: Client, folder: Path
) -> None:
    run.world.load("arena.world")
    page = open_page(window, pages.link("edit"))
    page.until("coopsim.app.facts.scenario === 'arena'", PATIENCE)
    page.value("coopsim.app.editing.insert('object box')")
    page.until("coopsim.app.editing.hasUnsaved")
    name = page.value("coopsim.app.selected")
    brief = f"coopsim.app.scenes.choose({json.dumps(str(folder / 'brief.scenario'))})"
    page.value(brief)
    shows(page, "#unsaved")
    click(page, "#unsaved-cancel")
    hides(page, "#unsaved")
    page.value("coopsim.app.scenes.choose('arena.world')")
    click(page, "#unsaved-save")  # a built-in file is not overwritten, so nothing may be lost
    hides(page, "#unsaved")
    page.until("document.getElementById('notice').checkVisibility()")
    assert page.value(f"coopsim.app.view.byName.has('{name}') && coopsim.app.editing.hasUnsaved")
    choose(page, "save-as", str(folder / "kept.world"))
    page.value(brief)
    click(page, "#unsaved-save")
    page.until("coopsim.app.facts.scenario === 'brief'", PATIENCE)
    assert name in (folder / "kept.world").read_text(encoding="utf-8")
    page.until("coopsim.app.editing.done.length === 0 && document.getElementById('undo').disabled")
    shows(page, "#ending")


def test_who_may_not_edit_has_neither_the_menu_nor_what_it_asks_for(
    window: Browser, pages: PageProcess, run: Client
) -> None:
    before = begins(run)
    for role in ("watch", "drive"):
        page = open_page(window, pages.link(role))
        hides(page, "#show-scenes")
        page.key("o", 79)
        with Page(pages.link(role)) as asking:
            for request in (
                {"do": "scenes"},
                {"do": "call", "target": "/sim/world", "command": "load", "values": ["arena"]},
                {"do": "call", "target": "/sim/controllers", "command": "restart", "values": []},
            ):
                answer = asking.ask(**request)
                assert "takes the link to edit" in answer["error"], answer
        assert not page.value("document.getElementById('scenes').open")
    assert begins(run) == before


def test_a_recording_offers_no_scenes_and_nothing_to_run_again(window: Browser, tmp_path: Path) -> None:
    file = tmp_path / "short.mcap"
    options = ("--mode", "lockstep", "--duration", "1", "--no-gui", "--port", "0", "-q")
    assert run_command(["run", "single", *options, "--record", str(file)]) == 0
    with Run(str(file), command="replay") as shown, PageProcess(shown.endpoint) as process:
        page = open_page(window, process.link("edit"))
        page.until("coopsim.app.isReplay")
        hides(page, "#show-scenes")
        hides(page, "#ending")
        hides(page, "#run-again-now")
