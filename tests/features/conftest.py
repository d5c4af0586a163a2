"""Pictures and images are drawn in memory. What draws is left out where OpenGL is missing; `.ci/run` says so."""

import sys
from collections.abc import Iterator

import pytest

from coopsim.errors import CannotDraw
from coopsim.features.desktop.cameras import LocalImages
from coopsim.features.desktop.cameras.service import open_painter

DRAWING = [
    "desktop/test_autosave.py",
    "desktop/test_camera_client.py",
    "desktop/test_camera_follow.py",
    "desktop/test_camera_images.py",
    "desktop/test_viewer_camera_view.py",
    "desktop/test_viewer_commands.py",
    "amsa/test_viewer_components.py",
    "games/test_viewer_game.py",
    "desktop/test_viewer_managers.py",
    "desktop/test_viewer_menus.py",
    "desktop/test_viewer_meshes.py",
    "desktop/test_viewer_pictures.py",
    "desktop/test_viewer_teleoperation.py",
    "desktop/test_viewer_window.py",
    "renderers/test_renderers_contract.py",
    "renderers/test_renderers_in_use.py",
]


def _can_draw() -> bool:
    try:
        open_painter().close()
    except CannotDraw:
        return False
    return True


collect_ignore = [] if _can_draw() else DRAWING


@pytest.fixture(autouse=True, scope="module")
def _no_widgets_of_other_windows() -> None:
    """Forget where widgets of other modules' windows were drawn: a program has one window, here there are many."""
    widgets = sys.modules.get("coopsim.features.desktop.ui.widgets")  # not imported by tests without windows
    if widgets is not None:
        widgets.PLACES.clear()
        widgets.FOCUSED.clear()


@pytest.fixture(scope="session")
def painter() -> Iterator[object]:
    painter = open_painter()
    yield painter
    painter.close()


@pytest.fixture(scope="session")
def images() -> Iterator[LocalImages]:
    with LocalImages() as images:
        yield images


@pytest.fixture(scope="session")
def offscreen() -> Iterator[object]:
    from viewer_scenes import FAST, SIZE

    from coopsim.features.desktop.offscreen import Offscreen

    with Offscreen(SIZE, FAST) as offscreen:
        yield offscreen
