"""Carries out the orders of a host: an image of a camera at a tick, as texts that fit a message."""

import binascii
import io
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from coopsim.errors import BadArgument, CannotDraw, CoopsimError, DamagedRecording, InternalError, PluginError
from coopsim.features.desktop.cameras.states import TickState, TickStates
from coopsim.interfaces.camera import DEPTH, DEPTH_PNG, LABELS, MOST_HEIGHT, MOST_WIDTH, PNG, RGB
from coopsim.message import base64
from coopsim.recording import RecordedImage
from coopsim.transport import Channel
from coopsim.transport.control import (
    CameraImage,
    CameraOrder,
    CameraRefusal,
    CamerasToHost,
    HostToCameras,
    RendererChanged,
    RendererOrder,
)

if TYPE_CHECKING:
    from coopsim.features.desktop.cameras.painter import ImagePainter

Answer: TypeAlias = Callable[[], CamerasToHost]
"""Gives an image, or what went wrong."""
_PIECE, _PIXELS = 180_000, 60_000
"""Bytes in one text: a multiple of 3, so that texts can be put together; and pixels in one [B]."""
_PNG_LEVEL = 1  # the fastest: a client waits for the image


def open_painter(tell: Callable[[str], object] = print, renderer: str = "") -> "ImagePainter":
    """Return what draws.

    Args:
        tell: Takes what could not be drawn as it should.
        renderer: Name of what draws, "" = the one that the environment names, or the built-in one.

    Raises:
        CannotDraw: There is no such renderer, or it cannot be used here.
    """
    from coopsim.features.desktop.cameras.painter import ImagePainter

    try:
        return ImagePainter(tell, renderer)
    except (BadArgument, PluginError) as problem:
        raise CannotDraw(str(problem)).advise("Name another renderer: `coopsim renderers` lists them.") from None


class ImageService:
    """Draws images, or says why it cannot.

    Args:
        states: Of the ticks that images belong to.
        painter: What draws; or why nothing does.
        stored: Gives the image that a recording has, which is not drawn again.
        tell: Takes what could not be drawn as it should.
    """

    def __init__(
        self,
        states: TickStates,
        painter: "ImagePainter | CannotDraw",
        stored: Callable[[CameraOrder], RecordedImage | None] = lambda _: None,
        tell: Callable[[str], object] = lambda _: None,
    ) -> None:
        self._tell = tell
        self._states, self._painter, self._stored = states, painter, stored

    def serve(self, host: Channel[CamerasToHost, HostToCameras]) -> None:
        """Carry out orders until the host is gone."""
        while not host.closed:
            begun: Answer | None = None
            for order in host.wait(None):
                if isinstance(order, RendererOrder):
                    if begun is not None:  # what draws it is closed
                        host.send(begun())
                    begun = None
                    host.send(self.exchange(order))
                    continue
                following = self.begin(order)
                if begun is not None:  # it is read while the following one is drawn
                    host.send(begun())
                begun = following
            if begun is not None:
                host.send(begun())

    def close(self) -> None:
        """Give back what draws."""
        if not isinstance(self._painter, CannotDraw):
            self._painter.close()

    def exchange(self, order: RendererOrder) -> CamerasToHost:
        """Draw with another renderer from now on; where it cannot be used, what draws goes on."""
        from coopsim.features.desktop.rendering import wanted_name

        try:
            name = wanted_name(order.asked, order.scene)
            if isinstance(self._painter, CannotDraw):
                self._painter = open_painter(self._tell, name)
            else:
                self._painter.exchange(name)
        except CoopsimError as problem:
            self._tell(f"what cameras see is not drawn by another renderer: {problem}")
            return CameraRefusal(problem.code, str(problem), order.id)
        return RendererChanged(order.id)

    def answer(self, order: CameraOrder) -> CamerasToHost:
        """Return the image that is ordered, or what went wrong."""
        return self.begin(order)()

    def begin(self, order: CameraOrder) -> Answer:
        """Have the image that is ordered drawn; return what gives it, or what went wrong."""
        try:
            draw = self._begin(order)
        except Exception as problem:  # one image that cannot be drawn takes no others with it
            return partial(_refusal, order, problem)

        def finish() -> CamerasToHost:
            try:
                return draw()
            except Exception as problem:  # as above
                return _refusal(order, problem)

        return finish

    def _begin(self, order: CameraOrder) -> Callable[[], CameraImage]:
        image = self._stored(order)
        if image is not None:
            return partial(_kept, order, image)
        if isinstance(self._painter, CannotDraw):
            raise self._painter
        state = self._states.at(order.tick)
        encoding = DEPTH if order.encoding in (DEPTH, DEPTH_PNG) else LABELS if order.encoding == LABELS else RGB
        read = self._painter.begin(state, order.robot, order.module, encoding)
        return lambda: _image(order, state, read())


