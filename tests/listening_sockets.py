"""Where this process listens, of which the kernel keeps a table: nobody else may have a say in it."""

import os
import socket
import struct
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

_LISTENING = "0A"
_LOCAL, _STATE, _INODE = 1, 3, 9
"""Columns of `/proc/net/tcp` and `tcp6`, see proc(5)."""


def listening(ports: Collection[int]) -> set[tuple[str, int]]:
    """Return the addresses and ports, of those given, at which this process listens."""
    own = _sockets()
    lines = [line for name in ("tcp", "tcp6") for line in Path("/proc/self/net", name).read_text().splitlines()[1:]]
    rows = [line.split() for line in lines]
    addresses = {_address(row[_LOCAL]) for row in rows if row[_STATE] == _LISTENING and row[_INODE] in own}
    return {(address, port) for address, port in addresses if port in ports}


def _sockets() -> set[str]:
    """Return the numbers of the sockets that this process has."""
    inodes = set()
    for entry in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile by another thread
            name = os.readlink(entry)
            if name.startswith("socket:["):
                inodes.add(name[len("socket:[") : -1])
    return inodes


def _address(text: str) -> tuple[str, int]:
    address, port = text.split(":")
    words = struct.pack(f"={len(address) // 8}I", *(int(address[k : k + 8], 16) for k in range(0, len(address), 8)))
    return socket.inet_ntop(socket.AF_INET if len(words) == 4 else socket.AF_INET6, words), int(port, 16)
