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
    call, late = link.call, [NoReply("no reply from /sim/world within 10 s")]

    def slow_call(*words: Any, then: Any) -> None:
        then(late.pop()) if words[1] == "set_engine" and late else call(*words, then=then)

    monkeypatch.setattr(link, "call", slow_call)
    session.insert("robot abb_irb_120")
    frame(application, 4)
    click(application, "engine.change")
    frame(application, 6)
    notes = [str(note) for note in session.notes][-2:]
    assert "mujoco is being prepared" in notes[0]
    assert (notes[1], late) == ("mujoco is ready", []), "it is asked for again, and no time-out is told"
    assert simulation.engine_name == "mujoco", list(session.notes)
    assert "robot1" in session.names
    assert "rover" in session.names
    press(application, key.Z, key.MOD_CTRL)
    frame(application, 3)
    assert "robot1" not in session.names


@pytest.fixture
def flat(tmp_path: Path) -> Iterator[Application]:
    """A scene on an engine for the plane, with the type `quadrotor` chosen in the manager."""
    file = tmp_path / "flat.scenario"
    file.write_text("[ROBOT_1]\ntype single\nname rover\nposition 2 0 0\n", encoding="utf-8")
    window = Application(SimulationLink(str(file)), (900, 700))  # type: ignore[arg-type]
    set_engine_fact(window, "pymunk")
    window.settings.quality = "low"
    frame(window, 6)
    show(window, "Robots")
    pick_type(window, "quadrotor")
    click(window, "robots.insert")
    yield window
    window.close()


def set_engine_fact(window: Application, engine: str) -> None:
    """Let the link say which engine there is, as that to a run does."""
    link = window.session.link
    link.facts = replace(link.facts, engine=engine)


def test_what_flies_is_not_laid_on_the_floor_of_an_engine_for_the_plane_without_a_question(flat: Application) -> None:
    """C-59: robots of any type are inserted by the manager."""
    session = flat.session
    simulation: Any = session.link.simulation  # type: ignore[attr-defined]
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
    click(flat, "engine.change")
    frame(flat, 6)
    assert simulation.engine_name == "mujoco"
    assert session.names == ("floor", "rover", "robot1")
    assert session.selected == "robot1"
    session.ask("/robot1/autopilot", "take_off", 1.0)
    for _ in range(300):
        simulation.tick()
    frame(flat, 3)
    pose = session.pose("robot1")
    assert pose is not None
    assert pose[2] == pytest.approx(1.0, abs=0.1)
    keep(flat, "quadrotor_flies")
    set_engine_fact(flat, "mujoco+rk4")
    session.insert("robot quadrotor")
    frame(flat, 4)
    assert session.editor.history.refused is None, "an engine in space holds it, whatever its integrator"
    assert "robot2" in session.names


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
