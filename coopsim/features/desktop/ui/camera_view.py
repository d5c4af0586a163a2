"""The newest image of a robot's camera, in the inspector."""

import time
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from imgui_bundle import imgui

from coopsim.errors import CoopsimError, NoImage, NoReply
from coopsim.features.desktop.gl.textures import Texture
from coopsim.features.desktop.renderer_choice import MODULE
from coopsim.features.desktop.session import ViewerSession

if TYPE_CHECKING:
    from coopsim.client import Client, Image

_PATIENCE = 0.5
"""The link waits no longer for an image: states come by the same thread [s]."""
# a module that refuses is asked less often: its reason rarely ends within a second
_EVERY, _AGAIN = 0.1, 3.0
"""Time between two requests, and after one that failed [s]."""
_READINGS = {"image", "width", "height", "fov"}


class CameraView:
    """Shows what the camera that is looked at sees, a few times a second.

    Args:
        session: Whose link asks for images.
    """

    def __init__(self, session: ViewerSession) -> None:
        self._session = session
        self._target, self._tick, self._due, self._problem = "", -1.0, 0.0, ""
        self._is_given_up = False
        self._texture: Texture | None = None
        self._shape = (1, 1)

    def draw(self, target: str, readings: Any) -> None:
        """Draw the image of a module if it is a camera.

        Args:
            target: Name of the module.
            readings: What it reads now.
        """
        if not set(dir(readings)) >= _READINGS:
            return
        self.request_image(target, float(readings.image))
        if self._problem:
            imgui.text_wrapped(self._problem)
            if self._is_given_up and imgui.button("Start it again"):
                self.start_again()
        elif self._texture is not None:
            width, (rows, columns) = imgui.get_content_region_avail().x, self._shape
            imgui.image(imgui.ImTextureRef(self._texture.name), imgui.ImVec2(width, width * rows / columns))

    def request_image(self, target: str, tick: float, now: float | None = None) -> None:
        """Ask for an image where there is a newer one, or another camera is looked at."""
        now = time.monotonic() if now is None else now
        if target != self._target:
            self._forget()
            self._target, self._tick, self._due = target, -1.0, 0.0
        if tick != self._tick and now >= self._due:
            self._due, self._tick = now + _EVERY, tick
            self._session.link.ask(
                partial(_image, target), then=partial(self._receive_image, target), failed=self._refuse
            )

    def start_again(self) -> None:
        """Have the process that draws started once more."""
        self._forget()
        self._session.link.ask(_ask_renderer_again, failed=self._refuse)
        self._due, self._tick = time.monotonic() + _EVERY, -1.0

    def _receive_image(self, target: str, image: "Image | None") -> None:
        if image is None:  # it takes its time
            self._due, self._tick = time.monotonic() + _AGAIN, -1.0
        elif target == self._target:
            self._forget()
            self._shape = image.shape[0], image.shape[1]
            self._texture = Texture(np.ascontiguousarray(image))

    def _refuse(self, problem: CoopsimError) -> None:
        self._problem, self._due, self._tick = str(problem).partition("\n")[0], time.monotonic() + _AGAIN, -1.0
        # such a refusal says how often what draws has ended
        self._is_given_up = isinstance(problem, NoImage) and bool(problem.params)

    def _forget(self) -> None:
        self._problem, self._is_given_up = "", False
        if self._texture is not None:
            self._texture.delete()
            self._texture = None


def _image(target: str, simulation: "Client") -> "Image | None":
    """Return the newest image; None where it does not come soon."""
    try:
        image: Image = simulation.module(target).image(timeout=_PATIENCE)
    except NoReply:
        return None
    return image


def _ask_renderer_again(simulation: "Client") -> None:
    renderer = simulation.module(MODULE)
    renderer.set(renderer.status().asked)
