"""The window with its widgets, drawn in memory and driven by events."""

import runpy
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyglet import gl
from pyglet.window import key, mouse
from viewer_live import frames, window_picture
from viewer_scenes import patch
from viewer_standins import StandinLink

from coopsim.features.desktop.application import Application
from coopsim.features.desktop.playback_facts import PlaybackFacts
from coopsim.features.desktop.screen import RATES
from coopsim.features.desktop.ui.style import BAD, WARN, background, written
from coopsim.features.desktop.ui.widgets import FOCUSED, PLACES

SIZE = (820, 480)


@pytest.fixture(scope="module")
def application() -> Iterator[Application]:
    application = Application(StandinLink(), SIZE)  # type: ignore[arg-type]
    yield application
    application.close()


@pytest.fixture
def link(application: Application) -> StandinLink:
    """Begin anew."""
    link = StandinLink()
    session = application.session
    session.attend(link)  # type: ignore[arg-type]
    frame(application)
    return link


def frame(application: Application, count: int = 2) -> None:
    frames(application, count)


def pixel_of(application: Application, x: float, y: float, z: float) -> tuple[int, int]:
    """Where a point of the world is in the window, from its lower left corner."""
    left, top, _, high = application.view
    (pixel,), _ = application.session.camera.project(np.array([[x, y, z]]))
    return round(left + pixel[0]), round(application.window.height - top - high + pixel[1])


