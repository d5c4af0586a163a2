"""Recordings with one thing changed and all check sums right: what a forger would hand in."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgpack
import numpy as np

from coopsim.recording import CHANNELS, Recording, layout_to_json, tables
from coopsim.recording.channels import EDITS, HEADS, KEYFRAMES, LAYOUTS, TICKS
from coopsim.recording.chunks import ChannelMessage
from coopsim.recording.container import Container

assert CHANNELS


@dataclass
class Opened:
    """What a file holds, ready to be changed.

    Attributes:
        layouts: As JSON, by generation.
        ending: What the writer noted when it closed the file, "" = nothing.
        chunks: Messages of each chunk of records: channel, log time, content; tables are unpacked to arrays.
    """

    metadata: dict[str, Any]
    attachments: dict[str, str]
    layouts: dict[int, dict[str, Any]]
    ending: str = ""
    chunks: list[list[tuple[int, int, dict[str, Any]]]] = field(default_factory=list)

    def ticks(self) -> list[dict[str, Any]]:
        """Return what the messages of records hold."""
        return [content for chunk in self.chunks for channel, _, content in chunk if channel == TICKS]

    def edits(self) -> list[dict[str, Any]]:
        """Return what the messages of edits hold."""
        return [content for chunk in self.chunks for channel, _, content in chunk if channel == EDITS]

    def frames(self) -> list[dict[str, Any]]:
        """Return what the messages of key frames hold."""
        return [content for chunk in self.chunks for channel, _, content in chunk if channel == KEYFRAMES]

    def head(self, name: str) -> list[np.ndarray[Any, Any]]:
        """Return a column of the heads of each chunk, to be changed in place."""
        return [content["heads"][:, HEADS.index(name)] for content in self.ticks()]


Forgery = Callable[[Opened], None]
_KINDS = {"heads": "<u8", "speed": "<f8", "commands": "<f8", "poses": "<f4", "twists": "<f4", "readings": "<f4"}


def forge(source: Path, target: Path, forgery: Forgery) -> Path:
    """Write a copy of a recording in which one thing is changed."""
    opened = _open(source)
    forgery(opened)
    container = Container(target, opened.metadata, opened.attachments)
    for generation, layout in opened.layouts.items():
        container.append([ChannelMessage(LAYOUTS, 0, json.dumps(layout).encode())])
        assert layout["generation"] == generation
    for chunk in opened.chunks:
        container.append(
            [ChannelMessage(channel, log_time, _packed(channel, content)) for channel, log_time, content in chunk]
        )
    container.finish(opened.ending)
    return target


def restate(change: Callable[[dict[str, Any]], None]) -> Callable[[dict[str, Any]], None]:
    """Return what changes the state in a key frame's message."""

    def do(frame: dict[str, Any]) -> None:
        state = msgpack.unpackb(frame["state"])
        change(state)
        frame["state"] = msgpack.packb(state)

    return do


def nudged(saved: list[Any], place: int = 0, way: float = 1e-12) -> list[Any]:
    """Return an array of a key frame with one number changed."""
    kind, shape, raw = saved
    array = np.frombuffer(raw, kind).copy()
    array[place] += way
    return [kind, shape, array.tobytes()]


def _open(source: Path) -> Opened:
    with Recording.open(source) as recording:
        layouts = {
            generation: json.loads(layout_to_json(recording.layout(generation))) for generation in recording.generations
        }
        ending = recording.ending
        opened = Opened(dict(recording.metadata), recording.attachments, layouts, ending.pack() if ending else "")
        for place in recording.index.places:
            messages = recording._source.messages(place.offset)
            opened.chunks.append([(message.channel, message.log_time, _content(message)) for message in messages])
    return opened


def _content(message: ChannelMessage) -> dict[str, Any]:
    content: dict[str, Any] = msgpack.unpackb(message.data)
    if message.channel == TICKS:
        for name, kind in _KINDS.items():
            content[name] = tables.unpack(content[name], content["records"], np.dtype(kind)).copy()
        content["hashes"] = bytearray(content["hashes"])
    return content


def _packed(channel: int, content: dict[str, Any]) -> bytes:
    if channel == TICKS:
        content = {**content, "hashes": bytes(content["hashes"])}
        content |= {name: tables.pack(content[name]) for name in _KINDS}
    raw: bytes = msgpack.packb(content)
    return raw
