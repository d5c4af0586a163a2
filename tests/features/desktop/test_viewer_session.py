"""What a viewer shows and does, without a window."""

import math
from dataclasses import replace

import numpy as np
import pytest
from viewer_standins import StandinLink

from coopsim.client.scene import SceneView
from coopsim.errors import NotAllowed
from coopsim.features.desktop.mouse_tool import MouseTool
from coopsim.features.desktop.playback_facts import PlaybackFacts
from coopsim.features.desktop.session import ViewerSession

ORIGIN = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


@pytest.fixture
def link() -> StandinLink:
    return StandinLink()


@pytest.fixture
def session(link: StandinLink) -> ViewerSession:
    session = ViewerSession(link)  # type: ignore[arg-type]
    session.camera.size = (640, 480)
    session.update(1.0)
    return session


def pixel(session: ViewerSession, x: float, y: float, z: float = 0.0) -> tuple[float, float]:
    (point,), _ = session.camera.project(np.array([[x, y, z]]))
    return float(point[0]), float(point[1])


def test_bodies_are_drawn_between_two_states(session: ViewerSession, link: StandinLink) -> None:
    link.samples.clear()
    for number in range(4):
        link.stand((float(number), 0.0), (2.0, -1.0), time=0.1 * number, arrived=10.0 + 0.1 * number)
    session.update(10.0 + 0.1 * 2.5 + 0.12)
    assert session.pose("box1") == pytest.approx((2.5, *ORIGIN[1:]))


def test_a_click_selects_and_a_click_beside_selects_nothing(session: ViewerSession) -> None:
    mouse_tool = MouseTool(session)
    for place, expected in (((2.0, -1.0, 0.3), "robot1"), ((-3.0, -3.0, 0.0), "")):
        mouse_tool.press(*pixel(session, *place), "left")
        mouse_tool.release(*pixel(session, *place))
        assert session.selected == expected


def test_a_drag_along_the_floor_is_a_message_and_can_be_undone(session: ViewerSession, link: StandinLink) -> None:
    """C-60: positions of robots and objects are changed; C-24: the window and the physics are apart."""
    mouse_tool = MouseTool(session)
    begin, end = pixel(session, 0.0, 0.0, 0.5), pixel(session, 1.5, 0.5, 0.5)
    grabbed, dropped = (session.camera.on_plane(*pixel_) for pixel_ in (begin, end))
    mouse_tool.press(*begin, "left")
    mouse_tool.drag(*end)
    mouse_tool.release(*end)
    (target, command, name, text) = link.asked[-1]
    assert (target, command, name) == ("/sim/world", "update", "box1")
    x, y, z = map(float, text.splitlines()[0].split()[1:])
    assert (x, y, z) == pytest.approx((*(dropped - grabbed)[:2], 0.0), abs=1e-4)
    session.update(1.0)
    link.stand((x, y), (2.0, -1.0), arrived=0.5)
    session.update(5.0)
    session.editor.history.undo()
    assert link.asked[-1][2:] == ("box1", "position 0 0 0\norientation 0 0 0")
    session.update(5.0)
    assert (session.editor.history.can_undo, session.editor.history.can_redo) == (False, True)


def test_what_others_moved_meanwhile_is_not_undone_and_that_is_said(session: ViewerSession, link: StandinLink) -> None:
    session.editor.move({"box1": (1.0, *ORIGIN[1:])})
    link.stand((3.0, 3.0), (2.0, -1.0), arrived=0.5)
    session.update(5.0)
    session.editor.history.undo()
    assert len(link.asked) == 1
    assert "moved by somebody else" in session.notes[-1]


def test_what_the_server_refuses_is_told_and_not_undone(session: ViewerSession, link: StandinLink) -> None:
    link.refusal = NotAllowed("you may only look")
    session.editor.move({"box1": (1.0, *ORIGIN[1:])})
    session.update(5.0)
    assert session.notes[-1] == "you may only look"
    assert not session.editor.history.can_undo


def test_shift_turns_and_ctrl_snaps(session: ViewerSession, link: StandinLink) -> None:
    mouse_tool = MouseTool(session)
    begin = pixel(session, 0.0, 0.0, 0.5)
    mouse_tool.press(*begin, "left")
    mouse_tool.drag(begin[0] + 100.0, begin[1], shift=True, ctrl=True)
    mouse_tool.release(begin[0] + 100.0, begin[1])
    assert link.asked[-1][3] == "position 0 0 0\norientation 0 0 60"
    mouse_tool.press(*begin, "left")
    mouse_tool.drag(*pixel(session, 1.1, 0.9, 0.5), ctrl=True)
    x, y = mouse_tool.preview[:2] if mouse_tool.preview else (math.nan, math.nan)
    assert (2 * x, 2 * y) == (round(2 * x), round(2 * y))


