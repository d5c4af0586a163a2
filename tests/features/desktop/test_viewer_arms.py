"""Session of a first user who moves an arm in the window, on a real simulation in this process."""

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pyglet.window import key, mouse
from test_first_user import keep
from test_viewer_managers import at, drag, frame, press, send, show
from viewer_simulations import SimulationLink

from coopsim.features.desktop.application import Application

SCENARIO = "[ROBOT_1]\ntype abb_irb_120\nname arm\nposition 1 0.5 0\norientation 0 0 90\n[SIMULATION]\nengine mujoco\n"
MODULES = ("joints", "gripper")


class Columns(SimpleNamespace):
    """Readings by name, and nothing else."""

    def __dir__(self) -> list[str]:
        return sorted(vars(self))


class ArmLink(SimulationLink):
    """Link whose states have the readings of the arm's modules."""

    def _fetch(self) -> None:
        super()._fetch()
        state, (joints, gripper) = self.samples[-1].state, (self.simulation.reading("arm", kind) for kind in MODULES)
        modules = Columns(joints=Columns(positions=joints[:6].copy()), gripper=Columns(opening=float(gripper[0])))
        readings = type("Readings", (dict,), {"robots": ("arm",), "types": ()})(arm=modules)
        self.samples[-1] = replace(self.samples[-1], state=SimpleNamespace(**{**vars(state), "readings": readings}))


@pytest.fixture(scope="module")
def application(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    file = tmp_path_factory.mktemp("arms") / "arm.scenario"
    file.write_text(SCENARIO, encoding="utf-8")
    link = ArmLink(str(file))
    link.client.clock.pause()
    window = Application(link, (1000, 1000))  # type: ignore[arg-type]
    window.settings.quality = "low"
    frame(window, 6)
    window.session.camera.fit(window.session.model.corners())  # near: handles are moved by whole pixels
    window.session.select("arm")
    show(window, "Robots")
    frame(window, 4)
    yield window
    window.close()


def advance(application: Application, ticks: int = 200) -> None:
    """Let simulated time pass."""
    link: Any = application.session.link
    link.client.clock.step(ticks)
    frame(application, 3)


def joints(application: Application) -> np.ndarray:
    positions = application._drive.arm.positions()
    assert positions is not None
    return positions


def tool(application: Application) -> np.ndarray:
    point = application._drive.arm.tool()
    assert point is not None
    return point


def test_a_slider_moves_its_joint_alone_and_undo_moves_it_back(application: Application) -> None:
    arm = application._drive.arm.arm
    assert arm is not None
    assert (arm.module, arm.gripper, len(arm.joints)) == ("joints", "gripper", 6)
    before = joints(application)
    x, y = at(application, "arm.joint1")
    drag(application, "arm.joint1", (x + 30, y))
    advance(application)
    moved = joints(application)
    assert abs(moved[0] - before[0]) > 0.1, list(application.session.notes)
    assert moved[1:] == pytest.approx(before[1:], abs=0.02)
    keep(application, "arm")
    press(application, key.Z, key.MOD_CTRL)
    advance(application)
    assert joints(application) == pytest.approx(before, abs=0.01)
    press(application, key.Y, key.MOD_CTRL)
    advance(application)
    assert joints(application) == pytest.approx(moved, abs=0.01)


def test_the_gripper_opens_by_its_slider(application: Application) -> None:
    before = application._drive.arm.opening()
    assert before is not None
    x, y = at(application, "arm.gripper")
    drag(application, "arm.gripper", (x - 40, y))
    advance(application)
    after = application._drive.arm.opening()
    assert after is not None
    assert after < before - 0.01


def test_a_tool_is_dragged_by_the_handle_of_an_axis(application: Application) -> None:
    application._drive.arm.move_joints([0.3, 0.3, 0.3, 0.1, 0.6, 0.0])
    advance(application, 400)
    before = tool(application)
    x, y = at(application, "gizmo.z")
    middle = at(application, "gizmo.middle")
    end = (round(x + 0.4 * (middle[0] - x)), round(y + 0.4 * (middle[1] - y)))
    drag(application, "gizmo.z", end)
    assert application.mouse_tool.gizmo.wanted is None
    assert application.session.chosen == ("arm",), "nothing else is selected"
    advance(application, 400)
    after = tool(application)
    assert before[2] - after[2] > 0.02, list(application.session.notes)
    assert after[:2] == pytest.approx(before[:2], abs=0.01)
    link: Any = application.session.link
    assert link.client.module("/sim/step").owners().owners == (), "a control law may have it now"


def test_a_place_is_typed_and_one_out_of_reach_is_refused_in_words(application: Application) -> None:
    before = tool(application)
    application._drive.arm.move_tool(before + np.array([0.0, 0.05, 0.0]))
    frame(application, 3)
    advance(application, 400)
    assert tool(application) == pytest.approx(before + np.array([0.0, 0.05, 0.0]), abs=0.005)
    application._drive.arm.move_tool(before + np.array([9.0, 0.0, 0.0]))
    frame(application, 3)
    assert "no posture of this arm within its limits brings the tool to" in application.session.notes[-1]


def test_a_locked_arm_has_no_handles_and_a_press_there_selects_as_before(application: Application) -> None:
    gizmo = application.mouse_tool.gizmo
    assert gizmo.ends() is not None
    application.session.locked.add("arm")
    assert gizmo.ends() is None
    assert not gizmo.press(0.0, 0.0)
    application.session.locked.clear()
    application.session.select("")
    frame(application, 3)
    assert application._drive.arm.arm is None
    assert application._drive.arm.tool() is None
    send(application, "on_mouse_press", 5, 5, mouse.LEFT, 0)
    send(application, "on_mouse_release", 5, 5, mouse.LEFT, 0)
    application.session.select("arm")
    frame(application, 3)
    assert application._drive.arm.arm is not None
