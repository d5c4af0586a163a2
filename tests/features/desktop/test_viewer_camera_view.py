"""The image of a camera in the inspector: asked for when there is a newer one, and never too often."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from coopsim.errors import NoImage, NoReply
from coopsim.features.desktop.ui.camera_view import CameraView

TARGET = "/robot1/camera"


class Link:
    """Keeps what is asked."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def ask(self, work: Any, *, then: Any = None, failed: Any) -> None:
        self.asked.append(SimpleNamespace(work=work, then=then, failed=failed))


@pytest.fixture
def view() -> CameraView:
    return CameraView(SimpleNamespace(link=Link()))  # type: ignore[arg-type]


def asked(view: CameraView) -> list[Any]:
    return view._session.link.asked  # type: ignore[attr-defined]


def test_an_image_is_asked_for_when_there_is_a_newer_one(view: CameraView) -> None:
    for tick, now in ((10.0, 1.0), (10.0, 2.0), (20.0, 3.0)):
        view.request_image(TARGET, tick, now)
    assert len(asked(view)) == 2


def test_images_of_a_fast_camera_are_asked_for_ten_times_a_second(view: CameraView) -> None:
    for tick in range(100):
        view.request_image(TARGET, float(tick), 0.01 * tick)
    assert len(asked(view)) in {9, 10}


def test_what_cannot_be_drawn_is_said_and_asked_for_again_later(view: CameraView) -> None:
    view.request_image(TARGET, 10.0)
    asked(view)[0].failed(NoImage("the camera process ended\nmore"))
    assert view._problem == "the camera process ended"
    view.request_image(TARGET, 10.0)
    assert len(asked(view)) == 1
    view.request_image(TARGET, 10.0, view._due + 1.0)
    assert len(asked(view)) == 2


def test_a_camera_that_has_been_given_up_is_started_again_by_the_renderer_that_is_asked_for(view: CameraView) -> None:
    view.request_image(TARGET, 10.0)
    asked(view)[0].failed(NoImage("ended once"))
    assert not view._is_given_up
    asked(view)[0].failed(NoImage("ended too often").bring(3))
    assert view._is_given_up
    view.start_again()
    said: list[str] = []
    renderer = SimpleNamespace(status=lambda: SimpleNamespace(asked="mujoco"), set=said.append)
    asked(view)[1].work(SimpleNamespace(module=lambda _: renderer))
    assert said == ["mujoco"]
    assert (view._problem, view._is_given_up) == ("", False)
    view.request_image(TARGET, 10.0, view._due + 0.01)
    assert len(asked(view)) == 3


def test_an_image_that_takes_its_time_does_not_lose_the_link(view: CameraView) -> None:
    def slow(**_: Any) -> None:
        raise NoReply("no reply")

    view.request_image(TARGET, 10.0)
    simulation = SimpleNamespace(module=lambda _: SimpleNamespace(image=slow))
    assert asked(view)[0].work(simulation) is None
    asked(view)[0].then(None)
    assert view._texture is None


def test_an_image_becomes_a_texture(view: CameraView, offscreen: Any) -> None:
    offscreen._renderer._context.switch_to()
    view.request_image(TARGET, 10.0)
    asked(view)[0].then(np.zeros((24, 32, 3), np.uint8)[::-1])
    assert view._shape == (24, 32)
    view.request_image("/robot2/camera", 10.0)  # another one: the texture is given back
    assert view._texture is None