def test_walls_are_not_dragged_but_the_camera_turns(session: ViewerSession, link: StandinLink) -> None:
    mouse_tool, yaw = MouseTool(session), session.camera.yaw
    place = pixel(session, 2.0, 4.0, 0.9)
    mouse_tool.press(*place, "left")
    mouse_tool.drag(place[0] + 60.0, place[1])
    mouse_tool.release(place[0] + 60.0, place[1])
    assert not link.asked
    assert session.camera.yaw != yaw


def test_play_step_speed_and_seek_go_to_the_clock_or_to_the_recording(
    session: ViewerSession, link: StandinLink
) -> None:
    session.toggle_play()
    session.step()
    session.set_speed(2.0)
    link.facts = replace(link.facts, playback=PlaybackFacts(0.0, 9.0, 1.0, False, 1.0))
    session.toggle_play()
    session.step(-1)
    session.set_speed(-2.0)
    session.seek(4.0)
    assert link.asked == [
        ("/sim/clock", "pause"),
        ("/sim/clock", "step", 1),
        ("/sim/clock", "set_speed", 2.0),
        ("/sim/playback", "play"),
        ("/sim/playback", "step", -1),
        ("/sim/playback", "speed", -2.0),
        ("/sim/playback", "seek", 4.0),
    ]


def test_robots_leave_trails_that_jumps_interrupt(session: ViewerSession, link: StandinLink) -> None:
    for number in range(5):
        link.samples.clear()
        link.stand((0.0, 0.0), (2.0 + 0.2 * number, -1.0))
        session.update(1.0)
    assert len(session.ribbons()) == 4
    session.hide("robot1", hidden=True)
    assert len(session.ribbons()) == 0
    session.hide("robot1", hidden=False)
    assert len(session.ribbons()) == 4
    link.samples.clear()
    link.stand((0.0, 0.0), (-3.0, -1.0))
    session.update(1.0)
    assert len(session.ribbons()) == 0


def test_the_camera_goes_with_what_is_followed_until_it_is_moved(session: ViewerSession, link: StandinLink) -> None:
    session.select("robot1")
    session.following = True
    link.samples.clear()
    link.stand((0.0, 0.0), (3.0, 2.0))
    session.update(1.0)
    assert session.camera.centre[:2] == pytest.approx((3.0, 2.0))
    mouse_tool = MouseTool(session)
    mouse_tool.press(5.0, 5.0, "right")
    mouse_tool.drag(60.0, 60.0)
    assert not session.following


def test_what_is_gone_is_selected_no_more(session: ViewerSession, link: StandinLink) -> None:
    session.select("box1")
    assert link.scene is not None
    link.scene = replace(link.scene, generation=2, entities=link.scene.entities[:1])
    session.update(1.0)
    assert session.entity("box1") is None
    assert session.pose(session.selected) is None


def test_a_scene_is_first_looked_at_as_its_file_says() -> None:
    cameras = {}
    for camera in ("", "top", "robot1", "nobody"):
        link = StandinLink()
        link.facts = replace(link.facts, camera=camera)
        viewer = cameras[camera] = ViewerSession(link)  # type: ignore[arg-type]
        viewer.update(0.0)
    assert cameras["top"].camera.pitch > cameras[""].camera.pitch
    assert cameras["robot1"].following
    assert cameras["robot1"].selected == "robot1"
    assert cameras["nobody"].camera.pitch == cameras[""].camera.pitch
    assert "nobody" in cameras["nobody"].notes[-1]


def test_another_run_at_the_same_address_is_shown_with_its_own_world(session: ViewerSession, link: StandinLink) -> None:
    """Layouts of both runs have the same number, and bodies the same names."""
    entities = link.scene.entities if link.scene else ()
    link.scene = SceneView(1, 0, tuple(entity for entity in entities if entity.name != "wall1"))
    link.samples.clear()
    for number in range(3):
        link.stand((0.0, 0.0), (1.0, 0.0), time=0.1 * number, arrived=20.0 + 0.1 * number, run=2)
    session.update(20.2)
    assert session.entity("wall1") is None
    session.seek(0.05)
    session.update(20.3)
    assert session.is_past
    assert session.entity("wall1") is None


def test_another_run_is_shown_from_the_beginning(session: ViewerSession) -> None:
    """Nothing that was chosen, hidden, marked or followed in the run before is left."""
    session.select("box1")
    session.following = True
    session.hidden.add("wall1")
    session.locked.add("robot1")
    next_link = StandinLink()
    session.attend(next_link)  # type: ignore[arg-type]
    assert session.link is next_link
    assert not session.following
    assert (session.selected, session.hidden, session.locked, session.values) == ("", set(), set(), {})
    assert session.names == ()
    session.update(1.0)
    assert "box1" in session.names
