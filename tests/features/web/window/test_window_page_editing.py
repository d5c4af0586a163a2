"""Scenes that are changed from a page, with undo: objects, robots with cameras, teams."""

import math

import pytest
from browser import Browser
from page_in_browser import choose, click, names_of, open_page, pixel_of, x_of
from web_pages import PageProcess

from coopsim.client import Client

pytestmark = pytest.mark.integration


def test_what_is_inserted_moved_and_deleted_can_be_undone(window: Browser, server: PageProcess, sim: Client) -> None:
    """C-56, on a page."""
    page = open_page(window, server.link("edit"))
    page.value("document.getElementById('insert-kind').value = 'object box'")
    click(page, "#insert")
    page.until("coopsim.app.selected === 'box1'")
    page.value("coopsim.app.setView('top')")
    begin = x_of(sim, "box1")
    x, y = pixel_of(page, "box1")
    page.drag([(x, y), (x + 20, y), (x + 60, y)])
    while x_of(sim, "box1") < begin + 0.3:
        pass
    for _ in range(2):
        click(page, "#undo")
        page.until("!document.getElementById('redo').disabled")
    page.until("!coopsim.app.view.byName.has('box1')")
    click(page, "#redo")
    page.until("coopsim.app.view.byName.has('box1')")
    page.value("coopsim.app.select('box1')")
    page.until("!document.getElementById('delete').hidden")
    click(page, "#delete")
    page.until("!coopsim.app.view.byName.has('box1')")
    click(page, "#undo")
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


def test_what_is_inserted_twice_quickly_has_two_names_and_stands_inside_of_the_walls_with_room(
    window: Browser, server: PageProcess, sim: Client
) -> None:
    page = open_page(window, server.link("edit"))
    wall_names = [f"wall_{n}" for n in range(1, 5)]
    walls = [sim.world.get(name) for name in wall_names]
    reach = [max(abs(wall.pose[axis]) for wall in walls) for axis in (0, 1)]
    names_before = {entity.name for entity in sim.scene().entities}
    page.value(
        "(() => { for (const kind of ['single', 'single', 'team2']) coopsim.app.editing.insert(`robot ${kind}`); })()"
    )
    page.until("coopsim.app.editing.done.length === 3")
    assert page.value("document.getElementById('notice').hidden")
    own = {entity.name: entity for entity in sim.scene().entities if entity.name not in names_before}
    assert {*own} >= {"robot4", "robot5", "team1/leader", "team1/helper"}
    for entity in own.values():
        assert [abs(value) < most for value, most in zip(entity.pose[:2], reach, strict=True)] == [True, True], entity
    places = [own[name].pose[:2] for name in ("robot4", "robot5", "team1/leader", "team1/helper")]
    assert min(math.dist(a, b) for k, a in enumerate(places) for b in places[:k]) > 0.5
    for _ in range(3):
        page.value("coopsim.app.editing.undo()")
    page.until("coopsim.app.editing.undone.length === 3")
    assert {entity.name for entity in sim.scene().entities} == names_before


def test_a_camera_is_seen_and_its_robot_put_elsewhere_by_numbers_and_by_its_section(
    window: Browser, server: PageProcess, sim: Client
) -> None:
    page = open_page(window, server.link("edit"))
    page.until("!coopsim.app.view.byName.has('robot4')")  # that of the test before is gone
    page.value("document.getElementById('insert-kind').value = 'robot observer'")
    click(page, "#insert")
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
            while abs(x_of(sim, "robot4") - 3.0) > 0.05:
                pass
            page.until("/position {2,}3 /.test(document.getElementById('section').value)")
    page.until("coopsim.app.view.byName.has('looker') && !coopsim.app.view.byName.has('robot4')")
    for _ in range(4):
        done = page.value("coopsim.app.editing.done.length")
        page.value("coopsim.app.editing.undo()")
        page.until(f"coopsim.app.editing.done.length === {done} - 1")
    page.until("!coopsim.app.view.byName.has('looker') && !coopsim.app.view.byName.has('robot4')")


def test_an_object_gets_another_name_colour_and_texture_and_the_former_ones_again(
    window: Browser, server: PageProcess, sim: Client
) -> None:
    page = open_page(window, server.link("edit"))
    page.value("coopsim.app.editing.insert('object box')")
    page.until("coopsim.app.selected === 'box1' && !document.getElementById('looks').hidden")
    choose(page, "entity-texture", "bricks")
    page.until("coopsim.app.view.byName.get('box1').shapes[0].texture === 'bricks'")
    choose(page, "entity-color", "#00ff00")
    page.until("coopsim.app.view.byName.get('box1').color.join() === '0,1,0'")
    page.until("coopsim.app.editing.done.length === 3")
    choose(page, "entity-name", "chest")
    page.until("coopsim.app.selected === 'chest' && coopsim.app.editing.done.length === 4")
    assert {"lime", "bricks"} <= set(sim.world.section("chest", 1).text.split())
    for undone in (1, 2, 3):
        click(page, "#undo")
        page.until(f"coopsim.app.editing.undone.length === {undone}")
    text = sim.world.section("box1", 1).text
    assert {"texture", "lime"}.isdisjoint(text.split())
    click(page, "#undo")
    page.until("!coopsim.app.view.byName.has('box1')")


