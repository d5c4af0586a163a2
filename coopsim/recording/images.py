"""Images of cameras in a recording: their messages, which other programs show, too, and where each of them lies.

Their topics are those of the cameras; schema: `foxglove.CompressedImage` in JSON.
"""

import base64
import binascii
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypedDict, cast

import msgpack

from coopsim.errors import DamagedRecording
from coopsim.recording.channels import IMAGES, FileChannel
from coopsim.recording.chunks import ChannelMessage
from coopsim.recording.limits import MOST_IMAGE_BYTES, MOST_TEXT_BYTES
from coopsim.state.plain import Count, check, unpack

IMAGE_INDEX = "coopsim.images"
"""Name of the attachment that says where they lie."""
COLOR, DEPTH = KINDS = "color", "depth"
"""What an image may show."""


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


def _integer(description: str) -> dict[str, Any]:
    return {"type": "integer", "description": description}


_SCHEMA: dict[str, Any] = {
    "title": "foxglove.CompressedImage",
    "type": "object",
    "properties": {
        "timestamp": {"type": "object", "title": "time", "properties": {"sec": _integer("s"), "nsec": _integer("ns")}},
        "frame_id": _text("robot"),
        "data": {**_text("the file"), "contentEncoding": "base64"},
        "format": _text("png"),
        "camera": _text("module of the robot"),
        "kind": _text("color, or depth: 16 bits [mm], 0 = nothing within range"),
        "tick": _integer("that the image belongs to"),
    },
}


class _ImageTime(TypedDict):
    sec: Count
    nsec: Count


class _ImageMessage(TypedDict):
    timestamp: _ImageTime
    frame_id: str
    data: str
    format: str
    camera: str
    kind: str
    tick: Count


class CameraStream(NamedTuple):
    """Stream of one camera: colours, or depths."""

    robot: str
    camera: str
    kind: str

    @property
    def topic(self) -> str:
        """Topic of the images in the file."""
        return f"/{self.robot}/{self.camera}" + ("" if self.kind == COLOR else f"/{self.kind}")

    @property
    def channel(self) -> FileChannel:
        """The channel of the images in the file; its number is the file's."""
        return FileChannel(IMAGES, self.topic, "json", _SCHEMA)


@dataclass(frozen=True, slots=True)
class RecordedImage:
    """An image.

    Attributes:
        time_ns: Simulated time at its tick.
        text: A PNG file in base64; depths have 16 bits [mm].
    """

    stream: CameraStream
    tick: int
    time_ns: int
    text: str

    @property
    def png(self) -> bytes:
        """The file.

        Raises:
            DamagedRecording: It is none.
        """
        try:
            return base64.b64decode(self.text, validate=True)
        except (binascii.Error, ValueError):
            raise DamagedRecording(f"the image of {self.stream.topic} at tick {self.tick} is no base64") from None

    def pack(self) -> bytes:
        """Return its message."""
        robot, camera, kind = self.stream
        second, rest = divmod(self.time_ns, 10**9)
        message: _ImageMessage = {
            "timestamp": {"sec": second, "nsec": rest},
            "frame_id": robot,
            "data": self.text,
            "format": "png",
            "camera": camera,
            "kind": kind,
            "tick": self.tick,
        }
        return json.dumps(message).encode()

    @classmethod
    def unpack(cls, raw: bytes) -> "RecordedImage":
        """Return the image of a message.

        Raises:
            ValueError: It is none.
        """
        if len(raw) > MOST_IMAGE_BYTES:
            raise ValueError(f"expected at most {MOST_IMAGE_BYTES} bytes of an image, found {len(raw)}")
        try:
            decoded = json.loads(raw)
        except RecursionError:
            raise ValueError("it is nested too deeply") from None
        check(decoded, _ImageMessage)
        message = cast("_ImageMessage", decoded)
        if message["kind"] not in KINDS or message["format"] != "png":
            raise ValueError(
                f"expected a png of {' or '.join(KINDS)}, found a {message['format']} of {message['kind']}"
            )
        stream = CameraStream(message["frame_id"], message["camera"], message["kind"])
        time_ns = message["timestamp"]["sec"] * 10**9 + message["timestamp"]["nsec"]
        return cls(stream, message["tick"], time_ns, message["data"])


class ImagePlace(NamedTuple):
    """Position of an image in the file.

    Attributes:
        offset: Where its chunk begins in the file.
        number: Of the message in that.
        size: Of the message [B].
    """

    offset: int
    number: int
    size: int


_PLACES = tuple[tuple[str, str, str, tuple[tuple[Count, Count, Count, Count], ...]], ...]


@dataclass
class ImageIndex:
    """Positions of all images, by stream and tick."""

    places: dict[CameraStream, dict[int, ImagePlace]] = field(default_factory=dict)

    def __len__(self) -> int:
        return sum(map(len, self.places.values()))

    @property
    def size_bytes(self) -> int:
        """Bytes of all messages, before they are compressed with their chunks."""
        return sum(place.size for places in self.places.values() for place in places.values())

    def add(self, offset: int, messages: Sequence[ChannelMessage]) -> None:
        """Add a chunk.

        Raises:
            DamagedRecording: Its images are not what they should be.
        """
        for number, message in enumerate(messages):
            if message.channel >= IMAGES:
                try:
                    image = RecordedImage.unpack(message.data)
                except ValueError as problem:
                    raise DamagedRecording(f"an image at byte {offset} is not what it should be: {problem}") from None
                self.note(image, ImagePlace(offset, number, len(message.data)))

    def note(self, image: RecordedImage, place: ImagePlace) -> None:
        """Add an image."""
        self.places.setdefault(image.stream, {})[image.tick] = place

    def find(self, stream: CameraStream, tick: int) -> ImagePlace | None:
        """Return where the image of a tick lies, None if there is none."""
        return self.places.get(stream, {}).get(tick)

    @property
    def chunks(self) -> list[tuple[int, list[int]]]:
        """Positions of chunks with images, in order, and which of their messages are images."""
        numbers_by_chunk: dict[int, list[int]] = {}
        for offset, number, _ in sorted(place for places in self.places.values() for place in places.values()):
            numbers_by_chunk.setdefault(offset, []).append(number)
        return [*numbers_by_chunk.items()]

    def pack(self) -> bytes:
        """Return its bytes."""
        packed: bytes = msgpack.packb(
            [
                [*stream, [[tick, *place] for tick, place in places.items()]]
                for stream, places in sorted(self.places.items())
            ]
        )
        return packed

    @classmethod
    def unpack(cls, raw: bytes) -> "ImageIndex":
        """Return the index whose bytes these are.

        Raises:
            DamagedRecording: They are none.
        """
        try:
            if len(raw) > MOST_TEXT_BYTES:
                raise ValueError(f"expected at most {MOST_TEXT_BYTES} bytes, found {len(raw)}")
            decoded = unpack(raw)
            check(decoded, _PLACES)
        except ValueError as problem:
            raise DamagedRecording(f"the index of images cannot be read: {problem}") from None
        return cls({CameraStream(*names): _image_places(places) for *names, places in decoded})


def _image_places(rows: Iterable[Sequence[int]]) -> dict[int, ImagePlace]:
    return {tick: ImagePlace(*place) for tick, *place in rows}
