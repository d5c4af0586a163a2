"""Images that modules give, as arrays."""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from coopsim.client.reading import Reading
from coopsim.errors import MalformedMessage
from coopsim.interfaces import Command
from coopsim.message import base64

_PIXELS: dict[str, tuple[str, int]] = {"rgb8": ("|u1", 3), "depth16": ("<u2", 1), "label16": ("<u2", 1)}
_NO_LABELS: Mapping[int, str] = MappingProxyType({})


class Image(np.ndarray[Any, Any]):
    """An image as an array: colours of shape (height, width, 3), uint8; depths of shape (height, width), float32 [m].

    The upper row is the first. A depth of 0 means that nothing is within range. Labels have shape (height, width),
    uint16; 0 means nothing.

    Attributes:
        tick: That it belongs to.
        time: Simulated time at which it was taken [s].
        labels: Of an image of labels, the name of each.
    """

    tick: int = 0
    time: float = 0.0
    labels: Mapping[int, str] = _NO_LABELS

    @classmethod
    def of(cls, pixels: np.ndarray[Any, Any], tick: int, time: float) -> Self:
        """Return pixels that know when they were taken."""
        image = pixels.view(cls)
        image.tick, image.time = tick, time
        return image

    def __array_finalize__(self, source: Any) -> None:
        self.tick, self.time = getattr(source, "tick", 0), getattr(source, "time", 0.0)
        self.labels = getattr(source, "labels", _NO_LABELS)


def encoding_of(command: Command) -> str:
    """Return how the texts that a command gives are encoded, "" = they are texts, or there are none."""
    return next((field.encoding for field in command.gives if field.encoding), "")


def decoded(reading: Reading, encoding: str) -> "Image | bytes":
    """Return the image that a reading holds; a file as its bytes.

    Raises:
        MalformedMessage: It holds none.
    """
    width, height, time, texts = reading
    try:
        raw = base64.decoded(texts)
        if encoding not in _PIXELS:
            return bytes(raw)
        kind, depth = _PIXELS[encoding]
        size = int(width) * int(height) * depth if encoding == "label16" else -1
        pixels = np.frombuffer(raw, kind, size).reshape(int(height), int(width), depth)
        names = json.loads(raw[2 * size :]) if size >= 0 else {}
        labels = {int(label): str(name) for label, name in names.items()}
    except (ValueError, TypeError, AttributeError) as problem:
        raise MalformedMessage(f"expected an image of {width} x {height} pixels: {problem}") from None
    if encoding == "label16":
        image = Image.of(pixels[:, :, 0].astype(np.uint16), reading.tick, float(time))
        image.labels = labels
        return image
    shown = pixels if depth > 1 else pixels[:, :, 0].astype(np.float32) / np.float32(1000.0)
    return Image.of(shown, reading.tick, float(time))
