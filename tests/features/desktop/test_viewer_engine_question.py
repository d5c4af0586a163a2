"""Session of a first user: an arm needs another engine, and a body is pulled without Alt."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from pyglet.window import key, mouse
from test_first_user import keep
from test_viewer_managers import click, frame, press, send
from viewer_simulations import SimulationLink

from coopsim.errors import NoReply
from coopsim.features.desktop.application import Application


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
