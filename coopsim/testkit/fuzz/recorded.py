"""A recording taken apart and put together again, so that what is changed in it has right check sums.

Flipped bits are caught by check sums at once; a forged file has right ones.
"""

import io
import json
from dataclasses import dataclass, field
from typing import Any

import msgpack
from mcap.opcode import Opcode
from mcap.records import Attachment, Channel, Chunk, Message, Metadata
from mcap.stream_reader import StreamReader, breakup_chunk
from mcap.writer import CompressionType
from mcap.writer import Writer as McapWriter

from coopsim.recording.channels import CHANNELS, INDEX, PROFILE
from coopsim.recording.container import LIBRARY

_NEVER = 1 << 62  # bytes: all records in one chunk
LAYOUTS = "/coopsim/layouts"
KEYFRAMES = "/coopsim/keyframes"


@dataclass
class DecodedMessage:
    """A message, decoded.

    Attributes:
        content: What it says; a key frame's state and the engine's part of it are decoded, too.
    """

    topic: str
    log_time: int
    content: Any


@dataclass
class Parts:
    """Contents of a recording, as plain data that may be changed.

    Attributes:
        metadata: Values by key.
        texts: Attachments by name, JSON decoded.
        chunks: Messages by chunk.
        index: Chunks as numbers where the file has offsets.
    """

    metadata: dict[str, Any] = field(default_factory=dict)
    texts: dict[str, Any] = field(default_factory=dict)
    chunks: list[list[DecodedMessage]] = field(default_factory=list)
    index: Any = None


def split_recording(raw: bytes) -> Parts:
    """Return the parts of a recording that is whole."""
    parts, topics = Parts(), dict[int, str]()
    reader = StreamReader(io.BytesIO(raw), emit_chunks=True)
    for record in reader.records:
        match record:
            case Channel():
                topics[record.id] = record.topic
            case Metadata():
                parts.metadata = {name: json.loads(text) for name, text in record.metadata.items()}
            case Attachment() if record.name == INDEX:
                parts.index = msgpack.unpackb(record.data)
            case Attachment():
                text = record.data.decode()
                parts.texts[record.name] = json.loads(text) if record.name.endswith(".json") else text
            case Chunk():
                inside = breakup_chunk(record)
                topics |= {item.id: item.topic for item in inside if isinstance(item, Channel)}
                parts.chunks.append(
                    [_decoded_message(topics[item.channel_id], item) for item in inside if isinstance(item, Message)]
                )
    _number(parts, raw)
    return parts


def put_together(parts: Parts, profile: str = PROFILE, library: str = LIBRARY) -> bytes:
    """Return the bytes of a recording with these parts; every check sum and offset is right."""
    file = io.BytesIO()
    writer: Any = McapWriter(file, _NEVER, CompressionType.ZSTD)
    writer.start(profile, library)
    writer.add_metadata(PROFILE, {str(name): _json(value) for name, value in parts.metadata.items()})
    for name, text in parts.texts.items():
        words = text if isinstance(text, str) else _json(text)
        writer.add_attachment(0, 0, name, "text/plain", words.encode("utf-8", "surrogatepass"))
    numbers = {}
    for channel in CHANNELS:
        schema = writer.register_schema(channel.schema["title"], "jsonschema", channel.schema_text)
        numbers[channel.topic] = writer.register_channel(channel.topic, channel.encoding, schema)
    offsets = []
    for messages in parts.chunks:
        offsets.append(file.tell())
        for decoded in messages:
            writer.add_message(numbers[decoded.topic], decoded.log_time, _encoded(decoded), decoded.log_time)
        writer.flush()
    writer.add_attachment(0, 0, INDEX, "application/msgpack", msgpack.packb(_with_offsets(parts.index, offsets)))
    writer.finish()
    return file.getvalue()


# the index names places in the file; here it names chunks by number


class Number(int):
    """The number of a chunk, where the file has its offset."""


def _number(parts: Parts, raw: bytes) -> None:
    offsets = _chunk_offsets(raw)
    places, layouts, _ = parts.index
    for place in places:
        place[0] = Number(offsets.index(place[0]))
    for pair in layouts:
        pair[1] = Number(offsets.index(pair[1]))


def _chunk_offsets(raw: bytes) -> list[int]:
    offset, offsets = 8, []
    while raw[offset] != Opcode.DATA_END:
        if raw[offset] == Opcode.CHUNK:
            offsets.append(offset)
        offset += 9 + int.from_bytes(raw[offset + 1 : offset + 9], "little")
    return offsets


def _with_offsets(value: Any, offsets: list[int]) -> Any:
    if isinstance(value, Number):
        return offsets[value] if value < len(offsets) else int(value)
    if isinstance(value, list):
        return [_with_offsets(item, offsets) for item in value]
    if isinstance(value, dict):
        return {name: _with_offsets(item, offsets) for name, item in value.items()}
    return value


# messages


def _decoded_message(topic: str, message: Message) -> DecodedMessage:
    return DecodedMessage(topic, message.log_time, _decoded(topic, message.data))


def _decoded(topic: str, raw: bytes) -> Any:
    if topic == LAYOUTS:
        return json.loads(raw)
    content = msgpack.unpackb(raw)
    if topic == KEYFRAMES:
        content["state"] = msgpack.unpackb(content["state"])
        content["state"]["bodies"] = msgpack.unpackb(content["state"]["bodies"])
    return content


def _encoded(decoded: DecodedMessage) -> bytes:
    if decoded.topic == LAYOUTS:
        return _json(decoded.content).encode("utf-8", "surrogatepass")
    content = decoded.content
    if decoded.topic == KEYFRAMES and isinstance(content, dict) and isinstance(content.get("state"), dict):
        state = content["state"]
        if "bodies" in state and not isinstance(state["bodies"], bytes):
            state = {**state, "bodies": _packed(state["bodies"])}
        content = {**content, "state": _packed(state)}
    return _packed(content)


def _packed(value: Any) -> bytes:
    packed: bytes = msgpack.packb(value, unicode_errors="surrogatepass")
    return packed


def _json(value: Any) -> str:
    return json.dumps(value, default=lambda value: value.hex() if isinstance(value, bytes) else str(value))
