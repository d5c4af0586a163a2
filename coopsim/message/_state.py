"""State of one tick in the state stream, and its bytes (docs/protocol.md, section 4.4).

By ZeroMQ a state is a topic, NUL and a msgpack map; by TCP it is a message.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import msgpack
import numpy as np

from coopsim.errors import MalformedMessage
from coopsim.geometry import Floats
from coopsim.message._message import Message, Param

EVERYTHING = "/sim/state"
"""The topic that tells of all bodies and all robots."""
LONGEST_TOPIC = 256  # as long as a target
MOST_EVERY = 1_000_000  # ticks between two states; hours
_POSE = 7  # x y z and a quaternion


@dataclass(frozen=True)
class StateMessage:
    """Bodies and readings of one tick, as a subscriber sees them.

    Attributes:
        topic: What was subscribed, `/robot1@10`.
        tick: How many steps were done.
        time: Simulated time [s].
        generation: Of the layout that `readings` follows.
        revision: Number of the record; grows also while the tick stands still.
        mode: `real-time`, `lockstep` or `free`.
        is_paused: Whether time stands still.
        is_ended: Whether this is the last one of the run.
        names: Bodies that move, a row of `poses` each.
        poses: Position of the base and quaternion w x y z, shape (n, 7) [m].
        robots: Robots, in the order of their readings.
        widths: How many readings each of them has.
        flat: Readings of all robots back to back.
        run: The run that it is a state of; 0 = the server has no such number.
    """

    topic: str
    tick: int
    time: float
    generation: int
    revision: int
    mode: str
    is_paused: bool
    is_ended: bool
    names: tuple[str, ...]
    poses: Floats
    robots: tuple[str, ...]
    widths: tuple[int, ...]
    flat: Floats
    run: int = 0

    def pose(self, name: str) -> Floats:
        """Return position and quaternion of a body, shape (7,).

        Raises:
            KeyError: The state does not tell of it.
        """
        row: Floats = self.poses[self._rows[name]]
        return row

    def readings(self, robot: str) -> Floats:
        """Return the readings of a robot, in the order of the layout.

        Raises:
            KeyError: The state does not tell of it.
        """
        return self.flat[self._spans[robot]]

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.names)}

    @cached_property
    def _spans(self) -> dict[str, slice]:
        ends = accumulate(self.widths)
        return {name: slice(end - width, end) for name, width, end in zip(self.robots, self.widths, ends, strict=True)}


def topic(name: str, every: int = 1) -> str:
    """Return the topic of a robot, or of everything, that is sent with one of `every` records."""
    return name if every == 1 else f"{name}@{every}"


def split_topic(text: str) -> tuple[str, int] | None:
    """Return name and divider of a topic, None if it is none."""
    name, at, number = text.partition("@")
    every = 1 if not at else int(number) if number.isascii() and number.isdecimal() and len(number) <= 7 else 0
    is_whole = name.startswith("/") and len(text) <= LONGEST_TOPIC and 1 <= every <= MOST_EVERY
    return (name, every) if is_whole else None


def pack_names(names: Sequence[str], robots: Sequence[str], widths: Sequence[int]) -> bytes:
    """Return the part of a state that changes with the generation alone."""
    parts = [msgpack.packb(part) for part in ("names", names, "robots", robots, "widths", widths)]
    return b"".join(parts)


def pack_state(head: Sequence[Any], names: bytes, poses: bytes, flat: bytes) -> bytes:
    """Return the bytes of a state behind its topic and NUL.

    Args:
        head: Tick, time, generation, revision, mode, is paused, is ended, run.
        names: What `pack_names` made.
        poses: Little-endian float64, 7 for each of the names.
        flat: Little-endian float64, the readings.
    """
    packer = msgpack.Packer(autoreset=False)
    packer.pack_map_header(len(_HEAD) + 6)
    for key, value in zip((*_HEAD, _RUN), head, strict=True):
        packer.pack(key)
        packer.pack(value)
    for part in ("poses", poses, "readings", flat):
        packer.pack(part)
    whole: bytes = packer.bytes()
    return whole + names


_HEAD = ("tick", "time", "generation", "revision", "mode", "paused", "ended")
_RUN = "run"
_NUMBERS = 8
"""Params of a state before the names."""


def unpack_state(raw: bytes) -> StateMessage:
    """Return the state in one message of the stream; keys that later revisions add are ignored.

    Raises:
        MalformedMessage: It is none.
    """
    name, _, body = raw.partition(b"\0")
    try:
        fields = msgpack.unpackb(body)
        tick, time, generation, revision, mode, paused, ended = (fields[key] for key in _HEAD)
        names, robots, widths = (tuple(fields[key]) for key in ("names", "robots", "widths"))
        poses = np.frombuffer(fields["poses"], "<f8").astype(np.float64, copy=False).reshape(len(names), _POSE)
        flat = np.frombuffer(fields["readings"], "<f8").astype(np.float64, copy=False)
        if sum(widths) != flat.size or len(widths) != len(robots):
            raise ValueError(f"{flat.size} readings for robots of {widths}")
        times = int(tick), float(time), int(generation), int(revision), str(mode)
        run = int(fields.get(_RUN, 0))
        return StateMessage(name.decode(), *times, bool(paused), bool(ended), names, poses, robots, widths, flat, run)
    except Exception as problem:  # msgpack, numpy and lookups raise many kinds; all mean the same here
        raise MalformedMessage(f"no state: {type(problem).__name__} {problem}"[:200]) from None


def state_message(
    topic: str, command: int, head: Sequence[Any], names: Sequence[Param], values: Floats, *, binary: bool
) -> Message:
    """Return the message that carries a state.

    Args:
        topic: What was subscribed.
        command: Number of the command that subscribed it.
        head: Tick, time, generation, revision, mode, is paused, is ended, run.
        names: What `state_names` made.
        values: Poses, 7 for each body, and readings, back to back.
        binary: Whether data travel as bytes.
    """
    tick, time, generation, revision, mode, paused, ended, run = head
    params = (run, generation, revision, mode, paused, ended, *names)
    return Message(topic, command, params, np.concatenate(((time,), values)), tick, binary=binary)


def state_names(names: Sequence[str], robots: Sequence[str], widths: Sequence[int]) -> tuple[Param, ...]:
    """Return the params of a state that change with the generation alone."""
    return (len(names), len(robots), *names, *robots, *widths)


def state_of(message: Message) -> StateMessage:
    """Return the state in a message.

    Raises:
        MalformedMessage: There is none in it.
    """
    try:
        run, generation, revision, mode, paused, ended, bodies, count = message.params[:_NUMBERS]
        names, robots, widths = _three(message.params[_NUMBERS:], int(bodies), int(count))
        data = np.asarray(message.data, np.float64)
        poses, flat = data[1 : 1 + _POSE * len(names)].reshape(-1, _POSE), data[1 + _POSE * len(names) :]
        if sum(widths) != flat.size:
            raise ValueError(f"{flat.size} readings for robots of {widths}")
        times = message.tick, float(data[0]), int(generation), int(revision), str(mode)
        return StateMessage(
            message.target, *times, bool(paused), bool(ended), names, poses, robots, widths, flat, int(run)
        )
    except (ValueError, TypeError, IndexError) as problem:
        raise MalformedMessage(f"no state: {type(problem).__name__} {problem}"[:200]) from None


def _three(
    given: Sequence[Param], bodies: int, robots: int
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[int, ...]]:
    if len(given) != bodies + 2 * robots:
        raise ValueError(f"{len(given)} params for {bodies} bodies and {robots} robots")
    ends = bodies, bodies + robots
    named = tuple(map(str, given[: ends[0]])), tuple(map(str, given[ends[0] : ends[1]]))
    return (*named, tuple(int(width) for width in given[ends[1] :]))
