"""The page in a real browser: a first user watches, drives, edits, scrubs, on a desk and on a phone.

One browser and one simulation serve all tests of a module; each test opens the page anew.
"""

import json
import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Browser, found
from offline_scenes import LATE
from web_pages import PageProcess

from coopsim.app.main import run as run_command
from coopsim.client import Client, connect
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.state.edits import Insert
from coopsim.testkit import Run
from coopsim.testkit.conformance.restart import lasting_port
from coopsim.testkit.recorded_run import RecordedRun

pytestmark = pytest.mark.integration
_PHONE = {"width": 390, "height": 780, "deviceScaleFactor": 1, "mobile": True}
_DESK = {"width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": False}
# what is drawn of robots and objects, but for where they are
_SEEN = (
    "coopsim.app.view.entities.map(({ name, kind, shapes }) => [name, kind,"
    " shapes.map(({ shape, size, color, row }) => [shape, size, color, row])])"
)
_EVIL = "<img src=x onerror=document.title='owned'>"

if found():

    @pytest.fixture(scope="module")
    def simulation() -> Iterator[Run]:
        with Run("formation", "--no-controllers", "--duration", "900") as live:
            yield live

    @pytest.fixture(scope="module")
    def server(simulation: Run) -> Iterator[PageProcess]:
        with PageProcess(simulation.endpoint) as process:
            process.wait_for("shows formation")
            yield process

    @pytest.fixture(scope="module")
    def window() -> Iterator[Browser]:
        with Browser(None, (1280, 800), "--disable-gpu-compositing") as browser:
            yield browser

    @pytest.fixture
    def sim(simulation: Run) -> Iterator[Client]:
        with connect(simulation.endpoint) as client:
            yield client

    def _open(window: Browser, link: str, **size: object) -> Browser:
        window.call("Page.navigate", url="about:blank")
        window.call("Emulation.setDeviceMetricsOverride", **(size or _DESK))
        window.complaints.clear()
        window.open(link)
        window.until("coopsim.app && coopsim.app.now && coopsim.app.time.clock !== null")
        return window

    def _click(window: Browser, selector: str) -> None:
        """Click what is seen and covered by nothing; at once, since its place may change between two messages."""
        window.until(
            f"(() => {{ const widget = document.querySelector({json.dumps(selector)});"
            " const { left, top, width, height } = widget.getBoundingClientRect();"
            " if (!widget.contains(document.elementFromPoint(left + width / 2, top + height / 2))) return false;"
            " widget.click(); return true; })()"
        )

    def _choose(window: Browser, field: str, value: str) -> None:
        window.value(
            f"(() => {{ const field = document.getElementById('{field}'); field.value = {json.dumps(value)};"
            " field.dispatchEvent(new Event('change')); })()"
        )

    def _names(sim: Client, prefix: str) -> list[str]:
        return sorted(entity.name for entity in sim.scene().entities if entity.name.startswith(prefix))

    def _x(sim: Client, name: str) -> float:
        return float(sim.world.get(name).pose[0])

    def _at(window: Browser, name: str) -> tuple[float, float]:
        """Return where an entity is seen, as soon as the camera has drawn it from where it is."""
        window.until(f"coopsim.app.drawn > {window.value('coopsim.app.drawn')} + 1")
        x, y = window.value(
            "(() => { const { app } = coopsim, { view, cameras } = app, entity = view.byName.get("
            f"{json.dumps(name)});"
            "const pose = view.pose(entity, app.latest), box = view.canvas.getBoundingClientRect();"
            "const point = new THREE.Vector3(pose[0], pose[1], pose[2] + entity.size[2] / 2).project(cameras.camera);"
            "return [box.left + (point.x + 1) / 2 * box.width, box.top + (1 - point.y) / 2 * box.height]; })()"
        )
        return float(x), float(y)

    def test_the_first_picture_shows_the_scene_and_asks_nobody_else(window: Browser, server: PageProcess) -> None:
        window.requests.clear()
        page = _open(window, server.link("watch"))
        assert page.value("document.getElementById('title').textContent") == "formation"
        assert page.value("document.querySelectorAll('#entities li').length") == 14
        assert page.value(
            "[...document.querySelectorAll('#labels span')].map((label) => label.textContent).sort().join()"
        ) == ("red,robot1,robot2,robot3")
        # colours of the picture: floor, walls, robots, boxes in light and shade
        painted = page.value(
            "(() => { const { view, cameras } = coopsim.app, pen = view.renderer.getContext();"
            "view.draw(cameras.camera);"
            "const data = new Uint8Array(4 * 200 * 200), seen = new Set();"
            "const x = pen.drawingBufferWidth / 2 - 100, y = pen.drawingBufferHeight / 2 - 100;"
            "pen.readPixels(x, y, 200, 200, pen.RGBA, pen.UNSIGNED_BYTE, data);"
            "for (let i = 0; i < data.length; i += 4) seen.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);"
            "return seen.size; })()"
        )
        assert painted > 20
        address = server.link("watch")
        assert all(url.startswith((address, "data:", "about:")) for url in page.requests), page.requests
        assert not [words for words in page.complaints if "GL Driver" not in words], page.complaints

    def test_bytes_of_frames_are_read_as_they_were_written(window: Browser, server: PageProcess) -> None:
        page = _open(window, server.link("watch"))
        half = page.value("Array.from(coopsim.between([0,0,0,1,0,0,0], [2,4,6,0,0,0,-1], 0.5, new Float32Array(7)))")
        assert half == pytest.approx([1, 2, 3, 0.5**0.5, 0, 0, -(0.5**0.5)], abs=1e-6)
        assert (
            page.value("(() => { try { coopsim.decode(new ArrayBuffer(30)) } catch (e) { return e.name } })()")
            == "RangeError"
        )
        story = (
            "(() => { const h = new coopsim.History(4000), f = (time, generation = 1) => ({ time, generation,"
            " poses: new Float32Array(7), ranges: [], readings: [] }); for (let t = 0; t < 100; t++) h.add(f(t));"
            " const kept = [h.begin, h.end, h.numberAt(98.5), h.bytes <= 4000]; h.add(f(5));"
            " return [...kept, h.begin, h.end]; })()"
        )
        begin, *counts = page.value(story)
        # 18 frames of 228 bytes fit; an eighth goes at a time, and those before a reset are another story
        assert 100 - 18 <= begin <= 85
        assert counts == [99, 98 - begin, True, 5, 5]

    def test_a_robot_is_selected_in_the_picture_and_driven_by_keys(
        window: Browser, server: PageProcess, sim: Client
    ) -> None:
        page = _open(window, server.link("drive"))
        page.drag([_at(page, "robot1")])
        page.until("coopsim.app.selected === 'robot1'")
        page.until("!document.getElementById('drive').hidden")
        before = sim.world.get("robot1").pose
        _click(page, "#drive")
        page.until("coopsim.app.driving.isOn")
        page.call("Input.dispatchKeyEvent", type="keyDown", key="ArrowUp", windowsVirtualKeyCode=38)
        while math.dist(sim.world.get("robot1").pose[:2], before[:2]) < 0.2:
            pass
        assert "robot1" in sim.step.owners("robot1").owners
        page.call("Input.dispatchKeyEvent", type="keyUp", key="ArrowUp", windowsVirtualKeyCode=38)
        while abs(sim.robot("robot1").motors.state().v) > 0.01:
            pass
        # a tap that is shorter than the interval of commands is obeyed, too
        page.value(
            "coopsim.calls = []; const { source } = coopsim.app, call = source.call.bind(source);"
            "source.call = (...words) => { coopsim.calls.push(words.slice(1).join(' ')); return call(...words); };"
            "for (const kind of ['keydown', 'keyup']) dispatchEvent(new KeyboardEvent(kind, { key: 'a' }))"
        )
        page.until("coopsim.calls.includes('set_velocity 0 1.2') && coopsim.calls.at(-1) === 'set_velocity 0 0'")
        _click(page, "#drive")
        page.until("!coopsim.app.driving.isOn")
        while "robot1" in sim.step.owners("robot1").owners:
            pass

    def test_readings_and_parameters_of_the_selected_robot_are_live(
        window: Browser, server: PageProcess, sim: Client
    ) -> None:
        page = _open(window, server.link("edit"))
        page.value("coopsim.app.select('robot2')")
        page.until("document.querySelector('[data-module=sonars] output') !== null")
        page.until("coopsim.app.inspector.outputs.length > 5")
        page.until(
            "[...document.querySelectorAll('[data-module=sonars] .field output')]"
            ".some((output) => / m$/.test(output.textContent))"
        )
        set_reach = (
            "(() => { const input = document.querySelector('[aria-label=\"/robot2/sonars reach\"]'); input.value = 1.5;"
            "input.dispatchEvent(new Event('change')); })()"
        )
        page.value(set_reach)
        while sim.robot("robot2").sonars.get_parameter("reach") != 1.5:
            pass
        page.value("[...document.querySelectorAll('[data-module=motors] .readings button')].at(-1).click()")
        page.until("coopsim.app.plots.curves && coopsim.app.plots.curves[0].length > 3")
        # poses and distances of what is not selected, and readings of another robot, beside it
        page.value("coopsim.app.plots.toggle({ robot: 'robot1', field: 'x' })")
        page.value("coopsim.app.plots.toggle({ robot: 'robot1', other: 'robot3' })")
        page.value("coopsim.app.plots.toggle({ robot: 'robot3', module: 'motors', field: 'v' })")
        page.until(
            "coopsim.app.plots.curves.length === 4 && coopsim.app.plots.curves.every((points) => points.length > 3)"
        )
        poses = [sim.world.get(name).pose for name in ("robot1", "robot3")]
        last = page.value("coopsim.app.plots.curves.slice(1, 3).map((points) => points.at(-1).values[0])")
        assert last == pytest.approx([poses[0][0], math.dist(poses[0][:3], poses[1][:3])], abs=1e-3)
        assert page.value("document.querySelectorAll('#curves li').length") == 4
        painted = (
            "(() => { const { width, height } = document.getElementById('plot'), data = document.getElementById('plot')"
            ".getContext('2d').getImageData(0, 0, width, height).data, seen = new Set();"
            "for (let i = 0; i < data.length; i += 4) if (data[i + 3]) seen.add(data.slice(i, i + 3).join());"
            "return seen.size; })()"
        )
        assert page.value(painted) >= 4
        page.value("document.querySelector('#curves button').click()")
        page.until("coopsim.app.plots.curves.length === 3")
        page.value("document.getElementById('plot-none').click()")
        assert page.value("document.getElementById('plots').hidden")
        page.until("coopsim.app.source.wanted.robots.join() === 'robot2'")
        page.value("document.getElementById('layer-rays').click()")
        page.until("coopsim.app.layers.rays.count === 2 * 3 * 11")

    def test_what_is_inserted_moved_and_deleted_can_be_undone(
        window: Browser, server: PageProcess, sim: Client
    ) -> None:
        page = _open(window, server.link("edit"))
        page.value("document.getElementById('insert-kind').value = 'object box'")
        _click(page, "#insert")
        page.until("coopsim.app.selected === 'box1'")
        page.value("coopsim.app.setView('top')")
        begin = _x(sim, "box1")
        x, y = _at(page, "box1")
        page.drag([(x, y), (x + 20, y), (x + 60, y)])
        while _x(sim, "box1") < begin + 0.3:
            pass
        for _ in range(2):
            _click(page, "#undo")
            page.until("!document.getElementById('redo').disabled")
        page.until("!coopsim.app.view.byName.has('box1')")
        _click(page, "#redo")
        page.until("coopsim.app.view.byName.has('box1')")
        page.value("coopsim.app.select('box1')")
        page.until("!document.getElementById('delete').hidden")
        _click(page, "#delete")
        page.until("!coopsim.app.view.byName.has('box1')")
        _click(page, "#undo")
        page.until("coopsim.app.view.byName.has('box1')")
        sim.world.remove("box1")
        for kind in ("target red", "robot single", "object sphere"):
            page.value(f"coopsim.app.editing.insert('{kind}')")
            page.until("coopsim.app.editing.undone.length === 0 && coopsim.app.editing.done.length > 1")
        page.until("coopsim.app.view.byName.has('robot4') && coopsim.app.view.byName.has('sphere1')")
        for name in (
            "robot4",
            "sphere1",
            page.value("[...coopsim.app.view.byName.values()].filter((e) => e.kind === 'target').at(-1).name"),
        ):
            sim.world.remove(name)

    def test_who_watches_sees_no_tools_and_a_wrong_link_says_so(window: Browser, server: PageProcess) -> None:
        page = _open(window, server.link("watch"))
        page.value("coopsim.app.select('robot1')")
        page.until("document.querySelector('[data-module=motors]') !== null")
        shown = "['edits', 'drive', 'delete', 'console'].filter((id) => !document.getElementById(id).hidden)"
        assert page.value(shown) == []
        assert page.value("document.getElementById('play').disabled")
        page = _open(window, f"{server.link('watch')}#no-such-link")
        assert page.value("coopsim.app.role") == "watch"

    def test_the_past_of_a_live_run_is_scrubbed_while_it_goes_on(
        window: Browser, server: PageProcess, sim: Client
    ) -> None:
        page = _open(window, server.link("edit"))
        begin = page.value("coopsim.app.history.begin")
        page.until("coopsim.app.history.end > coopsim.app.history.begin + 2")
        left, top, width, height = page.box("#scrub")
        page.drag([(left + width - 5, top + height / 2), (left + width / 3, top + height / 2)])
        page.until("coopsim.app.time.past !== null")
        instant = page.value("coopsim.app.now.time")
        assert begin <= instant < page.value("coopsim.app.history.end") - 0.5
        page.until(f"coopsim.app.history.end > {instant} + 2")
        assert page.value("coopsim.app.now.time") == instant
        _click(page, "#live")
        page.until(f"coopsim.app.now.time > {instant} + 1")
        _click(page, "#play")
        page.until("coopsim.app.time.isPaused")
        assert sim.clock.status().paused == 1
        tick = sim.clock.status().tick
        _click(page, "#step")
        while sim.clock.status().tick != tick + 1:
            pass
        _click(page, "#play")
        page.until("!coopsim.app.time.isPaused")

    def test_a_link_opens_at_the_same_view(window: Browser, server: PageProcess) -> None:
        page = _open(window, server.link("edit"))
        page.value("coopsim.app.setView('top')")
        page.value("coopsim.app.select('robot3')")
        link = page.value("coopsim.app.copyLink()")
        assert server.link("edit").partition("#")[2] not in link
        page = _open(window, link)
        page.until("coopsim.app.selected === 'robot3'")
        assert page.value("[coopsim.app.cameras.view, coopsim.app.role]") == ["top", "watch"]

    def test_a_phone_has_room_for_one_panel_and_a_stick(window: Browser, server: PageProcess, sim: Client) -> None:
        page = _open(window, server.link("drive"), **_PHONE)
        assert page.value(
            "[...document.querySelectorAll('aside')].every((panel) => panel.classList.contains('closed'))"
        )
        assert page.value("document.documentElement.scrollWidth") <= 390
        page.value("coopsim.app.select('robot3')")
        page.until("coopsim.app.driving.target === '/robot3/motors'")
        page.value("coopsim.app.driving.switch(true)")
        page.until("!document.getElementById('stick').hidden")
        left, top, width, height = page.box("#stick")
        middle = (left + width / 2, top + height / 2)
        for kind, y in (("mousePressed", middle[1]), ("mouseMoved", top + 4)):
            page.call("Input.dispatchMouseEvent", type=kind, x=middle[0], y=y, button="left", buttons=1, clickCount=1)
        while sim.robot("robot3").motors.state().v < 0.3:
            pass
        page.call("Input.dispatchMouseEvent", type="mouseReleased", x=middle[0], y=top + 4, button="left", clickCount=1)
        while abs(sim.robot("robot3").motors.state().v) > 0.01:
            pass
        page.value("coopsim.app.driving.switch(false)")

    def test_a_gamepad_drives_and_rests_within_its_dead_zone(window: Browser, server: PageProcess, sim: Client) -> None:
        page = _open(window, server.link("drive"))
        page.value("coopsim.app.select('robot2')")
        page.until("coopsim.app.driving.target === '/robot2/motors'")
        page.value("navigator.getGamepads = () => [null, { axes: coopsim.axes }]; coopsim.axes = [0, -1]")
        page.value("coopsim.app.driving.switch(true)")
        while sim.robot("robot2").motors.state().v < 0.3:
            pass
        page.value("coopsim.axes = [0.1, 0.1]")
        while abs(sim.robot("robot2").motors.state().v) > 0.01:
            pass
        page.value("coopsim.axes = [-1, 0]")
        while sim.robot("robot2").motors.state().w < 0.5:
            pass
        page.value("coopsim.axes = []")
        while abs(sim.robot("robot2").motors.state().w) > 0.01:
            pass
        page.value("coopsim.app.driving.switch(false)")

    def test_a_camera_is_seen_and_its_robot_put_elsewhere_by_numbers_and_by_its_section(
        window: Browser, server: PageProcess, sim: Client
    ) -> None:
        page = _open(window, server.link("edit"))
        page.value("document.getElementById('insert-kind').value = 'robot observer'")
        _click(page, "#insert")
        page.until("coopsim.app.selected === 'robot4' && coopsim.app.inspector.camera === '/robot4/camera'")
        page.until("!document.getElementById('image').hidden && document.getElementById('image').naturalWidth > 0")
        image = "[document.getElementById('image').naturalWidth, document.getElementById('image').naturalHeight]"
        camera = sim.robot("robot4").camera
        assert page.value(image) == [camera.get_parameter("width"), camera.get_parameter("height")]
        page.value("for (const [k, v] of [['x', 2.5], ['y', -1]]) document.getElementById(`put-${k}`).value = v")
        page.value("document.getElementById('put').click()")
        while math.dist(sim.world.get("robot4").pose[:2], (2.5, -1.0)) > 0.05:
            pass
        page.value("document.getElementById('section-part').open = true")
        page.until("document.getElementById('section').value.includes('observer')")
        for change in (
            "value.replace(/position .*/, 'position 3 -1 0')",
            "value.replace(/name .*/, 'name looker')",
        ):
            page.value(f"(() => {{ const area = document.getElementById('section'); area.value = area.{change}; }})()")
            page.value("document.getElementById('apply-section').click()")
            if "position" in change:
                while abs(_x(sim, "robot4") - 3.0) > 0.05:
                    pass
                page.until("/position {2,}3 /.test(document.getElementById('section').value)")
        page.until("coopsim.app.view.byName.has('looker') && !coopsim.app.view.byName.has('robot4')")
        for _ in range(4):
            done = page.value("coopsim.app.editing.done.length")
            page.value("coopsim.app.editing.undo()")
            page.until(f"coopsim.app.editing.done.length === {done} - 1")
        page.until("!coopsim.app.view.byName.has('looker') && !coopsim.app.view.byName.has('robot4')")

    def test_names_are_text_and_never_run(window: Browser, server: PageProcess, sim: Client) -> None:
        page = _open(window, server.link("edit"))
        page.value(f"coopsim.app.messages.note({json.dumps(_EVIL)})")
        sim.publish("/log/x", _EVIL)
        page.until("document.getElementById('messages').children.length > 1")
        assert page.value("document.querySelectorAll('#messages img, #labels img, #entities img').length") == 0
        assert "owned" not in page.value("document.title")
        page.value(
            "(() => { const script = document.createElement('script');"
            "script.textContent = \"document.title = 'owned'\"; document.body.append(script); })()"
        )
        assert "owned" not in page.value("document.title")

    def test_a_recording_is_scrubbed_by_its_own_time_line(window: Browser, tmp_path: Path) -> None:
        file = tmp_path / "a.mcap"
        options = ("--mode", "lockstep", "--duration", "12", "--no-gui", "--port", "0", "-q")
        assert run_command(["run", "single", *options, "--record", str(file)]) == 0
        with Run(str(file), command="replay") as shown, PageProcess(shown.endpoint) as process:
            process.wait_for("shows single")
            page = _open(window, process.link("edit"))
            page.until("coopsim.app.time.isReplay && coopsim.app.isReplay")
            assert page.value("document.getElementById('edits').hidden")
            left, top, width, height = page.box("#scrub")
            page.drag([(left + 9, top + height / 2), (left + width / 2, top + height / 2)])
            page.until("Math.abs(coopsim.app.now.time - 6) < 1.5")
            _click(page, "#play")
            page.until("coopsim.app.time.isPaused")

    def test_a_recording_in_one_file_is_the_same_page(window: Browser, server: PageProcess, tmp_path: Path) -> None:
        live = _open(window, server.link("watch")).value(_SEEN)
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
        page.call("Emulation.setDeviceMetricsOverride", **_DESK)
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
        _click(page, "#loop")
        _click(page, "#play")
        page.until("coopsim.app.now.time < 3 && !coopsim.app.view.byName.has('late')")
        _click(page, "#play")
        assert page.value("coopsim.app.time.isPaused")
        page.value("document.querySelector('#messages li:last-child').click()")
        page.until("Math.abs(coopsim.app.now.time - 3) < 0.2")
        assert page.requests == [f"{(tmp_path / 'a.html').as_uri()}"]
        assert not [words for words in page.complaints if "GL Driver" not in words], page.complaints

    def test_a_page_finds_the_next_run_at_its_place_and_says_so(window: Browser) -> None:
        port = lasting_port()
        with PageProcess(f"127.0.0.1:{port}") as process:
            title, notice = ("document.getElementById('title').textContent", "document.getElementById('notice')")
            with Run("single", "--no-controllers", "--port", str(port)):
                page = _open(window, process.link("watch"))
                page.until(f"{title} === 'single'")
            page.until(f"{notice}.textContent.includes('Its past can be scrubbed') && !{notice}.hidden")
            with Run("vee", "--no-controllers", "--port", str(port)):
                page.until(f"{title} === 'vee' && {notice}.textContent === 'Another run has begun here.'")
                page.until("coopsim.app.view.byName.has('robot3') && coopsim.app.history.begin < 5")

    def test_the_past_of_a_live_run_plays_on_until_now(window: Browser, server: PageProcess) -> None:
        page = _open(window, server.link("watch"))
        page.until("coopsim.app.history.end > coopsim.app.history.begin + 1.5")
        assert page.value("document.getElementById('play').disabled")
        page.value("coopsim.app.time.scrub(coopsim.app.history.begin)")
        page.value("document.getElementById('speed').value = '10'")
        _click(page, "#play")
        page.until("coopsim.app.time.past === null")
        assert page.value("document.getElementById('play').disabled")

    def test_an_object_gets_another_name_colour_and_texture_and_the_former_ones_again(
        window: Browser, server: PageProcess, sim: Client
    ) -> None:
        page = _open(window, server.link("edit"))
        page.value("coopsim.app.editing.insert('object box')")
        page.until("coopsim.app.selected === 'box1' && !document.getElementById('looks').hidden")
        _choose(page, "entity-texture", "bricks")
        page.until("coopsim.app.view.byName.get('box1').shapes[0].texture === 'bricks'")
        _choose(page, "entity-color", "#00ff00")
        page.until("coopsim.app.view.byName.get('box1').color.join() === '0,1,0'")
        page.until("coopsim.app.editing.done.length === 3")
        _choose(page, "entity-name", "chest")
        page.until("coopsim.app.selected === 'chest' && coopsim.app.editing.done.length === 4")
        assert {"lime", "bricks"} <= set(sim.world.section("chest", 1).text.split())
        for undone in (1, 2, 3):
            _click(page, "#undo")
            page.until(f"coopsim.app.editing.undone.length === {undone}")
        text = sim.world.section("box1", 1).text
        assert {"texture", "lime"}.isdisjoint(text.split())
        _click(page, "#undo")
        page.until("!coopsim.app.view.byName.has('box1')")

    def test_a_team_is_inserted_moved_coloured_named_and_deleted_as_a_whole(
        window: Browser, server: PageProcess, sim: Client
    ) -> None:
        page = _open(window, server.link("edit"))
        page.value("coopsim.app.editing.insert('robot team2')")
        page.until("coopsim.app.view.byName.has('team1/helper')")
        page.value("coopsim.app.select('team1/leader')")
        page.until("document.getElementById('team-title').textContent === 'Team team1'")
        members = _names(sim, "team1/")
        for field, value in (("x", "3"), ("y", "-1.5"), ("heading", "90")):
            page.value(f"document.getElementById('team-{field}').value = '{value}'")
        _click(page, "#team-put")
        page.until("coopsim.app.editing.done.length === 2")
        page.until("Math.abs(coopsim.app.managers.teamPose().x - 3) < 0.1")
        poses = {name: sim.world.get(name).pose for name in members}
        middle = [sum(pose[axis] for pose in poses.values()) / len(poses) for axis in (0, 1)]
        assert middle == pytest.approx([3.0, -1.5], abs=0.05)
        assert poses["team1/leader"][0] < poses["team1/helper"][0] - 1.0  # to the left of who looks along y
        _choose(page, "team-color", "#0000ff")
        page.until("coopsim.app.view.byName.get('team1/helper').color.join() === '0,0,1'")
        page.until("coopsim.app.editing.done.length === 3")
        _choose(page, "team-name", "porters")
        page.until("coopsim.app.selected === 'porters/leader' && coopsim.app.editing.done.length === 4")
        assert _names(sim, "porters/") == [name.replace("team1", "porters") for name in members]
        _click(page, "#undo")
        page.until("coopsim.app.selected === 'team1/leader' && coopsim.app.editing.undone.length === 1")
        _click(page, "#team-delete")
        page.until("!coopsim.app.view.entities.some(({ name }) => name.startsWith('team1/'))")
        _click(page, "#undo")
        page.until("coopsim.app.view.byName.has('team1/helper') && coopsim.app.editing.undone.length === 1")
        assert (len(sim.scene().joints), _names(sim, "team1/")) == (2, members)  # the bar lies on both again
        for name in members:
            sim.world.remove(name)

    def test_a_team_gets_a_longer_bar_and_more_carriers_and_its_former_load_again(
        window: Browser, server: PageProcess, sim: Client
    ) -> None:
        page = _open(window, server.link("edit"))
        page.value("coopsim.app.editing.insert('robot team2')")
        page.until("coopsim.app.view.byName.has('team1/bar')")
        page.value("coopsim.app.select('team1/leader')")
        page.until(
            "!document.getElementById('team-load').hidden && document.getElementById('team-carriers').value === '2'"
        )
        before = sim.world.get("team1/bar").size
        _choose(page, "team-length", "2.2")
        page.until("coopsim.app.view.byName.get('team1/bar')?.size[1] === 2.2 && coopsim.app.editing.done.length === 2")
        _choose(page, "team-carriers", "3")
        page.until("coopsim.app.view.byName.has('team1/helper2') && coopsim.app.editing.done.length === 3")
        assert sim.world.get("team1/plate").size[1] == pytest.approx(2.2)
        _choose(page, "team-length", "0.1")
        page.until("!document.getElementById('notice').hidden")
        page.until("coopsim.app.view.byName.has('team1/plate') && coopsim.app.editing.done.length === 3")
        for undone in (1, 2):
            page.value("document.getElementById('undo').click()")
            page.until(f"coopsim.app.editing.undone.length === {undone}")
        page.until("coopsim.app.view.byName.has('team1/bar') && !coopsim.app.view.byName.has('team1/plate')")
        assert sim.world.get("team1/bar").size == pytest.approx(before)
        for name in _names(sim, "team1/"):
            sim.world.remove(name)

    def test_a_click_selects_a_polygon_inside_its_corners_alone(
        window: Browser, server: PageProcess, sim: Client
    ) -> None:
        sim.world.insert(
            "[OBJECT_1]\ntype polygon\nname corner\npoints -1 -1 1 -1 1 0 0 0 0 1 -1 1\nheight 0.3\nposition 0 -3 0\n"
        )
        page = _open(window, server.link("watch") + "#view=top")
        page.until("coopsim.app.view.byName.has('corner')")

        def click_at(x: float, y: float) -> None:
            """Click the roof, or the floor, at a place."""
            page.until(f"coopsim.app.drawn > {page.value('coopsim.app.drawn')} + 1")
            left, top = page.value(
                "(() => { const { view, cameras } = coopsim.app, box = view.canvas.getBoundingClientRect();"
                f"const point = new THREE.Vector3({x}, {y}, 0.3).project(cameras.camera);"
                "return [box.left + (point.x + 1) / 2 * box.width, box.top + (1 - point.y) / 2 * box.height]; })()"
            )
            for kind in ("mousePressed", "mouseReleased"):
                page.call("Input.dispatchMouseEvent", type=kind, x=left, y=top, button="left", buttons=1, clickCount=1)

        click_at(-0.6, -2.4)
        page.until("coopsim.app.selected === 'corner'")
        # beside its edges, though within the box around it
        click_at(0.6, -2.4)
        page.until("coopsim.app.selected === null")
        click_at(0.6, -3.6)
        page.until("coopsim.app.selected === 'corner'")
        sim.world.remove("corner")

    def test_a_law_is_chosen_set_started_replaced_and_stopped_for_a_robot(
        window: Browser, server: PageProcess, sim: Client
    ) -> None:
        page = _open(window, server.link("edit") + "&robot=robot1")
        page.until("document.getElementById('law').value === 'wander'")
        page.until("document.querySelectorAll('#law-parameters [data-law=wander] input').length > 0")
        begin = _x(sim, "robot1")
        name = page.value("document.querySelector('#law-parameters input').getAttribute('aria-label').split(' ')[1]")
        page.value(
            "(() => { const input = document.querySelector('#law-parameters input'); input.value = input.max || 0.1;"
            " input.dispatchEvent(new Event('change')); })()"
        )
        page.until(f"coopsim.app.managers.given.wander.{name} !== undefined")
        page.value("document.getElementById('law-start').click()")
        page.until("!!document.querySelector('#drivers [data-state=running]')")
        page.until("document.getElementById('law-start').textContent === 'Replace'")
        while abs(_x(sim, "robot1") - begin) < 0.05:
            pass
        page.until("!document.getElementById('law-start').disabled")
        page.value("document.getElementById('law-start').click()")
        page.until("document.getElementById('law-start').disabled")
        page.until("!document.getElementById('law-start').disabled")
        page.until("!!document.querySelector('#drivers [data-state=running]')")
        page.value("document.getElementById('law-stop').click()")
        page.until("!!document.querySelector('#drivers [data-state=stopped]')")
        assert page.value("document.getElementById('law-stop').disabled")
        rows = json.loads(sim.module("/sim/controllers").status().status)["controllers"]
        assert [(row["law"], row["robots"], row["state"]) for row in rows[-2:]] == [
            ("wander", ["robot1"], "stopped"),
            ("wander", ["robot1"], "stopped"),
        ]
        given, steps = rows[-1]["arguments"], page.value("coopsim.app.editing.done.length")
        assert given[name]
        page.value("coopsim.app.editing.undo()")
        page.until("!!document.querySelector('#drivers [data-state=running]')")
        *_, again = json.loads(sim.module("/sim/controllers").status().status)["controllers"]
        assert (again["law"], again["arguments"], again["state"]) == ("wander", given, "running")
        page.value("coopsim.app.editing.redo()")
        page.until("!!document.querySelector('#drivers [data-state=stopped]')")
        for _ in range(steps):  # the stop, the second start, the first one, and the parameter
            page.value("coopsim.app.editing.undo()")
        page.until("coopsim.app.editing.undone.length === " + str(steps))
        assert page.value(f"coopsim.app.managers.given.wander.{name}") is None
        rows = json.loads(sim.module("/sim/controllers").status().status)["controllers"]
        assert all(row["state"] != "running" for row in rows if "robot1" in row["robots"])
