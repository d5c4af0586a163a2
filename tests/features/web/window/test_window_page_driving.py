"""Robots that are driven from a page: by keys, a stick on a phone, a gamepad, and laws."""

import json
import math

import pytest
from browser import Browser
from page_in_browser import PHONE, click, open_page, pixel_of, x_of
from web_pages import PageProcess

from coopsim.client import Client

pytestmark = pytest.mark.integration


def test_a_robot_is_selected_in_the_picture_and_driven_by_keys(
    window: Browser, server: PageProcess, sim: Client
) -> None:
    page = open_page(window, server.link("drive"))
    page.drag([pixel_of(page, "robot1")])
    page.until("coopsim.app.selected === 'robot1'")
    page.until("!document.getElementById('drive').hidden")
    before = sim.world.get("robot1").pose
    click(page, "#drive")
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
    click(page, "#drive")
    page.until("!coopsim.app.driving.isOn")
    while "robot1" in sim.step.owners("robot1").owners:
        pass


def test_a_phone_has_room_for_one_panel_and_a_stick(window: Browser, server: PageProcess, sim: Client) -> None:
    page = open_page(window, server.link("drive"), **PHONE)
    assert page.value("[...document.querySelectorAll('aside')].every((panel) => panel.classList.contains('closed'))")
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
    page = open_page(window, server.link("drive"))
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


def test_a_law_is_chosen_set_started_replaced_and_stopped_for_a_robot(
    window: Browser, server: PageProcess, sim: Client
) -> None:
    page = open_page(window, server.link("edit") + "&robot=robot1")
    page.until("document.getElementById('law').value === 'wander'")
    page.until("document.querySelectorAll('#law-parameters [data-law=wander] input').length > 0")
    begin = x_of(sim, "robot1")
    name = page.value("document.querySelector('#law-parameters input').getAttribute('aria-label').split(' ')[1]")
    page.value(
        "(() => { const input = document.querySelector('#law-parameters input'); input.value = input.max || 0.1;"
        " input.dispatchEvent(new Event('change')); })()"
    )
    page.until(f"coopsim.app.managers.given.wander.{name} !== undefined")
    page.value("document.getElementById('law-start').click()")
    page.until("!!document.querySelector('#drivers [data-state=running]')")
    page.until("document.getElementById('law-start').textContent === 'Replace'")
    while abs(x_of(sim, "robot1") - begin) < 0.05:
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
