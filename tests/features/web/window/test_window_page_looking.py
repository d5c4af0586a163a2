"""What a page shows: the scene, what is selected, readings, links, names; also on a phone's screen."""

import json
import math

import numpy as np
import pytest
from browser import Browser
from page_in_browser import open_page
from web_pages import PageProcess

from coopsim.client import Client

pytestmark = pytest.mark.integration
_EVIL = "<img src=x onerror=document.title='owned'>"


def test_the_first_picture_shows_the_scene_and_asks_nobody_else(window: Browser, server: PageProcess) -> None:
    window.requests.clear()
    page = open_page(window, server.link("watch"))
    assert page.value("document.getElementById('title').textContent") == "formation"
    # what the tests before have removed may still be on its way
    page.until("document.querySelectorAll('#entities li').length === 14")
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


def test_lines_lead_to_what_is_seen_at_the_height_that_is_told(window: Browser, server: PageProcess) -> None:
    page = open_page(window, server.link("watch"))
    story = (
        "(() => { const { layers } = coopsim.app, { sightings } = layers, ends = [], group = "
        "{ radii: [0.2], heights: [0.1], width: 8, columns: 4, raised: true };"
        "sightings.add = (robot, x, y, z) => ends.push([x, y, z]);"
        "layers.sightLines(group, 0, [9, 3, 0, 2, 1, 20, 0, 5, 0], 1);"
        "layers.sightLines({ ...group, width: 6, columns: 3, raised: false }, 0, [4, 0, 0, 5, 0, 1], 0);"
        "delete sightings.add; return ends; })()"
    )
    raised, flat = [[0.2, 0, 0.1], [3, 0, 2.1]], [[0.2, 0, 0.1], [5, 0, 0.1]]
    assert np.ravel(page.value(story)) == pytest.approx(np.ravel(raised + flat))


def test_bytes_of_frames_are_read_as_they_were_written(window: Browser, server: PageProcess) -> None:
    page = open_page(window, server.link("watch"))
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


def test_readings_and_parameters_of_the_selected_robot_are_live(
    window: Browser, server: PageProcess, sim: Client
) -> None:
    page = open_page(window, server.link("edit"))
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
    page.until("coopsim.app.plots.curves.length === 4 && coopsim.app.plots.curves.every((points) => points.length > 3)")
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


def test_who_watches_sees_no_tools_and_a_wrong_link_says_so(window: Browser, server: PageProcess) -> None:
    page = open_page(window, server.link("watch"))
    page.value("coopsim.app.select('robot1')")
    page.until("document.querySelector('[data-module=motors]') !== null")
    shown = "['edits', 'drive', 'delete', 'console'].filter((id) => !document.getElementById(id).hidden)"
    assert page.value(shown) == []
    assert page.value("document.getElementById('play').disabled")
    page = open_page(window, f"{server.link('watch')}#no-such-link")
    assert page.value("coopsim.app.role") == "watch"


def test_a_link_opens_at_the_same_view(window: Browser, server: PageProcess) -> None:
    page = open_page(window, server.link("edit"))
    page.value("coopsim.app.setView('top')")
    page.value("coopsim.app.select('robot3')")
    link = page.value("coopsim.app.copyLink()")
    assert server.link("edit").partition("#")[2] not in link
    page = open_page(window, link)
    page.until("coopsim.app.selected === 'robot3'")
    assert page.value("[coopsim.app.cameras.view, coopsim.app.role]") == ["top", "watch"]


def test_a_lamp_is_seen_as_it_shines_whether_sensors_are_drawn_or_not(
    window: Browser, server: PageProcess, sim: Client
) -> None:
    sim.world.insert("[ARTIFACT_1]\ntype lamp\nname beacon\nposition 0 2 0\nset lamp.blue 0 lamp.green 0\n")
    page = open_page(window, server.link("watch"))
    seen = (
        "(() => { const color = new THREE.Color(), { view } = coopsim.app;"
        " const group = view.groups.find(({ colored }) => colored.has('beacon'));"
        " if (!group) return null; group.mesh.getColorAt(group.colored.get('beacon')[0], color);"
        " return color.getHexString(THREE.SRGBColorSpace); })()"
    )
    page.until(f"{seen} === 'ff0000'")
    sim.module("/beacon/lamp").switch_off()
    page.until(f"{seen} === '260000'")  # 15 % of its light
    page.value("coopsim.app.setLayer('rays', true)")
    page.until("coopsim.app.layers.rays.count > 0")
    sim.module("/beacon/lamp").shine(0.5, 0.0, 0.0, 1.0)
    page.until(f"{seen} === '000093'")
    assert page.value("coopsim.app.layers.rays.count") > 0
    sim.world.remove("beacon")
    page.until("!coopsim.app.view.byName.has('beacon')")


def test_names_are_text_and_never_run(window: Browser, server: PageProcess, sim: Client) -> None:
    page = open_page(window, server.link("edit"))
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


def test_a_click_selects_a_polygon_inside_its_corners_alone(window: Browser, server: PageProcess, sim: Client) -> None:
    sim.world.insert(
        "[OBJECT_1]\ntype polygon\nname corner\npoints -1 -1 1 -1 1 0 0 0 0 1 -1 1\nheight 0.3\nposition 0 -3 0\n"
    )
    page = open_page(window, server.link("watch") + "#view=top")
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
