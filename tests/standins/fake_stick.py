"""A joystick where the kernel has none: what Linux answers of /dev/input/event0, behind it a socket.

No machine of tests has a joystick, and few kernels make one up (uinput). Only answers of the kernel are made up here:
`pyglet` finds the device, asks what it has, reads its events and learns that it was unplugged as of a real one.
"""

import ctypes
import errno
import os
import socket
import struct
from typing import Any

FOLDER, FILE = "/dev/input", "/dev/input/event0"
NAME = b"Stick 3000"
SYN, KEY, ABS = 0, 1, 3
X, Y, TRIGGER = 0, 1, 0x120
RANGE = 512
_EVENT = struct.Struct("llHHi")
_ID, _NAME, _BITS, _AXIS = 0x02, 0x06, 0x20, 0x40
_HAS = {0: (SYN, KEY, ABS), KEY: (TRIGGER,), ABS: (X, Y)}


class FakeStick:
    """Two axes and a trigger; to make one changes what this process is told of /dev/input."""

    def __init__(self) -> None:
        from pyglet.libs import ioctl

        self._reader, self._writer = socket.socketpair()
        self._is_there = True
        self._listdir, self._open, self._exists = os.listdir, os.open, os.path.exists
        changed: dict[tuple[Any, str], Any] = {
            (os, "listdir"): lambda path=".": self._names() if path == FOLDER else self._listdir(path),
            (os, "open"): self._file,
            (os.path, "exists"): lambda path: self._is_there if path == FILE else self._exists(path),
            (ioctl, "_ioctl"): self._answer,
        }
        for (place, name), function in changed.items():
            setattr(place, name, function)

    def push(self, axis: int, value: int) -> None:
        """Push the stick along an axis, -512 to 512."""
        events = ((ABS, axis, value), (SYN, 0, 0))
        self._writer.sendall(b"".join(_EVENT.pack(0, 0, *event) for event in events))

    def unplug(self) -> None:
        """Have reads fail and the file be gone."""
        self._is_there = False
        self._reader.send(b"unread")  # an end that goes without having read lets the other one's reads fail
        self._writer.close()

    def _names(self) -> list[str]:
        return ["event0", "mice"] if self._is_there else []

    def _file(self, path: Any, *rest: Any, **more: Any) -> int:
        if path != FILE:
            return self._open(path, *rest, **more)
        file = os.dup(self._reader.fileno())
        os.set_blocking(file, False)
        return file

    def _answer(self, _file: int, request: int, buffer: Any, *_: Any) -> int:
        number, size = request & 0xFF, request >> 16 & 0x3FFF
        if number == _ID:
            answer = struct.pack("4H", 3, 0x1234, 0x5678, 1)
        elif number == _NAME:
            answer = NAME + b"\0"
        elif number >= _AXIS:
            answer = struct.pack("6i", 0, -RANGE, RANGE, 0, 0, 0)
        elif number >= _BITS:
            answer = sum(1 << code for code in _HAS.get(number - _BITS, ())).to_bytes(size, "little")
        else:
            raise OSError(errno.EINVAL, "no such request")
        ctypes.memmove(ctypes.addressof(buffer), answer, min(size, len(answer)))
        return len(answer)
