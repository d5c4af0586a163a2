"""The C library as the host calls it, where it was built, and the structures that both sides share.

What they hold is said in coopsim/lane/lane.h.
"""

import ctypes
import os
from collections.abc import Mapping
from enum import IntEnum
from pathlib import Path

from coopsim.lane import load

_INTERFACE = 6  # LANE_INTERFACE of lane.h: counted up with each change of a structure or of a meaning
MOST_EVENTS = 64
"""Events that the lane takes at once, LANE_EVENTS of lane.h: more clients than that wait for the next look."""
# every field has 64 bits, so that no compiler puts gaps between them
_INT, _ADDRESS = ctypes.c_int64, ctypes.c_void_p


class LaneOutcome(IntEnum):
    """Reason why the lane gave control back."""

    OVER = 0
    GRANTED = 1


class LaneForm(ctypes.Structure):
    """Common part of a connection's messages that come again and again, and of their answers."""

    _fields_ = (
        *((name, _INT) for name in ("kind", "begin")),
        *((name, _ADDRESS) for name in ("head", "middle", "end", "reply")),
        *((name, _INT) for name in ("head_size", "middle_size", "end_size", "reply_size")),
        *((name, _INT) for name in ("is_binary", "takes", "gives", "values_before")),
        *((name, _ADDRESS) for name in ("lows", "highs", "slots", "sources", "image", "stamps", "readings", "robots")),
        *((name, _INT) for name in ("slot_count", "stamp_count", "robot_count", "is_dense")),
        ("taken", _ADDRESS),
    )


class LaneMember(ctypes.Structure):
    """A connection: what it says, and what it has said."""

    _fields_ = (
        *((name, _INT) for name in ("fd", "kind")),
        ("forms", _ADDRESS),
        *((name, _INT) for name in ("form_count", "robots", "first", "parts")),
        *((name, _ADDRESS) for name in ("inbox", "outbox", "values")),
        *((name, _INT) for name in ("in_size", "have", "last", "left", "turn", "out_at", "out_end")),
        ("held", _ADDRESS),
        *((name, ctypes.c_uint64) for name in ("number", "due")),
        ("numbers", _ADDRESS),
        *((name, _INT) for name in ("kept", "scanned", "answered", "is_cut")),
    )


class LaneState(ctypes.Structure):
    """All connections, the shared memory of the run, and what was done."""

    _fields_ = (
        *((name, _INT) for name in ("epoll", "permit", "woken", "until")),
        *((name, _ADDRESS) for name in ("members", "member_of")),
        *((name, _INT) for name in ("count", "descriptors", "is_single", "is_crowded")),
        ("words", _ADDRESS),
        *((name, _INT) for name in ("w_version", "w_generation", "w_permits", "w_sleeps", "w_watches", "w_crowded")),
        *((name, _INT) for name in ("w_begun", "w_begun_at", "w_tail")),
        ("ring", _ADDRESS),
        ("ring_size", ctypes.c_uint64),
        ("rows", _ADDRESS),
        *((name, ctypes.c_uint64) for name in ("generation", "lockstep", "reading_size")),
        *((name, _ADDRESS) for name in ("wanted", "commanded", "periods", "spans")),
        ("robots", _INT),
        ("readings", _ADDRESS),
        ("position", ctypes.c_uint64),
        ("time", ctypes.c_double),
        *((name, ctypes.c_uint64) for name in ("next", "seen")),
        *((name, _INT) for name in ("steps", "missing", "awaited", "is_granted")),
        *((name, _INT) for name in ("busy", "unsent", "turns", "begun")),
        ("others", _ADDRESS),
        *((name, _INT) for name in ("other_count", "rest")),
    )


class LaneLibrary:
    """The C library of the lane.

    Args:
        path: Its file.

    Raises:
        OSError: It is no library of this machine.
        ValueError: It is of another version of coopsim.
    """

    def __init__(self, path: Path) -> None:
        library = ctypes.CDLL(str(path))
        sizes = ctypes.c_int64(), ctypes.c_int64(), ctypes.c_int64()
        library.lane_interface.restype = _INT
        version = library.lane_interface(*map(ctypes.byref, sizes))
        wanted = (_INTERFACE, *map(ctypes.sizeof, (LaneState, LaneMember, LaneForm)))
        if (version, *(size.value for size in sizes)) != wanted:
            raise ValueError(f"{path.name} was built for another version of coopsim")
        self._run = library.lane_run
        self._run.argtypes, self._run.restype = [ctypes.POINTER(LaneState)], _INT

    def run(self, state: LaneState) -> LaneOutcome:
        """Do steps until there is something for Python; other threads go on meanwhile."""
        return LaneOutcome(self._run(state))


def find(environment: Mapping[str, str] = os.environ) -> LaneLibrary | None:
    """Return the library, None where it was not built, cannot be used, or is not wanted."""
    return load(LaneLibrary, environment)
