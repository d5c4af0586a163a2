"""Edits of a real simulation in this process: what they change, and how they are taken back."""

import math
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from viewer_simulations import SimulationLink

from coopsim.features.desktop.free_places import PendingInsertions
from coopsim.features.desktop.mouse_tool import MouseTool
from coopsim.features.desktop.placing import entries_of
from coopsim.features.desktop.session import ViewerSession
from coopsim.geometry import quaternion

SCENE = """[ROBOT_1]
type single
name robot1
position 0 0 0

[TARGET]
red 4 3 0
"""
CRATE = "[OBJECT_1]\ntype box\nname crate\nsize 1 0.5 0.4\nposition 2 1 0\nmass 3\ncolor 10 20 30\nrestitution 0.4\n"


@pytest.fixture(scope="module")
def link(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimulationLink]:
    file = tmp_path_factory.mktemp("editing") / "a.scenario"
    file.write_text(SCENE, encoding="utf-8")
    link = SimulationLink(str(file))
    yield link
    link.close()


@pytest.fixture
def session(link: SimulationLink) -> ViewerSession:
    """Begin anew, with a crate."""
    link.client.world.reset()
    link.client.world.insert(CRATE)
    session = ViewerSession(link)  # type: ignore[arg-type]
    session.camera.size = (640, 480)
    see(session)
    return session


def see(session: ViewerSession) -> None:
    for _ in range(3):
        session.update(1.0)


def section(link: SimulationLink, name: str) -> str:
    return str(link.client.world.section(name).text)


def undo(session: ViewerSession) -> None:
    session.editor.history.undo()
    see(session)


def redo(session: ViewerSession) -> None:
    session.editor.history.redo()
    see(session)


def test_what_is_deleted_comes_back_as_it_was(session: ViewerSession, link: SimulationLink) -> None:
    before = section(link, "crate")
    session.select("crate")
    session.delete()
    see(session)
    assert session.entity("crate") is None
    undo(session)
    assert section(link, "crate") == before
    redo(session)
    assert session.entity("crate") is None


def test_an_object_a_robot_and_a_target_are_inserted_selected_and_taken_back(session: ViewerSession) -> None:
    editor = session.editor
    for insert in (
        lambda: editor.insert_new("object", "sphere", (1.0, 3.0, 0.0)),
        lambda: editor.insert_new("robot", "scout", (-2.0, 3.0, 0.0), 1),
        lambda: editor.insert_new("target", "red", (-3.0, 3.0, 0.0)),
    ):
        insert()
        see(session)
    inserted = ("sphere1", "robot2", "red_2")
    assert [session.entity(name) is not None for name in inserted] == [True] * 3
    assert session.selected == "red_2"
    for _ in inserted:
        undo(session)
    assert [session.entity(name) for name in inserted] == [None] * 3
    for _ in inserted:
        redo(session)
    assert session.pose("robot2")[:2] == (-2.0, 3.0)  # type: ignore[index]


def test_two_insertions_at_once_have_names_and_places_of_their_own(session: ViewerSession) -> None:
    before = set(session.names)
    for _ in range(2):
        session.insert("robot team2")
        session.insert("robot single")
    see(session)
    inserted = sorted(set(session.names) - before)
    singles = [name for name in inserted if "/" not in name]
    assert len(singles) == 2
    assert len({name.partition("/")[0] for name in inserted}) == 4
    first, second = (np.array(session.pose(name)) for name in singles)
    assert np.hypot(*(first - second)[:2]) > 0.5
    for _ in range(4):
        undo(session)
    assert set(session.names) == before
    session.insert("robot single")
    see(session)
    assert singles[0] in session.names
    undo(session)


def seen(*names: str) -> Any:
    return SimpleNamespace(names=names)


def test_names_and_places_that_never_come_are_free_again() -> None:
    now = [0.0]
    pending = PendingInsertions(lambda: now[0])
    pending.add("team1", (1.0, 2.0))
    now[0] = 2.0
    pending.add("box1", (3.0, 4.0))
    pending.add("box3", (5.0, 6.0))
    pending.forget(seen("box2"), ("box3",))
    assert (pending.names, pending.places.tolist()) == (("team1", "box1"), [[1.0, 2.0], [3.0, 4.0]])
    pending.forget(seen("team1/leader"))
    assert pending.names == ("box1",)
    now[0] = 6.0
    pending.forget(seen(), is_waiting=True)
    assert pending.names == ("box1",), "an engine may take long to answer"
    now[0] = 9.0
    pending.forget(seen())
    assert pending.names == ("box1",), "it is seen some time after the answer"
    now[0] = 10.0
    pending.forget(seen())
    assert pending.places.shape == (0, 2)


