"""Panels of the window at its usual size, 1280 x 800 units, on usual and on fine displays: no field is cut off."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from imgui_bundle import imgui
from test_viewer_managers import at, click, drag
from viewer_live import frames
from viewer_simulations import SimulationLink

from coopsim.features.desktop.application import Application
from coopsim.features.desktop.ui.panel_list import Panel
from coopsim.features.desktop.ui.widgets import PLACES

SIZE = (1280, 800)
SCENE = """
[SIMULATION]
engine mujoco

[ROBOT_1]
type single
name robot1
position 0 0 0

[ROBOT_2]
type team2
name team1
position 2 2 0

[ROBOT_3]
type reacher
name arm1
position -2 1 0

[TARGET]
red 4 3 0
"""
TABS = ("Objects", "Robots", "Targets", "Plots", "Console", "Real time")


class Measured:
    """A panel that takes down how wide its content is, how much room there is for it, and how its letters are drawn.

    Attributes:
        density: Pixels of a letter for each unit, of the panel that was drawn last.
    """

    density = 0.0

    def __init__(self, panel: Panel, widths: dict[str, tuple[float, float]]) -> None:
        self._panel, self._widths = panel, widths

    def __call__(self) -> None:
        self._panel.draw()
        type(self).density = imgui.get_font_baked().rasterizer_density
        window = imgui.internal.get_current_window()
        room = window.work_rect.max.x - window.work_rect.min.x
        self._widths[self._panel.title] = window.content_size.x, room


@pytest.fixture(scope="module", params=[0.0, 2.0])
def measured(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Application, dict[str, tuple[float, float]]]]:
    file = tmp_path_factory.mktemp("sizes") / "a.scenario"
    file.write_text(SCENE, encoding="utf-8")
    application = Application(SimulationLink(str(file)), SIZE, scale=request.param)  # type: ignore[arg-type]
    application.settings.quality = "low"
    widths: dict[str, tuple[float, float]] = {}
    application._panels = tuple(replace(panel, draw=Measured(panel, widths)) for panel in application._panels)
    yield application, widths
    application.close()


@pytest.mark.parametrize("selected", ["robot1", "team1/leader", "team1/bar", "arm1", "red"])
def test_content_of_panels_is_as_wide_as_they_are_at_most(
    measured: tuple[Application, dict[str, tuple[float, float]]], selected: str
) -> None:
    application, widths = measured
    application.session.select(selected)
    for tab in TABS:
        frames(application, 2)
        imgui.set_window_focus(tab)
        # a field takes the width of its panel one frame late
        frames(application, 3)
    assert {*widths} >= {"Scene", "Palette", "Inspector", "Timeline", *TABS}
    assert {title: width for title, width in widths.items() if width[0] > width[1] + 1.0} == {}
    left, top = (min(place[axis] for place in PLACES.values()) for axis in (0, 1))
    right = max(x for x, _ in PLACES.values())
    assert (left > 0.0, top > 0.0, right < SIZE[0]) == (True, True, True)


def test_a_fine_display_has_larger_letters_handles_and_hit_areas(
    measured: tuple[Application, dict[str, tuple[float, float]]],
) -> None:
    application, _ = measured
    application.session.select("")
    scale = application.settings.scale or 1.0
    width, height = (round(scale * length) for length in SIZE)
    assert application.window.get_framebuffer_size() == (width, height)
    assert application.screenshot().shape == (height, width, 3)
    frames(application, 2)
    assert Measured.density == scale, "letters are drawn with all pixels, not stretched"
    left, top, across, up = application.view
    assert application.session.camera.size == (round(scale * across), round(scale * up))
    click(application, "menu.File")
    frames(application, 2)
    assert "menu.Scenes..." in PLACES
    click(application, "menu.File")
    x, y = application.units.in_window(left + across / 2.0, top + up / 2.0)
    drag(application, "palette.box", (round(x), round(y)))
    row = application.session.entity("box1")
    assert row is not None
    # it stands where the mouse was, which is in the middle of the picture
    middle = application.session.camera.on_plane(scale * across / 2.0, scale * up / 2.0)
    assert row.pose[:2] == pytest.approx(middle[:2], abs=0.1)
    assert at(application, "palette.box") != (round(x), round(y))
    application.session.delete()