def test_a_belt_gets_another_size_and_its_former_one_again(window: Browser, server: PageProcess, sim: Client) -> None:
    page = open_page(window, server.link("edit"))
    page.value("coopsim.app.editing.insert('artifact conveyor')")
    page.until("coopsim.app.selected && !document.getElementById('size-field').hidden")
    name = page.value("coopsim.app.selected")
    before = sim.world.get(name).size
    choose(page, "size-length", "3.5")
    page.until(f"coopsim.app.editing.done.length === 2 && coopsim.app.selected === '{name}'")
    assert sim.world.get(name).size == pytest.approx((3.5, *before[1:]))
    choose(page, "size-width", "-1")
    page.until("!document.getElementById('notice').hidden && document.getElementById('size-width').value !== '-1'")
    click(page, "#undo")
    page.until("coopsim.app.editing.undone.length === 1")
    assert sim.world.get(name).size == pytest.approx(before)
    sim.world.remove(name)


def test_a_team_is_inserted_moved_coloured_named_and_deleted_as_a_whole(
    window: Browser, server: PageProcess, sim: Client
) -> None:
    page = open_page(window, server.link("edit"))
    page.value("coopsim.app.editing.insert('robot team2')")
    page.until("coopsim.app.view.byName.has('team1/helper')")
    page.value("coopsim.app.select('team1/leader')")
    page.until("document.getElementById('team-title').textContent === 'Team team1'")
    members = names_of(sim, "team1/")
    for field, value in (("x", "3"), ("y", "-1.5"), ("heading", "90")):
        page.value(f"document.getElementById('team-{field}').value = '{value}'")
    click(page, "#team-put")
    page.until("coopsim.app.editing.done.length === 2")
    page.until("Math.abs(coopsim.app.managers.teamPose()?.x - 3) < 0.1")
    poses = {name: sim.world.get(name).pose for name in members}
    middle = [sum(pose[axis] for pose in poses.values()) / len(poses) for axis in (0, 1)]
    assert middle == pytest.approx([3.0, -1.5], abs=0.05)
    assert poses["team1/leader"][0] < poses["team1/helper"][0] - 1.0  # to the left of who looks along y
    choose(page, "team-color", "#0000ff")
    page.until("coopsim.app.view.byName.get('team1/helper').color.join() === '0,0,1'")
    page.until("coopsim.app.editing.done.length === 3")
    choose(page, "team-name", "porters")
    page.until("coopsim.app.selected === 'porters/leader' && coopsim.app.editing.done.length === 4")
    assert names_of(sim, "porters/") == [name.replace("team1", "porters") for name in members]
    click(page, "#undo")
    page.until("coopsim.app.selected === 'team1/leader' && coopsim.app.editing.undone.length === 1")
    click(page, "#team-delete")
    page.until("!coopsim.app.view.entities.some(({ name }) => name.startsWith('team1/'))")
    click(page, "#undo")
    page.until("coopsim.app.view.byName.has('team1/helper') && coopsim.app.editing.undone.length === 1")
    assert (len(sim.scene().joints), names_of(sim, "team1/")) == (2, members)  # the bar lies on both again
    for name in members:
        sim.world.remove(name)


def test_a_team_gets_a_longer_bar_and_more_carriers_and_its_former_load_again(
    window: Browser, server: PageProcess, sim: Client
) -> None:
    page = open_page(window, server.link("edit"))
    page.until("!coopsim.app.view.byName.has('team1/helper')")  # that of the test before is gone
    page.value("coopsim.app.editing.insert('robot team2')")
    page.until("coopsim.app.view.byName.has('team1/bar')")
    page.value("coopsim.app.select('team1/leader')")
    page.until("!document.getElementById('team-load').hidden && document.getElementById('team-carriers').value === '2'")
    before = sim.world.get("team1/bar").size
    choose(page, "team-length", "2.2")
    page.until("coopsim.app.view.byName.get('team1/bar')?.size[1] === 2.2 && coopsim.app.editing.done.length === 2")
    choose(page, "team-carriers", "3")
    page.until("coopsim.app.view.byName.has('team1/helper2') && coopsim.app.editing.done.length === 3")
    assert sim.world.get("team1/plate").size[1] == pytest.approx(2.2)
    choose(page, "team-length", "0.1")
    page.until("!document.getElementById('notice').hidden")
    page.until("coopsim.app.view.byName.has('team1/plate') && coopsim.app.editing.done.length === 3")
    for undone in (1, 2):
        page.value("document.getElementById('undo').click()")
        page.until(f"coopsim.app.editing.undone.length === {undone}")
    page.until("coopsim.app.view.byName.has('team1/bar') && !coopsim.app.view.byName.has('team1/plate')")
    assert sim.world.get("team1/bar").size == pytest.approx(before)
    for name in names_of(sim, "team1/"):
        sim.world.remove(name)
