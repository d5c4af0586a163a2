"""Channels of a recording, and the form of their messages for other tools.

The ids of the channels are fixed, so that a file whose beginning is lost can still be understood.
"""

import json
from dataclasses import dataclass
from typing import Any

PROFILE = "coopsim"
FORMAT = 1  # changes only where an old reader would misread
INDEX, END = "coopsim.index", "coopsim.end"
"""Names of the attachments that hold the index, and say when the file was closed how many records were written."""

TICKS, EDITS, KEYFRAMES, LAYOUTS = 1, 2, 3, 4  # numbers of the MCAP channels, the same in every file
IMAGES = 5
"""The first channel of images; each camera has one of its own, known by its metadata."""
IMAGE_MARK = {"coopsim": "image"}

HEADS = (
    "tick",
    "revision",
    "time_ns",
    "position_ns",
    "step_ns",
    "mode",
    "flags",
    "overruns",
    "max_lateness_ns",
    "slipped_ns",
    "wall_ns",
)
"""Columns of the table `heads`. `position_ns` is the simulated time, but goes on when the clock is reset."""


@dataclass(frozen=True, slots=True)
class FileChannel:
    """A channel of the file.

    Attributes:
        number: Its id.
        encoding: `msgpack` or `json`.
        schema: JSON schema of its messages.
    """

    number: int
    topic: str
    encoding: str
    schema: dict[str, Any]

    @property
    def schema_text(self) -> bytes:
        """The schema as it stands in the file."""
        return json.dumps(self.schema).encode()


def _object(title: str, **properties: dict[str, Any]) -> dict[str, Any]:
    return {"title": title, "type": "object", "properties": properties, "required": list(properties)}


def _integer(description: str) -> dict[str, Any]:
    return {"type": "integer", "description": description}


def _bytes(description: str) -> dict[str, Any]:
    return {"type": "string", "contentEncoding": "binary", "description": description}


def _range(description: str) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2, "description": description}


def _table(element: str, description: str) -> dict[str, Any]:
    """Return the schema of a table; `x-element` is the numpy name of its elements, their words have the same bytes."""
    return {
        **_object(
            "Table",
            bytes=_integer("bytes of a word"),
            sums=_bytes("for each column, how often its words must be summed up along the records"),
            planes=_bytes("first byte of every word, then every second byte; column after column; signs zigzag coded"),
        ),
        "description": description,
        "x-element": element,
    }


CHANNELS = (
    FileChannel(
        TICKS,
        "/coopsim/ticks",
        "msgpack",
        _object(
            "coopsim.Ticks",
            records=_integer("how many records this message holds"),
            generation=_integer("of the layout that says whose columns they are"),
            gap=_integer("records that are missing before the first one"),
            tick=_range("first and last"),
            position_ns=_range("first and last"),
            revision=_range("first and last"),
            hashes=_bytes("state hash, xxh3-128, 16 bytes per record"),
            heads=_table("<u8", "uint64: " + ", ".join(HEADS)),
            speed=_table("<f8", "float64: simulated seconds per real second asked for"),
            poses=_table("<f4", "float32: x y z [m], quaternion w x y z of every moving body"),
            twists=_table("<f4", "float32: velocity [m/s] and angular velocity [rad/s] of moving bodies, world frame"),
            readings=_table("<f4", "float32: readings of all robots"),
            commands=_table("<f8", "float64: commands of all robots"),
        ),
    ),
    FileChannel(
        EDITS,
        "/coopsim/edits",
        "msgpack",
        _object(
            "coopsim.Edits",
            row=_integer("which record of the message in /coopsim/ticks just before"),
            tick=_integer("of that record"),
            time_ns=_integer("simulated time of that record"),
            edits={"type": "array", "items": {"type": "object"}, "description": "what was changed, in order"},
        ),
    ),
    FileChannel(
        KEYFRAMES,
        "/coopsim/keyframes",
        "msgpack",
        _object(
            "coopsim.KeyFrame",
            row=_integer("which record of the message in /coopsim/ticks just before"),
            tick=_integer("of that record"),
            time_ns=_integer("simulated time of that record"),
            state=_bytes("full state of engine and devices, as the simulation saves it"),
        ),
    ),
    FileChannel(
        LAYOUTS,
        "/coopsim/layouts",
        "json",
        _object(
            "coopsim.Layout",
            generation=_integer("number of this layout"),
            interfaces={"type": "array", "items": {"type": "object"}},
            types={"type": "array", "items": {"type": "object"}},
            robots={"type": "array", "items": {"type": "object"}},
            looks={"type": "array", "items": {"type": "array", "items": {"type": "object"}}},
            entities={"type": "array", "items": {"type": "object"}},
            bodies={"type": "array", "items": {"type": "string"}, "description": "rows of poses and twists"},
            command_size=_integer("columns of commands"),
            reading_size=_integer("columns of readings"),
        ),
    ),
)
