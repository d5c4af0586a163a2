"""Session of a first user who works with teams in the window, on a real simulation in this process."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyglet.window import key
from test_first_user import keep
from test_viewer_managers import at, click, drag, frame, press, send, show
from viewer_simulations import SimulationLink

from coopsim.features.beginnings import crews
from coopsim.features.desktop.application import Application
from coopsim.geometry import heading
from coopsim.robots import load

MEMBERS = ("bar", "helper", "leader")


@pytest.fixture(scope="module")
def application(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    file = tmp_path_factory.mktemp("teams") / "a.scenario"
    file.write_text("[TARGET]\nred 4 3 0\nblue -4 -3 0\n", encoding="utf-8")
    window = Application(SimulationLink(str(file)), (1000, 1000))  # type: ignore[arg-type]
    window.settings.quality = "low"
    frame(window, 6)
    yield window
    window.close()


@pytest.fixture
def link(application: Application) -> Any:
    """Begin anew."""
    link: Any = application.session.link
    for name in application.session.names:
        if name not in {"floor", "red", "blue"}:
            link.client.world.remove(name)
    application.session.select("")
    frame(application)
    return link


def drop(application: Application, what: str, across: float, down: float) -> None:
    """Drag something out of the palette to a share of the picture."""
    left, top, width, high = application.view
    drag(application, f"palette.{what}", (round(left + across * width), round(1000 - top - down * high)))
    frame(application, 3)


def crew(team: str) -> set[str]:
    return {f"{team}/{member}" for member in MEMBERS}


def test_two_teams_and_a_robot_are_inserted_driven_undone_and_saved(application: Application, link: Any) -> None:
    drop(application, "robot team2", 0.3, 0.4)
    drop(application, "robot team2", 0.7, 0.4)
    drop(application, "robot single", 0.5, 0.8)
    names = set(application.session.names)
    assert names >= crew("team1") | crew("team2") | {"robot1"}, list(application.session.notes)
    keep(application, "two_teams")
    click(application, "tree.team1")
    assert set(application.session.chosen) == crew("team1")
    assert crews.team_of(application.session.chosen, application.session.names) == "team1"
    press(application, key.DELETE)
    frame(application, 3)
    assert set(application.session.names) == names - crew("team1")
    press(application, key.Z, key.MOD_CTRL)
    frame(application, 3)
    assert set(application.session.names) == names
    folder = Path(link.simulation.spec.scenario.file).parent
    saved = load(link.client.world.save(str(folder / "two.scenario")).files[-1])
    assert {robot.name for robot in saved.scenario.robots} == {name for name in names if crews.is_robot(name)} - {
        "floor",
        "red",
        "blue",
    }
    assert "type team2" in " ".join((folder / "two.scenario").read_text().split())


def test_what_is_driven_is_the_robot_that_is_selected(application: Application, link: Any) -> None:
    link.client.world.insert("[ROBOT_1]\ntype team2\nname pair\nposition 0 3 0\n")
    link.client.world.insert("[ROBOT_1]\ntype single\nname pai\nposition 0 -3 0\n")
    frame(application, 3)
    with pytest.raises(Exception, match="'pair' is already taken"):
        link.client.world.insert("[ROBOT_1]\ntype single\nname pair\n")
    for robot in ("pai", "pair/leader"):
        application.session.select(robot)
        show(application, "Robots")
        frame(application, 3)
        click(application, "robots.drive")
        assert application._drive._motors == f"/{robot}/motors"
        click(application, "robots.drive")


def test_a_team_is_coloured_named_moved_and_turned_as_one(application: Application, link: Any) -> None:
    session = application.session
    link.client.world.insert("[ROBOT_1]\ntype team2\nname pair\n")
    frame(application, 3)
    click(application, "tree.pair")
    show(application, "Robots")
    frame(application, 3)
    keep(application, "team_form")
    x, y = at(application, "team.turn")
    drag(application, "team.turn", (x + 60, y))
    frame(application, 3)
    leader, helper = (session.pose(f"pair/{name}") for name in ("leader", "helper"))
    assert leader is not None
    assert helper is not None
    turned = math.degrees(heading(*leader[3:]))
    assert abs(turned) > 10.0
    assert math.dist(leader[:2], helper[:2]) == pytest.approx(1.2, abs=1e-4)
    assert leader[0] + helper[0] == pytest.approx(0.0, abs=1e-4)
    application.session.editor.paint(["pair/leader", "pair/helper"], (0.0, 1.0, 0.0))
    frame(application, 3)
    show(application, "Robots")
    keep(application, "team_painted")
    click(application, "team.name")
    press(application, key.A, key.MOD_CTRL)
    send(application, "on_key_release", key.LCTRL, 0)
    send(application, "on_text", "duo")
    press(application, key.RETURN)
    frame(application, 3)
    assert crew("duo") <= set(session.names), list(session.notes)
    assert set(session.chosen) == crew("duo")
    assert {session.entity(f"duo/{name}").color for name in ("leader", "helper")} == {(0.0, 1.0, 0.0)}  # type: ignore[union-attr]
    session.duplicate()
    frame(application, 3)
    assert crew("duo2") <= set(session.names), list(session.notes)
    folder = Path(link.simulation.spec.scenario.file).parent
    saved = load(link.client.world.save(str(folder / "duo.scenario")).files[-1]).scenario
    assert {robot.name for robot in saved.robots} == {"duo/leader", "duo/helper", "duo2/leader", "duo2/helper"}
    for _ in range(5):
        press(application, key.Z, key.MOD_CTRL)
    frame(application, 3)
    assert crew("pair") <= set(session.names)
    assert not crew("duo") & set(session.names)


def test_length_and_carriers_are_chosen_in_the_manager_undone_and_saved(application: Application, link: Any) -> None:
    session = application.session
    link.client.world.insert("[ROBOT_1]\ntype team2\nname pair\nposition 1 1 0\norientation 0 0 90\ncolor 0 255 0\n")
    frame(application, 3)
    click(application, "tree.pair")
    show(application, "Robots")
    frame(application, 3)
    x, y = at(application, "team.length")
    drag(application, "team.length", (x + 40, y))
    frame(application, 3)
    longer = session.entity("pair/bar")
    assert longer is not None, list(session.notes)
    assert longer.size[1] > 1.6
    frame(application, 3)
    x, y = at(application, "team.carriers")
    drag(application, "team.carriers", (x + 400, y))
    frame(application, 3)
    roles = ("leader", "helper", *(f"helper{n}" for n in range(2, 6)))
    assert {name for name in session.names if "/" in name} == {"pair/plate", *(f"pair/{role}" for role in roles)}
    keep(application, "plate")
    assert crews.team_of(session.chosen, session.names) == "pair"
    plate, leader = session.entity("pair/plate"), session.pose("pair/leader")
    assert plate is not None
    assert leader is not None
    assert plate.size[1] == longer.size[1]
    assert leader[:2] == pytest.approx((1.15 - longer.size[1] / 2.0, 1.0), abs=1e-3)
    folder = Path(link.simulation.spec.scenario.file).parent
    saved = load(link.client.world.save(str(folder / "six.scenario")).files[-1]).scenario
    assert len(saved.robots) == 6
    assert "carriers 6" in " ".join((folder / "six.scenario").read_text().split())
    for _ in range(2):
        press(application, key.Z, key.MOD_CTRL)
        frame(application, 3)
    bar = session.entity("pair/bar")
    assert bar is not None, list(session.notes)
    assert (bar.size[1], {name for name in session.names if "/" in name}) == (1.5, crew("pair"))
    press(application, key.Y, key.MOD_CTRL)
    frame(application, 3)
    assert session.entity("pair/bar").size[1] == longer.size[1]  # type: ignore[union-attr]
    session.editor.rebuild_team("pair", {"carriers": "6", "length": "1"})
    frame(application, 3)
    assert "pair stays as it is: 6 robots would touch under 1 m" in str(list(session.notes))
    assert crew("pair") <= set(session.names)


def test_a_member_that_is_coloured_and_dragged_is_saved(application: Application, link: Any) -> None:
    link.client.world.insert("[ROBOT_1]\ntype team2\nname pair\n")
    frame(application, 3)
    application.session.editor.update("pair/leader", {"color": "255 0 0"})
    application.session.editor.update("pair/helper", {"position": "0 -0.9 0"})
    frame(application, 3)
    folder = Path(link.simulation.spec.scenario.file).parent
    saved = load(link.client.world.save(str(folder / "apart.scenario")).files[-1]).scenario
    assert {robot.name: robot.color for robot in saved.robots}["pair/leader"] == (1.0, 0.0, 0.0)
    assert {joint.name for joint in saved.joints} == {"pair/leader/support", "pair/helper/support"}
    assert [thing.name for thing in saved.world.objects] == ["pair/bar"]
