"""Images are drawn in memory. What draws is left out where OpenGL is missing; `.ci/run` says so."""

from collections.abc import Iterator

import pytest

from coopsim.camera import LocalImages
from coopsim.camera.service import open_painter
from coopsim.errors import CannotDraw

DRAWING = ["test_camera_images.py", "test_camera_client.py", "test_camera_follow.py"]


def _can_draw() -> bool:
    try:
        open_painter().close()
    except CannotDraw:
        return False
    return True


collect_ignore = [] if _can_draw() else DRAWING


@pytest.fixture(scope="session")
def painter() -> Iterator[object]:
    made = open_painter()
    yield made
    made.close()


@pytest.fixture(scope="session")
def images() -> Iterator[LocalImages]:
    with LocalImages() as made:
        yield made
