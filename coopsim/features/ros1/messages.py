"""Messages of ROS 1 by the texts that define them: their sums, and values to bytes and back.

Source: wiki.ros.org/msg and wiki.ros.org/ROS/Technical Overview (message serialization and msg MD5 sums).
"""

import hashlib
import re
import struct
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final, NamedTuple

from coopsim.errors import BadArgument

_NUMBERS = "bool ? int8 b uint8 B byte b char B int16 h uint16 H int32 i uint32 I int64 q uint64 Q float32 f float64 d"
_PRIMITIVES: Final = dict(zip(_NUMBERS.split()[::2], _NUMBERS.split()[1::2], strict=True)) | {
    "time": "II",
    "duration": "ii",
}
_FIELD = re.compile(r"([\w/]+)(\[\d*\])?\s+(\w+)\s*$")
_CONSTANT = re.compile(r"([\w/]+)\s+(\w+)\s*=\s*(.*)$")
_RULE = "=" * 80  # as ROS separates definitions; MD5 sums depend on it
_LONGEST = 1 << 24
"""Elements of an array, or letters of a text, that are read."""
_USUAL: Final = {
    "std_msgs/Header": "uint32 seq\ntime stamp\nstring frame_id",
    "std_msgs/Bool": "bool data",
    "std_msgs/Int32": "int32 data",
    "std_msgs/Float64": "float64 data",
    "std_msgs/String": "string data",
    "std_msgs/MultiArrayDimension": "string label\nuint32 size\nuint32 stride",
    "std_msgs/MultiArrayLayout": "MultiArrayDimension[] dim\nuint32 data_offset",
    "std_msgs/Float64MultiArray": "MultiArrayLayout layout\nfloat64[] data",
    "rosgraph_msgs/Clock": "time clock",
    "geometry_msgs/Vector3": "float64 x\nfloat64 y\nfloat64 z",
    "geometry_msgs/Point": "float64 x\nfloat64 y\nfloat64 z",
    "geometry_msgs/Quaternion": "float64 x\nfloat64 y\nfloat64 z\nfloat64 w",
    "geometry_msgs/Pose": "Point position\nQuaternion orientation",
    "geometry_msgs/Twist": "Vector3 linear\nVector3 angular",
    "geometry_msgs/PoseStamped": "Header header\nPose pose",
    "rosgraph_msgs/Log": (
        "byte DEBUG=1\nbyte INFO=2\nbyte WARN=4\nbyte ERROR=8\nbyte FATAL=16\nHeader header\nbyte level\nstring name\n"
        "string msg\nstring file\nstring function\nuint32 line\nstring[] topics"
    ),
}
_REQUEST, _RESPONSE = "Request", "Response"


class MessageField(NamedTuple):
    """A field of a message.

    Attributes:
        type: `float64`, `string`, or a message with its package.
        many: How many of them: None = one, -1 = any number, which is told before them.
        name: Of the field.
    """

    type: str
    many: int | None
    name: str


