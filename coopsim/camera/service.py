"""Carries out the orders of a host: an image of a camera at a tick, as texts that fit a message."""

import base64
import io
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from coopsim.camera.states import TickStates
from coopsim.errors import CannotDraw, CoopsimError, InternalError
from coopsim.interfaces.camera import DEPTH, PNG
from coopsim.transport import Channel
from coopsim.transport.control import CameraImage, CameraOrder, CameraRefusal, CamerasToHost, HostToCameras

if TYPE_CHECKING:
    from coopsim.camera.painter import ImagePainter

_PIECE = 180_000
"""Bytes in one text: a multiple of 3, so that texts can be put together [B]."""
_PNG_LEVEL = 1


def open_painter(tell: Callable[[str], object] = print) -> "ImagePainter":
    """Return what draws.

    Raises:
        CannotDraw: pyglet or OpenGL is missing.
    """
    try:
        from coopsim.camera.painter import ImagePainter
    except ImportError as problem:
        raise CannotDraw(f"pyglet is missing (pip install pyglet): {problem}").advise("pip install pyglet") from None
    return ImagePainter(tell)


class ImageService:
    """Draws images, or says why it cannot.

    Args:
        states: Of the ticks that images belong to.
        painter: What draws; or why nothing does.
    """

    def __init__(self, states: TickStates, painter: "ImagePainter | CannotDraw") -> None:
        self._states, self._painter = states, painter

    def serve(self, host: Channel[CamerasToHost, HostToCameras]) -> None:
        """Carry out orders until the host is gone."""
        while not host.closed:
            for order in host.wait(None):
                host.send(self.answer(order))

    def close(self) -> None:
        """Give back what draws."""
        if not isinstance(self._painter, CannotDraw):
            self._painter.close()

    def answer(self, order: CameraOrder) -> CamerasToHost:
        """Return the image that is ordered, or what went wrong."""
        try:
            return self.draw(order)
        except CoopsimError as problem:
            return CameraRefusal(problem.code, str(problem), order.id)
        except Exception as problem:  # one image that cannot be drawn takes no others with it
            text = f"{type(problem).__name__}: {problem}"
            return CameraRefusal(InternalError.code, f"/{order.robot}/{order.module} cannot be drawn: {text}", order.id)

    def draw(self, order: CameraOrder) -> CameraImage:
        """Return the image that is ordered.

        Raises:
            CoopsimError: It cannot be drawn.
        """
        if isinstance(self._painter, CannotDraw):
            raise self._painter
        state = self._states.at(order.tick)
        paint = self._painter.depth if order.encoding == DEPTH else self._painter.colors
        pixels = paint(state, order.robot, order.module)
        height, width = pixels.shape[:2]
        raw = _png(np.ascontiguousarray(pixels)) if order.encoding == PNG else _bytes(pixels)
        made = CameraImage(order.id, state.record.tick, state.record.time, width, height, ())
        return replace(made, texts=_texts(raw))


def _bytes(pixels: np.ndarray) -> bytes:
    """Return pixels as bytes, words little-endian."""
    return pixels.astype(pixels.dtype.newbyteorder("<"), copy=False).tobytes()


def _png(pixels: np.ndarray) -> bytes:
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG", compress_level=_PNG_LEVEL)
    return file.getvalue()


def _texts(raw: bytes) -> tuple[str, ...]:
    pieces = (raw[at : at + _PIECE] for at in range(0, len(raw), _PIECE))
    return tuple(base64.b64encode(piece).decode("ascii") for piece in pieces)
