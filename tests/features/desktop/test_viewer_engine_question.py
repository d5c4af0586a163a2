"""Session of a first user: an arm needs another engine, and a body is pulled without Alt."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyglet.window import key, mouse
from test_first_user import keep
from test_viewer_managers import at, click, frame, press, send, show
from viewer_simulations import SimulationLink

from coopsim.errors import NoReply
from coopsim.features.desktop.application import Application

_MOST_TURNS, _LIST_HEIGHT = 40, 150
"""Of the wheel over a list, and the height of what is seen of it [pixels]."""


@pytest.fixture(scope="module")
def application(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    file = tmp_path_factory.mktemp("engines") / "a.scenario"
    file.write_text("[ROBOT_1]\ntype single\nname rover\n", encoding="utf-8")
    window = Application(SimulationLink(str(file)), (900, 700))  # type: ignore[arg-type]
    window.settings.quality = "low"
    frame(window, 6)
    yield window
    window.close()


def test_the_x_key_lets_the_left_button_pull_and_the_force_is_written(application: Application) -> None:
    session, tool = application.session, application.mouse_tool
    press(application, key.X)
    assert application.settings.pulls
    pose = session.pose("rover")
    assert pose is not None
    ((across, up),), _ = session.camera.project(np.array([[*pose[:2], 0.15]]))
    left, top, _, high = application.view
    place = round(left + across), round(application.window.height - top - high + up)
    send(application, "on_mouse_press", *place, mouse.LEFT, 0)
    send(application, "on_mouse_drag", place[0] + 80, place[1], 80, 0, mouse.LEFT, 0)
    frame(application, 3)
    assert tool.pull is not None, list(session.notes)
    assert tool.pull.name == "rover"
    assert float((tool.pull.force**2).sum()) > 1.0
    keep(application, "pull")
    send(application, "on_mouse_release", place[0] + 80, place[1], mouse.LEFT, 0)
    press(application, key.X)
    assert not application.settings.pulls
    send(application, "on_mouse_press", *place, mouse.LEFT, 0)
    assert tool.pull is None
    send(application, "on_mouse_release", *place, mouse.LEFT, 0)


def test_an_arm_is_inserted_with_another_engine_after_a_question(
    application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, link = application.session, application.session.link
    simulation: Any = link.simulation  # type: ignore[attr-defined]
    session.insert("robot abb_irb_120")
    frame(application, 4)
    keep(application, "engine_question")
    click(application, "engine.keep")
    frame(application, 3)
    assert session.editor.history.refused is None
    assert simulation.engine_name == "pymunk"
    # while its kernels are compiled, a run does not answer in time
    call, late = link.call, ["insert", "set_engine"]

    def slow_call(*words: Any, then: Any) -> None:
        if late and words[1] == late[-1]:
            late.pop()
            then(NoReply("no reply from /sim/world within 10 s"))
        else:
            call(*words, then=then)

    monkeypatch.setattr(link, "call", slow_call)
    session.insert("robot abb_irb_120")
    frame(application, 4)
    click(application, "engine.change")
    frame(application, 8)
    notes = [str(note) for note in session.notes][-3:]
    assert "mujoco is being prepared" in notes[0]
    assert (notes[1], late) == ("mujoco is ready", []), "it is asked for again, and no time-out is told"
    assert "no reply" in notes[2], "nobody answered the insertion, which is made again"
    assert simulation.engine_name == "mujoco", list(session.notes)
    assert "robot1" in session.names
    assert "rover" in session.names
    press(application, key.Z, key.MOD_CTRL)
    frame(application, 3)
    assert "robot1" not in session.names


@pytest.fixture
def flat(tmp_path: Path) -> Iterator[Application]:
    """A scene on an engine for the plane."""
    file = tmp_path / "flat.scenario"
    file.write_text("[ROBOT_1]\ntype single\nname rover\nposition 2 0 0\n", encoding="utf-8")
    window = Application(SimulationLink(str(file)), (900, 700))  # type: ignore[arg-type]
    set_engine_fact(window, "pymunk")
    window.settings.quality = "low"
    frame(window, 6)
    show(window, "Robots")
    yield window
    window.close()


def insert_robot(window: Application, kind: str) -> None:
    """Insert a robot by the manager."""
    pick_type(window, kind)
    click(window, "robots.insert")
    frame(window, 4)


def set_engine_fact(window: Application, engine: str) -> None:
    """Let the link say which engine there is, as that to a run does."""
    link = window.session.link
    link.facts = replace(link.facts, engine=engine)


def test_what_flies_is_not_laid_on_the_floor_of_an_engine_for_the_plane_without_a_question(flat: Application) -> None:
    """C-59: robots of any type are inserted by the manager."""
    session = flat.session
    simulation: Any = session.link.simulation  # type: ignore[attr-defined]
    insert_robot(flat, "quadrotor")
    keep(flat, "engine_question_of_a_quadrotor")
    assert session.editor.history.refused is not None
    assert "flies by its rotors" in str(session.editor.history.refused[1])
    click(flat, "engine.keep")
    frame(flat, 3)
    assert session.editor.history.refused is None, "it is asked once"
    assert (simulation.engine_name, session.names) == ("pymunk", ("floor", "rover")), "the scene is as it was"
    assert not session.editor.history.has_unsaved


def test_a_quadrotor_flies_after_the_engine_was_changed_for_it(flat: Application) -> None:
    session = flat.session
    simulation: Any = session.link.simulation  # type: ignore[attr-defined]
    insert_robot(flat, "quadrotor")
    click(flat, "engine.change")
    frame(flat, 6)
    assert simulation.engine_name == "mujoco"
    assert session.names == ("floor", "rover", "robot1")
    assert session.selected == "robot1"
    keep(flat, "quadrotor_inserted")
    fly_by_keys(flat, simulation)
    keep(flat, "quadrotor_flies")
    set_engine_fact(flat, "mujoco+rk4")
    session.insert("robot quadrotor")
    frame(flat, 4)
    assert session.editor.history.refused is None, "an engine in space holds it, whatever its integrator"
    assert "robot2" in session.names


def test_a_robot_on_wheels_that_are_bodies_is_inserted_into_a_running_scene_and_driven_by_keys(
    flat: Application,
) -> None:
    """C-38, C-39, C-44, C-46: chassis, wheels on hinges and casters come, are seen, and roll."""
    session = flat.session
    simulation: Any = session.link.simulation  # type: ignore[attr-defined]
    for _ in range(20):
        simulation.tick()
    insert_robot(flat, "single_hinged")
    keep(flat, "engine_question_of_a_hinged_robot")
    click(flat, "engine.change")
    frame(flat, 6)
    assert simulation.engine_name == "mujoco"
    row = session.entity("robot1")
    assert row is not None
    bodies = {visual.body for visual in row.drawn()}
    assert bodies >= {"chassis", "left_wheel", "right_wheel", "front_fork", "front_roller", "rear_fork", "rear_roller"}
    wheel = [name.removeprefix("robot1.") for name in simulation.engine.joints].index("left_axle")
    begin = simulation.engine.planar[simulation.layout.robot["robot1"].body].copy()
    bring_into_view(flat, "robots.drive")
    click(flat, "robots.drive")
    send(flat, "on_key_press", key.UP, 0)
    pass_time(flat, 3.0)
    send(flat, "on_key_release", key.UP, 0)
    pass_time(flat, 1.0)
    way = simulation.engine.planar[simulation.layout.robot["robot1"].body][0] - begin[0]
    assert way == pytest.approx(1.2, abs=0.15), "3 s at 0.4 m/s"
    assert simulation.engine.joint_position[wheel] * 0.06 == pytest.approx(way, abs=0.05), "the wheel rolled as far"
    session.focus()
    session.camera.zoom(3.0)
    keep(flat, "hinged_robot_driven")


def pass_time(window: Application, seconds: float) -> None:
    """Let simulated time pass; the window says each tenth of a second how a robot is driven."""
    simulation: Any = window.session.link.simulation  # type: ignore[attr-defined]
    for _ in range(round(seconds / 0.1)):
        window._drive._due = 0.0
        frame(window, 1)
        for _ in range(10):
            simulation.tick()
    frame(window, 2)


def fly_by_keys(window: Application, simulation: Any) -> None:
    """Drive the selected quadrotor by the arrow keys: it climbs, flies ahead, turns, and lands."""

    begin = simulation.engine.poses[simulation.layout.robot["robot1"].body].copy()
    bring_into_view(window, "robots.drive")
    click(window, "robots.drive")
    pass_time(window, 5.0)
    assert height(simulation) == pytest.approx(1.0, abs=0.1), "it hovers"
    send(window, "on_key_press", key.UP, 0)
    pass_time(window, 4.0)
    send(window, "on_key_release", key.UP, 0)
    pass_time(window, 2.0)
    place = simulation.engine.poses[simulation.layout.robot["robot1"].body]
    assert place[0] - begin[0] > 1.0, "ahead"
    assert abs(place[1] - begin[1]) < 0.2
    assert height(simulation) == pytest.approx(1.0, abs=0.1)
    click(window, "robots.drive")
    pass_time(window, 5.0)
    assert height(simulation) < 0.1, "it landed when it was given back"


def height(simulation: Any) -> float:
    return float(simulation.engine.poses[simulation.layout.robot["robot1"].body, 2])


def bring_into_view(application: Application, widget: str) -> None:
    """Turn the wheel over the manager until a widget is seen."""
    x, y = at(application, "robots.type")
    for _ in range(_MOST_TURNS):
        if at(application, widget)[1] > _LIST_HEIGHT // 2:
            return
        send(application, "on_mouse_motion", x, y - _LIST_HEIGHT, 0, 0)
        send(application, "on_mouse_scroll", x, y - _LIST_HEIGHT, 0.0, -1.0)
        frame(application, 2)


def pick_type(application: Application, kind: str) -> None:
    """Choose a type out of the list of the manager, which is longer than its window."""
    click(application, "robots.type")
    frame(application, 2)
    x, y = at(application, "robots.type")
    for _ in range(_MOST_TURNS):
        below = y - at(application, f"robots.type.{kind}")[1]
        if 0 < below < _LIST_HEIGHT:
            break
        send(application, "on_mouse_motion", x, y - _LIST_HEIGHT // 2, 0, 0)
        send(application, "on_mouse_scroll", x, y - _LIST_HEIGHT // 2, 0.0, -1.0 if below > 0 else 1.0)
        frame(application, 2)
    click(application, f"robots.type.{kind}")