def _refusal(order: CameraOrder, problem: Exception) -> CameraRefusal:
    if isinstance(problem, CoopsimError):
        return CameraRefusal(problem.code, str(problem), order.id)
    text = f"{type(problem).__name__}: {problem}"
    return CameraRefusal(InternalError.code, f"/{order.robot}/{order.module} cannot be drawn: {text}", order.id)


def _image(order: CameraOrder, state: TickState, pixels: np.ndarray) -> CameraImage:
    """Return what was drawn: depths, labels, or pixels as words."""
    height, width = pixels.shape
    texts = _named(pixels, state) if order.encoding == LABELS else _pieces(order.encoding, pixels)
    return CameraImage(order.id, state.record.tick, state.record.time, width, height, texts)


def _named(labels: np.ndarray, state: TickState) -> tuple[str, ...]:
    """Return labels, and behind them their names."""
    from coopsim.features.desktop.label_rows import names_of

    return _texts(_bytes(labels) + names_of(labels, state.layout))


def _pieces(encoding: str, pixels: np.ndarray) -> tuple[str, ...]:
    if encoding in (PNG, DEPTH_PNG):
        return _texts(_png(pixels))
    if encoding == DEPTH:
        return _texts(_bytes(pixels))
    words = pixels.ravel()
    return tuple(base64.encoded_pixels(words[at : at + _PIXELS]) for at in range(0, len(words), _PIXELS))


def _kept(order: CameraOrder, image: RecordedImage) -> CameraImage:
    """Return an image of a recording."""
    pixels = pixels_of(image)
    height, width = pixels.shape[:2]
    raw = image.png if order.encoding in (PNG, DEPTH_PNG) else _bytes(pixels)
    return CameraImage(order.id, image.tick, image.time_ns / 1e9, width, height, _texts(raw))


def pixels_of(image: RecordedImage) -> np.ndarray:
    """Return the pixels of an image in a recording: colours as bytes, depths as words [mm].

    Raises:
        DamagedRecording: It cannot be decoded, or is larger than a camera's.
    """
    from PIL import Image, UnidentifiedImageError

    place = f"the image of {image.stream.topic} at tick {image.tick}"
    try:
        with Image.open(io.BytesIO(image.png), formats=["PNG"]) as file:
            if file.width > MOST_WIDTH or file.height > MOST_HEIGHT:
                raise DamagedRecording(f"{place} is {file.width} x {file.height}, larger than a camera takes")
            is_depth = image.stream.kind == "depth"
            return np.asarray(file).astype(np.uint16) if is_depth else np.asarray(file.convert("RGB"))
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as problem:
        raise DamagedRecording(f"{place} cannot be decoded: {problem}") from None


def _bytes(pixels: np.ndarray) -> bytes:
    """Return pixels as bytes, words little-endian."""
    return pixels.astype(pixels.dtype.newbyteorder("<"), copy=False).tobytes()


def _png(pixels: np.ndarray) -> bytes:
    """Return depths, or words, as a file."""
    from PIL import Image

    from coopsim.features.desktop.pixels import picture_of

    is_depth = pixels.dtype == np.uint16
    picture = Image.fromarray(np.ascontiguousarray(pixels)) if is_depth else picture_of(pixels)
    file = io.BytesIO()
    picture.save(file, "PNG", compress_level=_PNG_LEVEL)
    return file.getvalue()


def _texts(raw: bytes) -> tuple[str, ...]:
    pieces = (raw[at : at + _PIECE] for at in range(0, len(raw), _PIECE))
    return tuple(binascii.b2a_base64(piece, newline=False).decode("ascii") for piece in pieces)
