"""Cameras, pictures and windows drawn by MuJoCo's renderer, beside the built-in one."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from camera_scenes import BLUE, Ticking, box, scene
from PIL import Image
from viewer_live import frames, window_picture
from viewer_standins import StandinLink

from coopsim.app.main import run
from coopsim.features.desktop.application import Application
from coopsim.features.desktop.cameras.painter import ImagePainter
from coopsim.features.desktop.cameras.service import open_painter
from coopsim.features.desktop.rendering import VARIABLE, SceneRenderer
from coopsim.features.desktop.scene_picture import ScenePicture

CAMERA = ("robot1", "camera")


@pytest.fixture(scope="module")
def other_painter() -> Iterator[ImagePainter]:
    painter = open_painter(renderer="mujoco")
    yield painter
    painter.close()


def test_cameras_see_the_same_through_both(painter: ImagePainter, other_painter: ImagePainter) -> None:
    """S-76: what draws is exchangeable; depths and labels, which are measurements, agree."""
    state = Ticking(scene(box(y=0.7), box("other", x=5.0, y=-1.5, color=BLUE))).go()
    depths = [drawer.depth(state, *CAMERA).astype(int) for drawer in (painter, other_painter)]
    labels = [drawer.labels(state, *CAMERA) for drawer in (painter, other_painter)]
    colors = [drawer.colors(state, *CAMERA).astype(int) for drawer in (painter, other_painter)]
    assert (labels[0] != labels[1]).mean() < 1e-3
    is_same = labels[0] == labels[1]
    near = is_same & (depths[0] > 0) & (depths[0] < 8000)
    assert near.sum() > 10_000
    assert np.abs(depths[0] - depths[1])[near].max() <= 2
    for label in np.unique(labels[0])[2:]:  # not the sky, and not the floor
        means = [picture[(labels[0] == label) & is_same].mean(axis=0) for picture in colors]
        assert np.argmax(means[0]) == np.argmax(means[1])


def test_images_follow_what_comes_and_goes(other_painter: ImagePainter) -> None:
    ticking = Ticking(scene(box()))
    before = other_painter.labels(ticking.go(), *CAMERA)
    after = other_painter.labels(Ticking(scene(box(x=6.0))).go(), *CAMERA)
    assert 2 * (after == before.max()).sum() < (before == before.max()).sum()


@pytest.fixture
def no_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the choice of a command back in the end."""
    monkeypatch.setenv(VARIABLE, "opengl")


@pytest.mark.usefixtures("no_choice")
def test_a_screenshot_by_each_shows_the_same_scene(tmp_path: Path) -> None:
    pictures = []
    for name in ("opengl", "mujoco"):
        out = tmp_path / f"{name}.png"
        assert run(["screenshot", "formation", str(out), "--size", "320x200", "--renderer", name]) == 0
        pictures.append(np.asarray(Image.open(out)).astype(int))
    difference = np.abs(pictures[0] - pictures[1]).mean(axis=2)
    assert difference.max() > 5  # two renderers
    assert np.median(difference) < 40  # one scene


@pytest.fixture(scope="module")
def application() -> Iterator[Application]:
    application = Application(StandinLink(), (640, 400))  # type: ignore[arg-type]
    yield application
    application.close()


def test_a_window_changes_its_renderer_while_it_runs(application: Application) -> None:
    frames(application)
    native = application.picture().astype(int)
    application.settings.renderer = "mujoco"
    window = window_picture(application)
    drawn = application.picture().astype(int)
    assert drawn.shape == native.shape
    assert np.abs(drawn - native).max() > 5
    assert np.median(np.abs(drawn - native)) < 50
    left, top, wide, high = (round(length) for length in application.view)
    row, column = 3 * high // 4, wide // 2  # of the floor: names and bars of the window lie over other parts
    shown = window[top + row, left + column].astype(int)
    assert np.abs(shown - drawn[row, column]).max() <= 40
    application.settings.renderer = "opengl"
    frames(application)
    assert np.array_equal(application.picture().astype(int), native)


def test_a_renderer_that_cannot_be_used_leaves_the_window_as_it_is(application: Application) -> None:
    application.settings.renderer = "mujcoo"
    frames(application)
    assert application.settings.renderer == "opengl"
    assert any("no renderer 'mujcoo'" in str(note) for note in application.session.notes)


class Failing(SceneRenderer):
    """Draws nothing."""

    def begin(self, rows: object, camera: object, order: object) -> object:  # type: ignore[override]
        raise ZeroDivisionError("no lamp")

    def close(self) -> None:
        """Do nothing."""


def test_a_renderer_that_fails_gives_its_place_to_the_built_in_one(
    application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("coopsim.features.desktop.scene_picture.open_renderer", lambda *_: Failing(print))
    application.settings.renderer = "mujoco"
    frames(application)
    assert isinstance(application._picture, ScenePicture)
    assert application._picture.renderer == "opengl"
    assert any("ZeroDivisionError: no lamp; opengl goes on" in str(note) for note in application.session.notes)
    application.settings.renderer = "opengl"