class MessageTypes:
    """Types of messages by name; those of `std_msgs`, `rosgraph_msgs` and `geometry_msgs` used most are known."""

    def __init__(self) -> None:
        self._texts, self._fields = dict[str, str](), dict[str, tuple[MessageField, ...]]()
        for name, text in _USUAL.items():
            self.add(name, text)

    def add(self, name: str, text: str) -> None:
        """Take in a type as its `.msg` file defines it; types that it is made of come first.

        Raises:
            BadArgument: A line is no field, or of no known type.
        """
        lines = [line for line in (splitline.partition("#")[0].strip() for splitline in text.splitlines()) if line]
        self._fields[name] = tuple(self._part(name, line) for line in lines if not _is_constant(line))
        self._texts[name] = "\n".join(lines)

    def add_service(self, name: str, text: str) -> None:
        """Take in a service as its `.srv` file defines it: its request, `---`, its response.

        Both are messages then, named after the service: `NAMERequest` and `NAMEResponse`.

        Raises:
            BadArgument: A line is no field, or of no known type.
        """
        request, _, response = text.partition("---")
        self.add(name + _REQUEST, request)
        self.add(name + _RESPONSE, response)

    def service_sum(self, name: str) -> str:
        """Return the MD5 sum by which nodes know that they mean the same service.

        Raises:
            BadArgument: There is no such type.
        """
        whole = self._summed_text(name + _REQUEST) + self._summed_text(name + _RESPONSE)
        return hashlib.md5(whole.encode(), usedforsecurity=False).hexdigest()

    def sum(self, name: str) -> str:
        """Return the MD5 sum by which nodes know that they mean the same.

        Raises:
            BadArgument: There is no such type.
        """
        return hashlib.md5(self._summed_text(name).encode(), usedforsecurity=False).hexdigest()

    def _summed_text(self, name: str) -> str:
        """Return a definition as sums are made of it: constants first, messages by their own sums."""
        parts = self._of(name)
        lines = [
            re.sub(r"\s*=\s*", "=", " ".join(splitline.split()), count=1)
            for splitline in self._texts[name].splitlines()
            if _is_constant(splitline)
        ]
        lines += [
            f"{_shown(part)} {part.name}" if part.type in _PLAIN else f"{self.sum(part.type)} {part.name}"
            for part in parts
        ]
        return "\n".join(lines)

    def text(self, name: str) -> str:
        """Return the definition of a type and of all that it is made of.

        Raises:
            BadArgument: There is no such type.
        """
        texts, open_types = dict[str, str](), [name]
        while open_types:
            open_type_ = open_types.pop(0)
            if open_type_ not in texts:
                parts = self._of(open_type_)
                texts[open_type_] = self._texts[open_type_]
                open_types += [part.type for part in parts if part.type not in _PLAIN]
        return f"\n{_RULE}\n".join(text if kind == name else f"MSG: {kind}\n{text}" for kind, text in texts.items())

    def encoded(self, name: str, values: Mapping[str, Any]) -> bytes:
        """Return a message as bytes; what `values` leaves out is 0, empty or all its parts so.

        Raises:
            BadArgument: There is no such type or field, or a value does not fit.
        """
        wrong = sorted(set(values) - {entry.name for entry in self._of(name)})
        if wrong:
            raise BadArgument(
                f"{name} has no field {wrong[0]!r}; it has {', '.join(entry.name for entry in self._of(name))}"
            )
        return b"".join(self._encode(name, entry, values.get(entry.name)) for entry in self._of(name))

    def decoded(self, name: str, raw: bytes) -> dict[str, Any]:
        """Return the values of a message by field.

        Raises:
            BadArgument: It is not one of this type.
        """
        try:
            values, end = self._decode_all(name, raw, 0)
        except struct.error:
            raise BadArgument(f"{len(raw)} bytes are too few for a message {name}") from None
        if end != len(raw):
            raise BadArgument(f"a message {name} has {end} bytes, got {len(raw)}")
        return values

    def _of(self, name: str) -> tuple[MessageField, ...]:
        if name not in self._fields:
            raise BadArgument(f"no message type {name!r} is known here; give its definition to `types.add`")
        return self._fields[name]

    def _part(self, name: str, line: str) -> MessageField:
        match = _FIELD.match(line)
        if match is None:
            raise BadArgument(f"{name}: {line!r} is no field; expected `type name`")
        kind, many, field = match.groups()
        if kind not in _PLAIN:
            package = name.partition("/")[0]
            kind = kind if "/" in kind else "std_msgs/Header" if kind == "Header" else f"{package}/{kind}"
            self._of(kind)
        return MessageField(kind, None if not many else int(many[1:-1] or -1), field)

    def _encode(self, name: str, part: MessageField, value: Any) -> bytes:
        if part.many is None:
            return self._encode_one(name, part, value)
        if part.type == "uint8" and part.many < 0 and isinstance(value, bytes):
            return struct.pack("<I", len(value)) + value
        items = list(value) if value is not None else [None] * max(0, part.many)
        if part.many >= 0 and len(items) != part.many:
            raise BadArgument(f"{part.name} of {name} takes {part.many} values, got {len(items)}")
        head = struct.pack("<I", len(items)) if part.many < 0 else b""
        if part.type in _AT_ONCE and None not in items:
            with suppress(struct.error):  # said below, with the element that does not fit
                return head + struct.pack(f"<{len(items)}{_PRIMITIVES[part.type]}", *items)
        return head + b"".join(self._encode_one(name, part, item) for item in items)

    def _encode_one(self, name: str, part: MessageField, value: Any) -> bytes:
        try:
            if part.type == "string":
                raw = str(value or "").encode()
                return struct.pack("<I", len(raw)) + raw
            if part.type not in _PRIMITIVES:
                return self.encoded(part.type, value or {})
            if part.type in _TIMES and isinstance(value, Mapping):
                return struct.pack("<" + _PRIMITIVES[part.type], value.get("secs", 0), value.get("nsecs", 0))
            if part.type in _TIMES:
                seconds, nanoseconds = divmod(round(1e9 * float(value or 0.0)), 1_000_000_000)
                return struct.pack("<" + _PRIMITIVES[part.type], seconds, nanoseconds)
            return struct.pack("<" + _PRIMITIVES[part.type], value or 0)
        except (struct.error, TypeError, ValueError, OverflowError) as problem:
            raise BadArgument(f"{part.name} of {name} is a {part.type}, got {value!r:.80}: {problem}") from None

    def _decode_all(self, name: str, raw: bytes, at: int) -> tuple[dict[str, Any], int]:
        values: dict[str, Any] = {}
        for part in self._of(name):
            values[part.name], at = self._decode(part, raw, at)
        return values, at

    def _decode(self, part: MessageField, raw: bytes, at: int) -> tuple[Any, int]:
        if part.many is None:
            return self._decode_one(part.type, raw, at)
        count = part.many
        if count < 0:
            (count,), at = struct.unpack_from("<I", raw, at), at + 4
        if count > min(_LONGEST, len(raw)):
            raise BadArgument(f"{part.name} has {count} elements, more than came")
        if part.type in _AT_ONCE:
            form = f"<{count}{_PRIMITIVES[part.type]}"
            return list(struct.unpack_from(form, raw, at)), at + struct.calcsize(form)
        items = []
        for _ in range(count):
            item, at = self._decode_one(part.type, raw, at)
            items.append(item)
        return items, at

    def _decode_one(self, kind: str, raw: bytes, at: int) -> tuple[Any, int]:
        if kind == "string":
            (size,) = struct.unpack_from("<I", raw, at)
            if size > len(raw) - at - 4:
                raise BadArgument(f"a text has {size} bytes, more than came")
            return raw[at + 4 : at + 4 + size].decode(errors="replace"), at + 4 + size
        if kind not in _PRIMITIVES:
            return self._decode_all(kind, raw, at)
        form = "<" + _PRIMITIVES[kind]
        values = struct.unpack_from(form, raw, at)
        value = values[0] + 1e-9 * values[1] if len(values) > 1 else values[0]
        return value, at + struct.calcsize(form)


_PLAIN: Final = {*_PRIMITIVES, "string"}
_TIMES: Final = ("time", "duration")
_AT_ONCE: Final = {*_PRIMITIVES} - {*_TIMES}
"""Types of which an array is packed in one go: a scan has hundreds of numbers."""


def _is_constant(line: str) -> bool:
    return _CONSTANT.match(line) is not None


def _shown(part: MessageField) -> str:
    """Return a type as a definition writes it."""
    many = "" if part.many is None else "[]" if part.many < 0 else f"[{part.many}]"
    return part.type + many
