"""Pictures are drawn in memory. What draws is left out where OpenGL is missing; `.ci/run` says so."""

from collections.abc import Iterator

import pytest

from coopsim.errors import CannotDraw

DRAWING = [
    "test_viewer_camera_view.py",
    "test_viewer_commands.py",
    "test_viewer_components.py",
    "test_viewer_game.py",
    "test_viewer_managers.py",
    "test_viewer_menus.py",
    "test_viewer_meshes.py",
    "test_viewer_pictures.py",
    "test_viewer_teleoperation.py",
    "test_viewer_window.py",
]


def _can_draw() -> bool:
    try:
        import coopsim.viewer.gl
    except CannotDraw:
        return False
    return bool(coopsim.viewer.gl)


collect_ignore = [] if _can_draw() else DRAWING


@pytest.fixture(scope="session")
def offscreen() -> Iterator[object]:
    from viewer_scenes import FAST, SIZE

    from coopsim.viewer.offscreen import Offscreen

    with Offscreen(SIZE, FAST) as made:
        yield made
