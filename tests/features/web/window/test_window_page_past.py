"""The past in a page: of a live run, of one that has ended, of recordings."""

from pathlib import Path

import pytest
from browser import Browser
from offline_scenes import LATE
from page_in_browser import DESK, click, open_page
from web_pages import PageProcess

from coopsim.app.main import run as run_command
from coopsim.client import Client
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.state.edits import Insert
from coopsim.testkit import Run
from coopsim.testkit.conformance.restart import lasting_port
from coopsim.testkit.recorded_run import RecordedRun

pytestmark = pytest.mark.integration
# what is drawn of robots and objects, but for where they are
_SEEN = (
    "coopsim.app.view.entities.map(({ name, kind, shapes }) => [name, kind,"
    " shapes.map(({ shape, size, color, row }) => [shape, size, color, row])])"
)


def test_the_past_of_a_live_run_is_scrubbed_while_it_goes_on(window: Browser, server: PageProcess, sim: Client) -> None:
    page = open_page(window, server.link("edit"))
    begin = page.value("coopsim.app.history.begin")
    page.until("coopsim.app.history.end > coopsim.app.history.begin + 2")
    left, top, width, height = page.box("#scrub")
    page.drag([(left + width - 5, top + height / 2), (left + width / 3, top + height / 2)])
    page.until("coopsim.app.time.past !== null")
    instant = page.value("coopsim.app.now.time")
    assert begin <= instant < page.value("coopsim.app.history.end") - 0.5
    page.until(f"coopsim.app.history.end > {instant} + 2")
    assert page.value("coopsim.app.now.time") == instant
    click(page, "#live")
    page.until(f"coopsim.app.now.time > {instant} + 1")
    click(page, "#play")
    page.until("coopsim.app.time.isPaused")
    assert sim.clock.status().paused == 1
    tick = sim.clock.status().tick
    click(page, "#step")
    while sim.clock.status().tick != tick + 1:
        pass
    stepped = sim.clock.status().time
    page.until(f"coopsim.app.time.clock.time >= {stepped}")
    assert page.value("coopsim.app.time.isPaused")
    click(page, "#play")
    page.until("!coopsim.app.time.isPaused")


def test_a_recording_is_scrubbed_by_its_own_time_line(window: Browser, tmp_path: Path) -> None:
    file = tmp_path / "a.mcap"
    options = ("--mode", "lockstep", "--duration", "12", "--no-gui", "--port", "0", "-q")
    assert run_command(["run", "single", *options, "--record", str(file)]) == 0
    with Run(str(file), command="replay") as shown, PageProcess(shown.endpoint) as process:
        process.wait_for("shows single")
        page = open_page(window, process.link("edit"))
        page.until("coopsim.app.time.isReplay && coopsim.app.isReplay")
        assert page.value("document.getElementById('edits').hidden")
        left, top, width, height = page.box("#scrub")
        page.drag([(left + 9, top + height / 2), (left + width / 2, top + height / 2)])
        page.until("Math.abs(coopsim.app.now.time - 6) < 1.5")
        click(page, "#play")
        page.until("coopsim.app.time.isPaused")


def test_a_recording_in_one_file_is_the_same_page(window: Browser, server: PageProcess, tmp_path: Path) -> None:
    live = open_page(window, server.link("watch")).value(_SEEN)
    with RecordedRun(Simulation(load("formation")), tmp_path / "a.mcap", metadata={"scenario": "formation"}) as run:
        for name in run.simulation.layout.robot:
            run.simulation.command(name, "motors", 10, (0.4, 0.0))
        run.tick(300)
        run.edit(Insert(LATE))
        run.tick(300)
    assert run_command(["export", str(tmp_path / "a.mcap"), "--html", str(tmp_path / "a.html")]) == 0
    window.requests.clear()
    window.complaints.clear()
    page = window
    page.call("Emulation.setDeviceMetricsOverride", **DESK)
    page.open(f"{(tmp_path / 'a.html').as_uri()}#t=1.5&robot=robot2&view=top")
    page.until("coopsim.app && coopsim.app.now && coopsim.app.inspector.outputs.length > 5")
    assert page.value(_SEEN) == live
    assert page.value("[coopsim.app.selected, coopsim.app.cameras.view, coopsim.app.now.time]") == [
        "robot2",
        "top",
        pytest.approx(1.5, abs=0.06),
    ]
    page.value("[...document.querySelectorAll('[data-module=odometry] .readings button')][0].click()")
    page.until("coopsim.app.plots.curves && coopsim.app.plots.curves[0].length > 0")
    recorded = "[...coopsim.app.plots.chosen.values()][0].points.length === coopsim.app.history.frames.length"
    assert page.value(recorded)
    page.value("document.getElementById('layer-rays').click()")
    page.until("coopsim.app.layers.rays.count === 2 * 3 * 11")
    left, top, width, height = page.box("#scrub")
    page.drag([(left + 9, top + height / 2), (left + 0.75 * width, top + height / 2)])
    page.until("coopsim.app.view.byName.has('late') && coopsim.app.now.time > 4")
    click(page, "#loop")
    click(page, "#play")
    page.until("coopsim.app.now.time < 3 && !coopsim.app.view.byName.has('late')")
    click(page, "#play")
    assert page.value("coopsim.app.time.isPaused")
    page.value("document.querySelector('#messages li:last-child').click()")
    page.until("Math.abs(coopsim.app.now.time - 3) < 0.2")
    assert page.requests == [f"{(tmp_path / 'a.html').as_uri()}"]
    assert not [words for words in page.complaints if "GL Driver" not in words], page.complaints


def test_a_page_finds_the_next_run_at_its_place_and_says_so(window: Browser) -> None:
    port = lasting_port()
    with PageProcess(f"127.0.0.1:{port}") as process:
        title, notice = ("document.getElementById('title').textContent", "document.getElementById('notice')")
        frames = "coopsim.app.history.frames"
        with Run("single", "--no-controllers", "--port", str(port)):
            page = open_page(window, process.link("watch"))
            page.until(f"{title} === 'single' && {frames}.length > 0")
            before = page.value(f"{frames}.at(-1).poses.length")
        page.until(f"{notice}.textContent.includes('Its past can be scrubbed') && !{notice}.hidden")
        with Run("vee", "--no-controllers", "--port", str(port)):
            page.until(f"{title} === 'vee' && {notice}.textContent === 'Another run has begun here.'")
            page.until("coopsim.app.view.byName.has('robot3')")
            # nothing is left of the run before, which had fewer robots
            page.until(f"{frames}.length > 0 && {frames}.every(({{ poses }}) => poses.length > {before})")


def test_the_past_of_a_live_run_plays_on_until_now(window: Browser, server: PageProcess) -> None:
    page = open_page(window, server.link("watch"))
    page.until("coopsim.app.history.end > coopsim.app.history.begin + 1.5")
    assert page.value("document.getElementById('play').disabled")
    page.value("coopsim.app.time.scrub(coopsim.app.history.begin)")
    page.value("document.getElementById('speed').value = '10'")
    click(page, "#play")
    page.until("coopsim.app.time.past === null")
    assert page.value("document.getElementById('play').disabled")
