"""Polygons, lamps, conveyor belts and doors in the window: inserted, changed, taken back, saved and loaded again."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyglet.window import key
from test_first_edits import typed
from test_first_user import keep
from test_viewer_managers import at, click, drag, frame, press, show
from viewer_simulations import SimulationLink

from coopsim.features.beginnings import templates
from coopsim.features.desktop.application import Application
from coopsim.features.desktop.changes import Rebuilt
from coopsim.features.desktop.placing import differing, outline_of
from coopsim.features.desktop.ui.widgets import PLACES

TRIANGLE = "-0.4 -0.3  0.4 -0.3  0 0.3"
ARTIFACTS = {"lamp1": "lamp", "conveyor1": "belt", "door1": "leaf"}
"""Each with the module that makes it one."""


@pytest.fixture(scope="module")
def application(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    file = tmp_path_factory.mktemp("things") / "a.scenario"
    file.write_text("[ROBOT_1]\ntype single\nname robot1\nposition -3 -3 0\n", encoding="utf-8")
    window = Application(SimulationLink(str(file)), (1280, 1000))  # type: ignore[arg-type]
    window.settings.quality = "low"
    frame(window, 6)
    yield window
    window.close()


def drop(application: Application, what: str, across: float, down: float) -> None:
    """Drag something out of the palette to a share of the picture."""
    left, top, width, high = application.view
    drag(application, f"palette.{what}", (round(left + across * width), round(1000 - top - down * high)))
    frame(application, 3)


def row_of(application: Application, name: str) -> Any:
    row = application.session.entity(name)
    assert row is not None, list(application.session.notes)
    return row


def test_a_polygon_is_dropped_gets_other_corners_and_goes_back(application: Application) -> None:
    drop(application, "polygon", 0.4, 0.5)
    assert application.session.selected == "polygon1"
    before = outline_of(row_of(application, "polygon1"))
    assert len(before.split()) == 12
    show(application, "Objects")
    assert "objects.polygon.points" in PLACES
    click(application, "objects.polygon.points")
    typed(application, TRIANGLE)
    row = row_of(application, "polygon1")
    assert (outline_of(row), row.size) == (TRIANGLE, pytest.approx((0.8, 0.6, 0.5)))
    keep(application, "polygon")
    click(application, "objects.polygon.points")
    typed(application, "0 0 1 1")
    assert any("at least 3 points" in note for note in application.session.notes), list(application.session.notes)
    assert outline_of(row_of(application, "polygon1")) == TRIANGLE
    press(application, key.Z, key.MOD_CTRL)
    assert outline_of(row_of(application, "polygon1")) == before
    press(application, key.Y, key.MOD_CTRL)
    application.session.select("polygon1")
    press(application, key.DELETE)
    frame(application, 3)
    assert application.session.entity("polygon1") is None
    press(application, key.Z, key.MOD_CTRL)
    frame(application, 3)
    assert outline_of(row_of(application, "polygon1")) == TRIANGLE


def test_artifacts_are_dropped_changed_in_the_manager_deleted_and_taken_back(application: Application) -> None:
    for number, (name, module) in enumerate(ARTIFACTS.items()):
        kind = templates.ARTIFACTS[number]
        drop(application, f"artifact {kind}", 0.25 + 0.25 * number, 0.75)
        assert application.session.selected == name
        show(application, "Robots")
        frame(application, 3)
        assert f"robots./{name}/{module}" in PLACES
    click(application, f"robots./door1/{ARTIFACTS['door1']}")
    frame(application, 3)
    keep(application, "door")
    application.session.select("lamp1")
    frame(application, 3)
    click(application, "robots.color")
    typed(application, "#00FF00")
    assert row_of(application, "lamp1").color == pytest.approx((0.0, 1.0, 0.0), abs=0.01)
    press(application, key.DELETE)
    frame(application, 3)
    assert application.session.entity("lamp1") is None
    press(application, key.Z, key.MOD_CTRL)
    frame(application, 3)
    assert row_of(application, "lamp1").color == pytest.approx((0.0, 1.0, 0.0), abs=0.01)


def test_a_belt_gets_another_size_keeps_its_settings_and_goes_back(application: Application) -> None:
    client = application.session.link.client  # type: ignore[attr-defined]
    before = row_of(application, "conveyor1")
    assert before.size == pytest.approx((3.0, 0.6, 0.1))
    client.world.remove("conveyor1")
    client.world.insert("[ARTIFACT_1]\ntype conveyor\nname conveyor1\nposition 1 -2 0\nset belt.start 0.4\n")
    application.session.select("conveyor1")
    frame(application, 3)
    show(application, "Robots")
    x, y = at(application, "robots.size")
    drag(application, "robots.size", (x + 40, y))
    frame(application, 3)
    row, pose = row_of(application, "conveyor1"), application.session.pose("conveyor1")
    assert (row.size[0], row.size[2]) == pytest.approx((3.0, 0.1)), list(application.session.notes)
    assert row.size[1] > 0.7
    assert pose is not None
    assert pose[:2] == pytest.approx((1.0, -2.0))
    assert "belt.start 0.4" in " ".join(client.world.section("conveyor1").text.split())
    assert (application.session.selected, row.type) == ("conveyor1", "conveyor+conveyor1")
    (rebuilt,) = application.session.editor.history.unsaved[-1].changes
    assert isinstance(rebuilt, Rebuilt)
    assert "type conveyor\n" in rebuilt.text, "a run that recovers it knows no type of this run alone"
    keep(application, "belt")
    press(application, key.Z, key.MOD_CTRL)
    assert row_of(application, "conveyor1").size == pytest.approx((3.0, 0.6, 0.1))
    press(application, key.Y, key.MOD_CTRL)
    assert row_of(application, "conveyor1").size == pytest.approx(row.size)


def test_what_has_a_size_of_its_type_has_no_field_for_it(application: Application) -> None:
    for name in ("lamp1", "robot1"):
        application.session.select(name)
        PLACES.clear()
        frame(application, 3)
        assert "robots.color" in PLACES
        assert "robots.size" not in PLACES


def test_all_of_it_is_saved_and_loaded_again_as_it_was(application: Application) -> None:
    link: Any = application.session.link
    folder = Path(link.simulation.spec.scenario.file).parent
    drawn = {name: row_of(application, name) for name in ("polygon1", *ARTIFACTS)}
    text = link.client.world.save(str(folder / "b.scenario"))
    assert text is not None
    world = (folder / "b.world").read_text(encoding="utf-8")
    assert world.count("[ARTIFACT_") == 3, world
    assert "[ROBOT_1]" not in world
    loaded = SimulationLink(str(folder / "b.scenario"))
    try:
        loaded.deliver_answers()
        assert loaded.scene is not None
        rows = {row.name: row for row in loaded.scene.entities}
    finally:
        loaded.close()
    for name, row in drawn.items():
        assert (rows[name].type, rows[name].color) == (row.type, pytest.approx(row.color, abs=0.01))
        assert rows[name].size == pytest.approx(row.size, abs=1e-6)
        assert rows[name].pose[:2] == pytest.approx(row.pose[:2], abs=1e-3)
    assert outline_of(rows["polygon1"]) == TRIANGLE


def test_corners_that_somebody_else_changed_are_not_put_back(application: Application) -> None:
    row, pose = row_of(application, "polygon1"), application.session.pose("polygon1")
    assert pose is not None
    # the same triangle, from another corner of the floor
    assert differing({"points": "1.6 1.7  2.4 1.7  2 2.3", "height": "0.5"}, row, pose) == ""
    assert differing({"points": "1.6 1.7  2.4 1.7  2 2.9"}, row, pose) == "points"
    assert differing({"points": "0 0  1 0  1 1  0 1"}, row, pose) == "points"
    assert differing({"height": "0.7"}, row, pose) == "height"
