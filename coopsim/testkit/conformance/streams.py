"""Vectors of what is more than a message: frames of the state stream, layouts, and messages on a TCP connection."""

import json
import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgpack

from coopsim.message import Message, encode
from coopsim.testkit.conformance.cases import MOTORS, PING
from coopsim.testkit.conformance.false_server import framed
from coopsim.testkit.conformance.values import Value, written, written_list

RUN = 4_503_599_627_370_497  # above 2^52: a client that keeps it in a float of 32 bits fails
_POSE = (0.5, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0)  # each number is exact in binary
_STATE: dict[str, Any] = {
    "tick": 120,
    "time": 1.2,
    "generation": 1,
    "revision": 125,
    "mode": "lockstep",
    "paused": 0,
    "ended": 0,
    "run": RUN,
    "poses": _POSE,
    "readings": (0.3, 0.1),
    "names": ("robot1",),
    "robots": ("robot1",),
    "widths": (2,),
}
_NOBODY = _STATE | {"poses": (), "readings": (), "names": (), "robots": (), "widths": ()}
_TWO = _STATE | {
    "poses": _POSE * 3,
    "readings": (0.3, 0.1, 0.2, -0.0, 5e-324),
    "names": ("robot10", "box", "robot2"),
    "robots": ("robot2", "robot10"),
    "widths": (2, 3),
}


def _frame(topic: str, state: dict[str, Any]) -> bytes:
    packed = {key: _bytes(value) if key in {"poses", "readings"} else value for key, value in state.items()}
    return topic.encode() + b"\0" + bytes(msgpack.packb(packed))


def _bytes(values: Sequence[float]) -> bytes:
    return struct.pack(f"<{len(values)}d", *values)


def state_fields(topic: str, state: dict[str, Any]) -> str:
    """Return what a frame means: topic, then the values of its keys; a list where there are several."""
    keys = ("tick", "time", "generation", "revision", "mode", "paused", "ended", "run")
    lists = ("names", "poses", "robots", "widths", "readings")
    words = [written(topic), *(written(state[key]) for key in keys), *(written_list(state[key]) for key in lists)]
    return "\t".join(words)


def state_frames() -> Iterator[tuple[str, bytes, str]]:
    """Yield name, bytes and meaning of frames of the state stream (docs/protocol.md, section 4.4)."""
    topic = "/sim/state"
    backward = dict(reversed([*_STATE.items()]))
    later = {"later": {"a": [1, None]}} | _STATE | {"more": 7}
    no_run = {key: value for key, value in _STATE.items() if key != "run"}
    yield "a state", _frame(topic, _STATE), state_fields(topic, _STATE)
    yield "a state of one robot, one record of ten", _frame("/robot1@10", _STATE), state_fields("/robot1@10", _STATE)
    yield "keys in another order", _frame(topic, backward), state_fields(topic, _STATE)
    yield "later keys are ignored", _frame(topic, later), state_fields(topic, _STATE)
    yield "a state without a run", _frame(topic, no_run), state_fields(topic, _STATE | {"run": 0})
    yield "a state of nobody", _frame(topic, _NOBODY), state_fields(topic, _NOBODY)
    yield "bodies and robots in orders of their own", _frame(topic, _TWO), state_fields(topic, _TWO)
    ended = _STATE | {"ended": 1, "paused": 1, "mode": "free", "time": 0.0}
    yield "the last state of a run", _frame(topic, ended), state_fields(topic, ended)


_LENGTHS = {"takes_length": 2, "gives_length": 12}
_COLUMNS = {
    "takes": [["motors", "v", "m/s", 0, 1], ["motors", "w", "rad/s", 1, 1]],
    "gives": [["sonars", "ranges", "m", 0, 11], ["odometry", "x", "m", 11, 1]],
    **_LENGTHS,
}
_LAYOUT: dict[str, Any] = {
    "generation": 3,
    "run": RUN,
    "total": 2,
    "types": {"single": _COLUMNS},
    "robots": [["robot2", "single"], ["robot10", "single"]],
}


def layouts() -> Iterator[tuple[str, bytes, str]]:
    """Yield name, bytes and meaning of replies to LAYOUT: id, generation, run, robots, lengths of rows."""
    later = _LAYOUT | {"later": [1], "types": {"single": _COLUMNS | {"later": None}}}
    yield "a layout of two robots", *_layout(_LAYOUT)
    yield "a layout with later members", *_layout(later)
    yield "a layout without robots", *_layout(_LAYOUT | {"types": {}, "robots": [], "total": 0})


def _layout(layout: dict[str, Any]) -> tuple[bytes, str]:
    names = [name for name, _ in layout["robots"]]
    lengths = [float(length) for _ in names for length in _LENGTHS.values()]
    params: tuple[Value, ...] = (json.dumps(layout), layout["generation"], RUN, layout["total"], *names)
    message = Message("/sim/step", 10, params, tuple(lengths), tick=7, id=5)
    words = [written(5), written(layout["generation"]), written(RUN), written_list(names), written_list(lengths)]
    return encode(message), "\t".join(words)


def streams() -> Iterator[tuple[str, bytes, str]]:
    """Yield name, bytes and meaning of what comes on a TCP connection.

    The meaning: each message in hex, empty messages as `-`; then `more` BYTES, how many are missing of the next one,
    `end`, or `too long`.
    """
    ping, drive = encode(PING), encode(Message(MOTORS, 10, data=(0.3, 0.1), id=2))
    yield "one message", framed(ping), _line([ping], "end")
    yield "three messages at once", framed(ping) + framed(drive) + framed(ping), _line([ping, drive, ping], "end")
    yield "an empty message between two", framed(ping) + framed(b"") + framed(drive), _line([ping, b"", drive], "end")
    yield "nothing yet", b"", _line([], "end")
    yield "half a length", framed(ping)[:2], _line([], "more 2")
    yield "a length alone", framed(ping)[:4], _line([], f"more {len(ping)}")
    yield "a message and most of the next", framed(ping) + framed(drive)[:-1], _line([ping], "more 1")
    yield "the largest length", struct.pack(">I", 1 << 20), _line([], f"more {1 << 20}")
    yield "a length beyond the limit", struct.pack(">I", (1 << 20) + 1), _line([], "too long")
    yield "a message, then a length beyond the limit", framed(ping) + b"\xff" * 4, _line([ping], "too long")


def _line(messages: Iterable[bytes], end: str) -> str:
    return "\t".join([*(raw.hex() or "-" for raw in messages), end])