def test_the_picture_is_begun_before_panels_are_made(
    application: Application, link: StandinLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    for owner, name in ((application._picture, "draw"), (application._docks, "draw"), (application._picture, "show")):
        label, work = f"{type(owner).__name__}.{name}", getattr(owner, name)

        def noted(*values: Any, label: str = label, work: Callable[..., Any] = work, **options: Any) -> Any:
            order.append(label)
            return work(*values, **options)

        monkeypatch.setattr(owner, name, noted)
    application.draw()
    assert order == ["ScenePicture.draw", "DockArea.draw", "ScenePicture.show"]
    application.draw(widgets=False)
    assert order[3:] == ["ScenePicture.draw", "ScenePicture.show"]


def click(application: Application, x: int, y: int) -> None:
    for name in ("on_mouse_press", "on_mouse_release"):
        application.window.dispatch_event("on_mouse_motion", x, y, 0, 0)
        frame(application)
        application.window.dispatch_event(name, x, y, mouse.LEFT, 0)
        frame(application)


def press(application: Application, symbol: int, modifiers: int = 0) -> None:
    application.window.dispatch_event("on_key_press", symbol, modifiers)
    application.window.dispatch_event("on_key_release", symbol, modifiers)
    frame(application)


def test_the_picture_lies_between_the_panels(application: Application, link: StandinLink) -> None:
    picture = window_picture(application, 2)
    red, green, blue = patch(picture, *pixel_of(application, 0.0, 0.0, 1.0))
    assert red > 1.5 * max(green, blue)
    for x, y in ((5, 60), (SIZE[0] - 6, 60), (400, SIZE[1] - 60)):
        assert patch(picture, x, y).max() < 80


def test_between_frames_of_the_widgets_the_picture_goes_on_and_they_stay(
    application: Application, link: StandinLink
) -> None:
    before = window_picture(application, 2)
    link.samples.clear()
    link.stand((0.6, 0.0), (2.0, -1.0), time=1.0, arrived=1.0)
    x, y = pixel_of(application, 0.6, 0.0, 1.0)
    after = window_picture(application, 1, widgets=False)
    left, top, width, _ = (round(edge) for edge in application.view)
    assert np.abs(patch(after, x, y) - patch(before, x, y)).max() > 20
    assert (after[:, :left] == before[:, :left]).all()
    assert (after[:top] == before[:top]).all()
    assert (after[:, left + width + 2 :] == before[:, left + width + 2 :]).all()


def test_widgets_are_asked_again_for_input_and_when_they_are_old(application: Application, link: StandinLink) -> None:
    frame(application)
    layer, seldom, often = application._layer, 1e-9, 1e9
    assert not layer.is_due(seldom)
    assert layer.is_due(often)
    application.window.dispatch_event("on_mouse_motion", 12, 13, 0, 0)
    application.window.dispatch_events()
    assert layer.is_due(seldom)
    frame(application)
    assert not layer.is_due(seldom)


def test_a_click_in_the_picture_selects_and_the_inspector_shows_it(application: Application, link: StandinLink) -> None:
    before = window_picture(application, 2)
    click(application, *pixel_of(application, 2.0, -1.0, 0.3))
    assert application.session.selected == "robot1"
    right = SIZE[0] - 270
    assert np.abs(window_picture(application, 2)[:, right:].astype(int) - before[:, right:]).max() > 100


def test_what_the_mouse_does_is_said_until_something_is_selected(application: Application, link: StandinLink) -> None:
    sides = {"Scene", "Palette", "Inspector", "Objects", "Robots", "Targets"}
    application.settings.closed |= sides
    picture = window_picture(application, 4).astype(int)
    left, top, _, height = (round(edge) for edge in application.view)
    lower = slice(top + height - 26, top + height - 16), slice(left + 10, left + 300)
    application.session.select("robot1")
    assert picture[lower].mean() < window_picture(application, 2).astype(int)[lower].mean() - 30.0
    application.settings.closed -= sides
    frame(application, 4)


def test_keys_play_turn_layers_off_and_look_from_above(application: Application, link: StandinLink) -> None:
    press(application, key.SPACE)
    press(application, key._2)
    press(application, key.L)
    assert link.asked == [("/sim/clock", "pause")]
    assert application.session.camera.pitch > 1.5
    assert not application.session.layers.labels
    press(application, key.L)
    press(application, key._1)


def test_a_drag_moves_the_ghost_and_asks_the_world(application: Application, link: StandinLink) -> None:
    begin, end = pixel_of(application, 0.0, 0.0, 1.0), pixel_of(application, 1.5, 0.0, 1.0)
    window = application.window
    window.dispatch_event("on_mouse_motion", *begin, 0, 0)
    frame(application)
    window.dispatch_event("on_mouse_press", *begin, mouse.LEFT, 0)
    window.dispatch_event("on_mouse_drag", *end, 0, 0, mouse.LEFT, 0)
    picture = window_picture(application, 2)
    red, green, _ = patch(picture, *end)
    assert red > 1.3 * green
    window.dispatch_event("on_mouse_release", *end, mouse.LEFT, 0)
    frame(application)
    assert link.asked[-1][:3] == ("/sim/world", "update", "box1")


def test_a_rubber_band_is_drawn_and_selects_what_lies_in_it(application: Application, link: StandinLink) -> None:
    window, (left, top, width, high) = application.window, application.view
    begin = round(left) + 4, round(window.height - top - high) + 4
    end = round(left + width) - 4, round(window.height - top) - 4
    before = window_picture(application, 2)
    window.dispatch_event("on_mouse_motion", *begin, 0, 0)
    frame(application)
    window.dispatch_event("on_mouse_press", *begin, mouse.LEFT, key.MOD_SHIFT)
    window.dispatch_event("on_mouse_drag", *end, 0, 0, mouse.LEFT, key.MOD_SHIFT)
    after = window_picture(application, 2)
    sample = patch(after, begin[0] + 30, begin[1] + 10), patch(before, begin[0] + 30, begin[1] + 10)
    assert sample[0][2] - sample[0][0] > sample[1][2] - sample[1][0] + 15  # bluer
    window.dispatch_event("on_mouse_release", *end, mouse.LEFT, key.MOD_SHIFT)
    frame(application)
    assert set(application.session.chosen) == {"box1", "robot1"}


def test_a_lost_simulation_is_a_banner_over_a_living_window(application: Application, link: StandinLink) -> None:
    before = window_picture(application, 2)
    link.facts = replace(link.facts, connection="lost", problem="nobody answers")
    after = window_picture(application, 2)
    left, top, width, _ = application.view
    banner = (slice(int(top) + 20, int(top) + 80), slice(int(left + width / 2) - 60, int(left + width / 2) + 60))
    assert after[banner].mean() < 0.6 * before[banner].mean()
    link.facts = replace(link.facts, problem="no reply from /sim/clock within 1 s: " + "is a simulation running? " * 8)
    wide = window_picture(application, 2)
    edge = (banner[0], slice(int(left) + 1, int(left) + 8))
    assert np.abs(wide[edge].astype(int) - after[edge]).max() < 40  # its box stays within the picture
    lower = (slice(int(top) + 84, int(top) + 100), banner[1])
    assert wide[lower].mean() < 0.6 * after[lower].mean()  # with more lines
    click(application, *pixel_of(application, 2.0, -1.0, 0.3))
    assert application.session.selected == "robot1"


def test_a_click_into_the_timeline_seeks(application: Application, link: StandinLink) -> None:
    link.facts = replace(link.facts, playback=PlaybackFacts(0.0, 10.0, 0.0, False, 1.0))
    frame(application)
    left, _, width, _ = application.view
    click(application, round(left + width / 2), 60)
    sought = [request[2] for request in link.asked if request[:2] == ("/sim/playback", "seek")]
    assert sought
    assert sought[-1] == pytest.approx(5.0, abs=0.5)


def test_the_menu_opens_and_saves_a_screenshot(
    application: Application, link: StandinLink, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("menu.File", "menu.Screenshot"):
        x, y = PLACES[name]
        click(application, round(x), round(SIZE[1] - y))
    assert (tmp_path / "test-1.png").stat().st_size > 1000
    assert "saved" in application.session.notes[-1]


def test_hundreds_of_frames_leave_nothing_on_the_graphics_card(application: Application, link: StandinLink) -> None:
    def used() -> int:
        return sum(bool(gl.glIsBuffer(n)) + bool(gl.glIsTexture(n)) for n in range(1, 2000))

    frame(application, 5)
    before = used()
    for generation in range(2, 12):
        assert link.scene is not None
        link.scene = replace(link.scene, generation=generation)
        frame(application, 3)
    assert used() == before


def test_a_layout_without_panels_leaves_all_to_the_picture(application: Application, link: StandinLink) -> None:
    _, _, width, _ = application.view
    application.settings.arrange("game-ready")
    frame(application)
    assert application.view[2] == SIZE[0] > width
    application.settings.arrange("default")
    frame(application, 4)
    assert application.view[2] == pytest.approx(width, abs=2)


def test_the_light_theme_has_dark_words_on_light_panels(application: Application, link: StandinLink) -> None:
    dark = window_picture(application, 2)[SIZE[1] - 100 :, :200]
    application.settings.theme = "light"
    light = window_picture(application, 2)[SIZE[1] - 100 :, :200]
    application.settings.theme = "dark"
    assert np.median(dark) < 60
    assert np.median(light) > 200


def test_words_in_colours_can_be_read_in_both_themes(application: Application, link: StandinLink) -> None:
    for theme in ("light", "dark"):
        application.settings.theme = theme
        frame(application)
        ground = _luminance(*background(theme))
        for color in (WARN, BAD):
            color_on_screen = written(color)
            low, high = sorted((ground, _luminance(color_on_screen.x, color_on_screen.y, color_on_screen.z)))
            assert (high + 0.05) / (low + 0.05) > 4.5  # contrast as the WCAG 2.1 wants it


def _luminance(*color: float) -> float:
    red, green, blue = (
        channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4 for channel in color
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_a_drag_with_shift_on_the_timeline_chooses_what_is_repeated(
    application: Application, link: StandinLink
) -> None:
    link.facts = replace(link.facts, playback=PlaybackFacts(0.0, 10.0, 0.0, False, 1.0))
    frame(application)
    left, _, width, _ = application.view
    begin, end = round(left + 0.25 * width), round(left + 0.75 * width)
    window = application.window
    window.dispatch_event("on_mouse_motion", begin, 60, 0, 0)
    frame(application)
    window.dispatch_event("on_mouse_press", begin, 60, mouse.LEFT, key.MOD_SHIFT)
    frame(application)
    window.dispatch_event("on_mouse_drag", end, 60, 0, 0, mouse.LEFT, key.MOD_SHIFT)
    frame(application)
    window.dispatch_event("on_mouse_release", end, 60, mouse.LEFT, 0)
    press(application, key.LSHIFT)
    ((target, command, *times),) = link.asked
    assert (target, command) == ("/sim/playback", "loop")
    assert times == pytest.approx([2.5, 7.5], abs=0.4)


def test_keys_and_cursor_go_on_along_the_line_of_a_recording_whose_run_was_reset(
    application: Application, link: StandinLink
) -> None:
    """After 6 s the run was reset, and 2 s more were recorded: the cursor is at 8 s of 10, not at 2."""
    link.facts = replace(link.facts, playback=PlaybackFacts(0.0, 10.0, 8.0, False, 1.0, None, 6.0))
    link.stand((0.0, 0.0), (2.0, -1.0), time=2.0, arrived=1.0)
    application.settings.entering = "Timeline"
    frame(application)
    for _ in range(20):
        if FOCUSED == ["timeline.scrub"]:
            break
        press(application, key.TAB)
    assert FOCUSED == ["timeline.scrub"]
    left, top = PLACES["timeline.scrub"]
    shown = window_picture(application, 2)
    press(application, key.LEFT)
    assert link.asked == [("/sim/playback", "seek", pytest.approx(7.9))]
    link.facts = replace(link.facts, playback=replace(link.facts.playback, shift=0.0))
    line = slice(round(top) - 4, round(top) + 5)
    changed = np.abs(window_picture(application, 2)[line].astype(int) - shown[line]).sum(axis=(0, 2))
    width = 2.0 * (left - application.view[0])
    assert changed[round(left + 0.25 * width) : round(left + 0.35 * width)].any(), "the cursor was there"
    assert changed[round(left - 0.35 * width) : round(left - 0.25 * width)].any()


def test_a_recording_offers_no_edits_and_all_buttons_of_its_timeline(
    application: Application, link: StandinLink
) -> None:
    link.facts = replace(link.facts, playback=PlaybackFacts(0.0, 1000.0, 999.0, False, 1.0, (1.0, 2.0)))
    link.stand((0.0, 0.0), (2.0, -1.0), time=999.0, arrived=1.0)
    application.session.choose(["box1"])
    frame(application)
    for name in ("palette.box", "objects.box", "objects.delete", "objects.position"):
        x, y = PLACES[name]
        click(application, round(x), round(application.window.height - y))
    assert not link.asked
    left, _, width, _ = application.view
    assert PLACES["timeline.continue from here: a new run, beside this one"][0] < left + width - 12
    for name in ("undo", "redo"):
        getattr(application.session.editor.history, name)()
    assert not link.asked


def test_the_mouse_rotates_translates_and_zooms(application: Application, link: StandinLink) -> None:
    """C-54: the left button rotates, the right one translates, the wheel zooms."""
    window, camera = application.window, application.session.camera
    left, top, width, high = application.view
    begin = round(left + 0.9 * width), round(window.height - top - 0.85 * high)
    end = begin[0] - 30, begin[1] + 10
    for button, changes in (
        (mouse.LEFT, lambda: (camera.yaw, camera.pitch)),
        (mouse.RIGHT, lambda: tuple(camera.centre[:2].tolist())),
    ):
        before, pose = changes(), (camera.yaw, *camera.centre[:2].tolist())
        under = camera.on_plane(*application._pixel(*begin), camera.centre[2])
        window.dispatch_event("on_mouse_motion", *begin, 0, 0)
        frame(application)
        window.dispatch_event("on_mouse_press", *begin, button, 0)
        window.dispatch_event("on_mouse_drag", *end, 0, 0, button, 0)
        window.dispatch_event("on_mouse_release", *end, button, 0)
        frame(application)
        assert np.abs(np.subtract(changes(), before)).max() > 0.02
        if button == mouse.LEFT:
            assert tuple(camera.centre[:2].tolist()) == pose[1:]
            assert camera.yaw > pose[0], "what is in front goes left with the mouse"
        else:
            assert camera.yaw == pose[0]
            after = camera.on_plane(*application._pixel(*end), camera.centre[2])
            assert after == pytest.approx(under, abs=0.02)  # what was grabbed stays under the mouse
    point = camera.on_plane(*application._pixel(*begin), 0.0)
    assert camera.project(np.array([[*point[:2], 0.0]]))[0][0] == pytest.approx(application._pixel(*begin), abs=0.5)
    distance = camera.distance
    window.dispatch_event("on_mouse_scroll", *begin, 0, 3)
    frame(application)
    assert camera.distance < distance


def test_ten_frames_per_second_can_be_chosen(application: Application, link: StandinLink) -> None:
    """C-25: ten frames per second, the papers' default, are one of the choices."""
    assert 10 in RATES
    application.settings.rate = 10
    frame(application)
    application.settings.rate = 60


def test_the_picture_of_the_documentation_is_the_window_of_a_scene() -> None:
    script = Path(__file__).parents[3] / "docs" / "window_figures.py"
    figures = runpy.run_path(str(script))
    arranged = []
    link = StandinLink()
    link.stand((0.0, 0.0), (2.0, -1.0), time=3.0, arrived=3.0)
    shown = figures["Shown"]("none.png", "none", 0.0, 2.0, arranged.append)
    picture = figures["picture"](link, shown, SIZE)
    assert (picture.size, len(arranged)) == (SIZE, 1)
    assert np.asarray(picture)[100:200, 300:500].std() > 5.0
    assert all((script.parent / entry.file).is_file() for entry in figures["PICTURES"].values())


def test_a_window_opens_without_compiled_kernels_metrics_and_recordings() -> None:
    modules = {
        "numba",
        "scipy",
        "coopsim.metrics",
        "coopsim.features.laws.planning",
        "coopsim.recording",
        "coopsim.simulation",
    }
    code = (
        "import sys; from coopsim.features.desktop.displays import settle; settle();"
        "import coopsim.features.desktop.application;"
        f"print(sorted({modules!r} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100, check=True)
    assert done.stdout.strip() == "[]"
