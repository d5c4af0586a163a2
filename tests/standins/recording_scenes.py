"""Records, layouts and files for the tests of the recording."""

import errno
import io
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import msgpack
import numpy as np

from coopsim.interfaces import MOTORS, ODOMETRY, SONARS, TARGET, Interface, width
from coopsim.recording import Writer
from coopsim.state import EntityRow, Layout, ModuleLayout, Record, RecordHeader, RobotPlace, TypeLayout
from coopsim.state.layout import VALUES
from coopsim.state.record import padded

STEP_NS = 10_000_000
BODIES, READINGS, COMMANDS = 2, 116, 8  # of two robots
SCENARIO = {"two.scenario": "[WORLD]\nfile empty.world\n# größer\n", "empty.world": "[FLOOR]\n"}


def layout(generation: int = 0, robots: int = 2, extra: Interface | None = None) -> Layout:
    """Return a layout of `robots` robots that carry four devices, and a fifth with the interface `extra`."""
    modules = [
        ModuleLayout("motors", MOTORS, {}, (), 0, 0, 4, True),
        ModuleLayout("sonars", SONARS, {"count": 11}, (), -1, 4, 11, False),
        ModuleLayout("target", TARGET, {"targets": 6}, ("red", "blue"), -1, 15, 38, False),
        ModuleLayout("odometry", ODOMETRY, {}, (), -1, 53, 5, False),
    ]
    sets, reads = 4, 58
    if extra is not None:
        wide = width(extra.readings, {"n": 2})
        modules.append(ModuleLayout("extra", extra, {"n": 2}, (), sets, reads, wide, False))
        sets, reads = sets + VALUES + extra.setting_width, reads + wide
    kind = TypeLayout("single", tuple(modules), sets, reads)
    names = [f"robot{k + 1}" for k in range(robots)]
    places = tuple(RobotPlace(name, kind, sets * k, reads * k, k) for k, name in enumerate(names))
    floor = EntityRow("floor", "floor", "floor", -1, (0, 0, 0, 1, 0, 0, 0), (10, 10, 0.1), 0.0, (1, 1, 1), 1.0)
    rows = [
        EntityRow(name, "robot", "single", k, (0.1 * k, 0, 0, 1, 0, 0, 0), (0.5, 0.5, 0.3), 20, (1, 0, 0), 0.5)
        for k, name in enumerate(names)
    ]
    return Layout(generation, (kind,), places, (floor, *rows), tuple(names), sets * robots, reads * robots)


def record(number: int, edits: list[dict[str, Any]] | None = None, keyframe: bytes = b"", **head: Any) -> Record:
    """Return the record of tick `number`: robots that drive, noisy readings, commands that sometimes change."""
    packed = msgpack.packb(edits) if edits else b""
    sizes = {"bodies": BODIES, "readings": READINGS, "commands": COMMANDS, "edits_bytes": len(packed)}
    sizes["keyframe_bytes"] = len(keyframe)
    sizes |= {name: head.pop(name) for name in tuple(head) if name in sizes}
    said = {"tick": number, "revision": number, "time_ns": number * STEP_NS, "wall_ns": number * 10_000_019, **head}
    header = RecordHeader(**{**said, **sizes, "state_hash": number.to_bytes(16, "little")})
    random = np.random.default_rng(number)
    poses = np.sin(0.01 * number + np.arange(7.0 * header.bodies))
    twists = np.cos(0.01 * number + np.arange(6.0 * header.bodies))
    readings = 2.0 + 0.02 * random.standard_normal(header.readings)
    commands = np.round(0.37 * (number // 7 + np.arange(header.commands)), 3)
    raw = header.pack() + b"".join(array.tobytes() for array in (poses, twists, readings, commands))
    return Record(raw + packed.ljust(padded(len(packed)), b"\0") + keyframe.ljust(padded(len(keyframe)), b"\0"))


def write(
    path: Path,
    count: int,
    *,
    keyframes: int = 100,
    generations: int = 1,
    close: bool = True,
    attachments: Mapping[str, str | bytes] = SCENARIO,
) -> Writer:
    """Write a recording: `count` records from tick 1, a flush every 100, a key frame every `keyframes`.

    Args:
        generations: Into how many parts, each with a layout of its own, it is divided.
    """
    writer = Writer(path, metadata={"seed": 7}, attachments=attachments, clock=lambda: 0.0)
    for number in range(1, count + 1):
        generation = (number - 1) * generations // count
        if (number - 1) * generations % count < generations:
            writer.layout(layout(generation))
        edits = [{"edit": "set_speed", "speed": number * 0.1}] if number % 70 == 0 else []
        state = bytes([number % 251]) * 45 if number % keyframes == 0 else b""
        writer.write(record(number, edits, state, generation=generation))
        if number % 100 == 0:
            writer.flush()
    if close:
        writer.close()
    return writer


def same(found: Record, expected: Record) -> bool:
    """Return whether a record is the one that was written, as exact as the file is."""
    return (
        found.header == expected.header
        and (found.edits, found.keyframe) == (expected.edits, expected.keyframe)
        and np.array_equal(found.poses.astype(np.float32), expected.poses.astype(np.float32))
        and np.array_equal(found.twists.astype(np.float32), expected.twists.astype(np.float32))
        and np.array_equal(found.readings.astype(np.float32), expected.readings.astype(np.float32))
        and np.array_equal(found.commands, expected.commands)
    )


class FullDisk(io.RawIOBase):
    """A file on a disk that has room for so many bytes.

    Args:
        path: Where the file really is.
        room: Bytes until the disk is full.
    """

    def __init__(self, path: Path, room: int) -> None:
        self._file = path.open("xb", buffering=0)
        self._room = room

    def writable(self) -> bool:
        """Say that it can be written."""
        return True

    def tell(self) -> int:
        """Return the position."""
        return self._file.tell()

    def write(self, data: Any) -> int:
        """Write as much as there is room for."""
        if self._room == 0 and len(data):
            raise OSError(errno.ENOSPC, "No space left on device")
        part = bytes(data)[: self._room]
        self._room -= len(part)
        return self._file.write(part)

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()


def full_after(room: int) -> Callable[[Path], BinaryIO]:
    """Return what opens a file on a disk that has room for `room` bytes."""
    return lambda path: io.BufferedWriter(FullDisk(path, room))