def test_a_team_is_inserted_and_taken_back_as_a_whole(session: ViewerSession) -> None:
    session.editor.insert({"pair": "[ROBOT_1]\ntype team2\nname pair\nposition -3 -3 0\n"})
    see(session)
    assert "pair/leader" in session.names
    undo(session)
    assert not [name for name in session.names if name.startswith("pair")]


def test_copies_stand_beside_what_was_selected_with_all_that_it_is(
    session: ViewerSession, link: SimulationLink
) -> None:
    session.choose(["crate", "robot1", "red"])
    session.duplicate()
    see(session)
    copy = section(link, "crate2")
    assert "restitution 0.4" in " ".join(copy.split())
    assert session.pose("crate2")[:2] == pytest.approx((3.3, 1.0))  # type: ignore[index]
    assert set(session.chosen) == {"crate2", "robot2", "red_2"}
    undo(session)
    assert not {"crate2", "robot2", "red_2"} & set(session.names)


def test_an_update_of_size_mass_and_colour_is_taken_back(session: ViewerSession) -> None:
    session.editor.update("crate", {"size": "0.8 0.8 0.8", "mass": "5", "color": "0.5 0.25 0.125"})
    see(session)
    row = session.entity("crate")
    assert row is not None
    assert (row.size, row.mass, row.color) == ((0.8, 0.8, 0.8), 5.0, (0.5, 0.25, 0.125))
    undo(session)
    row = session.entity("crate")
    assert row is not None
    assert (row.size, row.mass) == ((1.0, 0.5, 0.4), 3.0)
    assert row.color == pytest.approx((10 / 255, 20 / 255, 30 / 255))


@pytest.mark.parametrize(("old", "new"), [("robot1", "anna"), ("crate", "chest"), ("red", "blue")])
def test_another_name_keeps_everything_else_and_is_taken_back(
    session: ViewerSession, link: SimulationLink, old: str, new: str
) -> None:
    before, pose = section(link, old), session.pose(old)
    session.editor.rename(old, new, session.names)
    see(session)
    assert (session.entity(old), session.selected) == (None, new)
    assert session.pose(new) == pytest.approx(pose)
    assert section(link, new).split() == before.replace(old, new).split()
    assert session.editor.history.next_undo == f"rename {old} to {new}"
    undo(session)
    assert (session.entity(new), section(link, old)) == (None, before)
    redo(session)
    assert session.entity(new) is not None
    link.client.world.remove(new)
    see(session)
    undo(session)
    assert session.notes[-1] == f"{new} is gone: there is nothing to rename"


@pytest.mark.parametrize("name", ["crate", "a/b", "sim"])
def test_a_name_that_cannot_be_is_told_and_nothing_changes(session: ViewerSession, name: str) -> None:
    names = session.names
    session.editor.rename("robot1", name, session.names)
    see(session)
    assert session.names == names
    assert "robot1 keeps its name: " in session.notes[-1]
    assert not session.editor.history.can_undo


def test_what_was_pulled_is_put_back_where_it_was_grabbed(session: ViewerSession, link: SimulationLink) -> None:
    session.camera.turn_to("top")
    begin = session.pose("crate")
    assert begin is not None
    mouse_tool = MouseTool(session)
    mouse_tool.press(*pixel(session, *begin[:2], 0.4), "left", alt=True)
    mouse_tool.drag(*pixel(session, begin[0] + 2.0, begin[1], 0.4))
    mouse_tool.advance()
    for _ in range(40):
        link.simulation.tick()
    see(session)
    mouse_tool.release(0.0, 0.0)
    see(session)
    pulled = session.pose("crate")
    assert pulled is not None
    assert pulled[0] > begin[0] + 0.05
    assert session.editor.history.next_undo == "pull crate"
    for _ in range(20):
        link.simulation.tick()
    undo(session)
    assert session.pose("crate") == pytest.approx(begin, abs=1e-4)
    assert session.editor.history.next_redo == "pull crate"
    redo(session)
    again = session.pose("crate")
    assert again is not None
    assert again[0] > begin[0] + 0.05


@pytest.mark.parametrize(
    ("theirs", "reason"),
    [
        ("position 5 5 0", "crate was moved by somebody else since"),
        ("color 9 9 9", "crate was changed by somebody else since"),
        ("mass 1", "crate was changed by somebody else since"),
    ],
)
def test_what_another_client_changed_is_not_taken_back(
    session: ViewerSession, link: SimulationLink, theirs: str, reason: str
) -> None:
    session.editor.update("crate", {"position": "3 3 0", "color": "1 0 0", "mass": "7"})
    see(session)
    link.client.world.update("crate", theirs)
    see(session)
    before = section(link, "crate")
    undo(session)
    assert section(link, "crate") == before
    assert reason in session.notes[-1]
    assert not session.editor.history.can_undo


