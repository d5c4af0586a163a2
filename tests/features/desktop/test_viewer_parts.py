"""Objects are composed of parts in the window, kept by a save, and every change is taken back."""

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from viewer_simulations import SimulationLink

from coopsim.features.desktop.part_list import PartList
from coopsim.features.desktop.session import ViewerSession
from coopsim.robots import load
from coopsim.scene.object_part import MOST_PARTS, ObjectPart

SCENE = "[ROBOT_1]\ntype single\nname robot1\nposition 0 0 0\n"
CRATE = "[OBJECT_1]\ntype box\nname crate\nsize 1 0.5 0.4\nposition 2 1 0\nmass 4\ncolor 10 20 30\n"


@pytest.fixture(scope="module")
def link(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimulationLink]:
    file = tmp_path_factory.mktemp("parts") / "a.scenario"
    file.write_text(SCENE, encoding="utf-8")
    link = SimulationLink(str(file))
    yield link
    link.close()


@pytest.fixture
def session(link: SimulationLink) -> ViewerSession:
    link.client.world.reset()
    link.client.world.insert(CRATE)
    return ViewerSession(link)  # type: ignore[arg-type]


@pytest.fixture
def parts(session: ViewerSession) -> PartList:
    part_list = PartList(session)
    see(session, part_list)
    return part_list


def see(session: ViewerSession, parts: PartList) -> None:
    for _ in range(4):
        session.update(1.0)
        parts.watch("crate")


def masses(link: SimulationLink) -> list[float]:
    """Return the mass of the crate and the shares of its shapes; 0 = what is left."""
    (body,) = (body for body in link.simulation.scene.bodies if body.name == "crate")
    return [body.mass, *(shape.share for shape in body.shapes)]


def test_parts_are_added_changed_removed_and_taken_back(
    session: ViewerSession, parts: PartList, link: SimulationLink
) -> None:
    assert parts.parts == {}
    parts.add("cylinder")
    see(session, parts)
    assert parts.parts == {1: ObjectPart("cylinder", (0.3, 0.3, 0.3), (0.65, 0.0, 0.0), 1, 1.0)}
    assert masses(link) == pytest.approx([4.0, 0.0, 0.25])
    wanted = replace(parts.parts[1], shape="box", size=(0.2, 0.4, 0.6), position=(0.0, 0.0, 0.4), mass=3.0)
    parts.put(1, replace(wanted, color=(1.0, 0.0, 0.0)))
    see(session, parts)
    assert masses(link) == pytest.approx([4.0, 0.0, 0.75])
    row = session.entity("crate")
    assert row is not None
    assert [(part.size, part.color) for part in row.drawn()][1] == ((0.2, 0.4, 0.6), (1.0, 0.0, 0.0))
    parts.put(1, replace(parts.parts[1], orientation=(0.0, 0.0, math.pi / 2.0)))
    see(session, parts)
    assert parts.parts[1].orientation == pytest.approx((0.0, 0.0, math.pi / 2.0))
    parts.put(1, replace(parts.parts[1], orientation=(0.5, 0.0, 0.0)))  # pymunk holds no tilted one
    see(session, parts)
    assert parts.parts[1].orientation == pytest.approx((0.0, 0.0, math.pi / 2.0))
    assert "a part of it is tilted" in str(session.notes.pop())
    parts.remove(1)
    see(session, parts)
    assert (parts.parts, len(masses(link))) == ({}, 2)
    for expected in ({1: "box"}, {1: "box"}, {1: "cylinder"}, {}):
        session.editor.history.undo()
        see(session, parts)
        assert {number: part.shape for number, part in parts.parts.items()} == expected
    assert session.notes == type(session.notes)()


def test_balls_and_cylinders_stay_round_and_numbers_are_filled_up(session: ViewerSession, parts: PartList) -> None:
    for shape in ("box", "sphere", "box"):
        parts.add(shape)
        see(session, parts)
    parts.put(2, replace(parts.parts[2], size=(0.5, 0.1, 0.2)))
    parts.remove(1)
    see(session, parts)
    assert [*parts.parts] == [2, 3]
    assert parts.parts[2].size == (0.5, 0.5, 0.5)
    parts.add("cylinder")
    see(session, parts)
    parts.put(1, replace(parts.parts[1], size=(0.4, 0.1, 0.2)))
    see(session, parts)
    assert parts.parts[1].size == (0.4, 0.4, 0.2)


def test_a_save_keeps_parts_as_lines_of_the_section(
    session: ViewerSession, parts: PartList, link: SimulationLink, tmp_path: Path
) -> None:
    parts.add("sphere")
    see(session, parts)
    folder = Path(link.simulation.spec.scenario.file).parent
    saved = link.client.world.save(str(folder / "saved.scenario")).files[-1]
    (crate,) = (thing for thing in load(saved).scenario.world.objects if thing.name == "crate")
    assert [(part.shape, part.number, part.mass) for part in crate.parts] == [("sphere", 1, 1.0)]


def test_what_cannot_be_is_told(session: ViewerSession, parts: PartList) -> None:
    parts.add("box")
    see(session, parts)
    parts.put(1, replace(parts.parts[1], mass=9.0))
    see(session, parts)
    assert "the parts weigh 9 kg" in session.notes[-1]
    parts.parts = dict.fromkeys(range(1, MOST_PARTS), parts.parts[1])
    parts.add("box")
    assert "at most" not in session.notes[-1]
    parts.parts = dict.fromkeys(range(1, MOST_PARTS + 1), parts.parts[1])
    parts.add("box")
    assert session.notes[-1] == f"crate: an object has at most {MOST_PARTS} parts"


def test_a_part_that_another_client_changed_is_not_taken_back(
    session: ViewerSession, parts: PartList, link: SimulationLink
) -> None:
    parts.add("box")
    see(session, parts)
    link.client.world.update("crate", "part_1 box 0.4 0.2 0.2 2 0 0 mass 1")
    see(session, parts)
    session.editor.history.undo()
    see(session, parts)
    assert session.notes[-1] == "crate was changed by somebody else since: its part_1 stays"
    assert parts.parts[1].position == (2.0, 0.0, 0.0)