def test_what_another_client_removed_or_named_alike_is_told(session: ViewerSession, link: SimulationLink) -> None:
    session.editor.update("crate", {"mass": "7"})
    see(session)
    link.client.world.remove("crate")
    see(session)
    undo(session)
    assert "crate is gone" in session.notes[-1]
    link.client.world.insert(CRATE)
    see(session)
    session.select("crate")
    session.delete()
    see(session)
    link.client.world.insert(CRATE)
    see(session)
    undo(session)
    assert "another crate" in session.notes[-1]


def test_a_robot_that_went_on_by_itself_is_still_put_back(session: ViewerSession, link: SimulationLink) -> None:
    session.editor.move({"robot1": (-1.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0)})
    see(session)
    with link.server.connect() as other_client:
        for _ in range(60):
            other_client.robot("robot1").motors.set_velocity(0.5, 0.0)
    see(session)
    assert session.pose("robot1")[0] > -0.95  # type: ignore[index]
    undo(session)
    assert session.pose("robot1")[:2] == pytest.approx((0.0, 0.0))  # type: ignore[index]


def test_a_tilted_pose_is_said_with_all_three_angles() -> None:
    turn = quaternion(math.radians(5.0), math.radians(-12.0), math.radians(170.0))
    assert entries_of((1.0, -0.0, 0.5, *turn)) == {"position": "1 0 0.5", "orientation": "5 -12 170"}


def test_everything_selected_is_dragged_together_and_put_back_together(session: ViewerSession) -> None:
    mouse_tool = MouseTool(session)
    session.choose(["robot1", "crate"])
    crate, robot = session.pose("crate"), session.pose("robot1")
    assert crate is not None
    assert robot is not None
    begin = pixel(session, *crate[:2], 0.3)
    mouse_tool.press(*begin, "left")
    mouse_tool.drag(begin[0] + 60.0, begin[1] - 30.0)
    mouse_tool.release(begin[0] + 60.0, begin[1] - 30.0)
    see(session)
    moved, also = session.pose("crate"), session.pose("robot1")
    assert moved is not None
    assert also is not None
    way = (moved[0] - crate[0], moved[1] - crate[1])
    assert abs(way[0]) + abs(way[1]) > 0.3
    assert (also[0] - robot[0], also[1] - robot[1]) == pytest.approx(way, abs=1e-4)
    undo(session)
    assert session.pose("crate") == pytest.approx(crate)
    assert session.pose("robot1") == pytest.approx(robot)


def test_a_rubber_band_and_ctrl_clicks_select_several(session: ViewerSession) -> None:
    mouse_tool = MouseTool(session)
    mouse_tool.press(1.0, 1.0, "left")
    mouse_tool.drag(639.0, 479.0, shift=True)
    assert mouse_tool.band is not None
    mouse_tool.release(639.0, 479.0)
    assert set(session.chosen) == {"robot1", "crate", "red"}
    place = pixel(session, 2.0, 1.0, 0.4)
    for expected in ({"robot1", "red"}, {"robot1", "red", "crate"}):
        mouse_tool.press(*place, "left")
        mouse_tool.release(*place, add=True)
        assert set(session.chosen) == expected


def test_what_is_locked_is_neither_dragged_nor_deleted(session: ViewerSession) -> None:
    session.lock("crate", locked=True)
    mouse_tool, place = MouseTool(session), pixel(session, 2.0, 1.0, 0.4)
    mouse_tool.press(*place, "left")
    mouse_tool.drag(place[0] + 50.0, place[1])
    assert mouse_tool.previews == {}
    mouse_tool.release(place[0] + 50.0, place[1])
    session.choose(["crate", "red"])
    assert session.editable == ("red",)


def test_a_refused_part_leaves_the_others_and_they_are_taken_back(session: ViewerSession) -> None:
    poses = {name: session.pose(name) for name in ("crate", "red")}
    crate, red = poses["crate"], poses["red"]
    assert crate is not None
    assert red is not None
    far = (1e9, *crate[1:])
    session.editor.move({"crate": far, "red": (1.0, 1.0, *red[2:])})
    see(session)
    assert session.pose("crate") == pytest.approx(crate)
    assert session.pose("red")[:2] == (1.0, 1.0)  # type: ignore[index]
    undo(session)
    assert session.pose("red") == pytest.approx(red)


def pixel(session: ViewerSession, x: float, y: float, z: float) -> tuple[float, float]:
    (point,), _ = session.camera.project(np.array([[x, y, z]]))
    return float(point[0]), float(point[1])
