"""A program of YARP on blocking sockets that benchmarks run beside the gateway."""

import re
import socket
import struct
import threading
from collections.abc import Sequence
from typing import Final

from coopsim.features.gateways.bench.programs import PATIENCE, GatewayProgram, wait_until
from coopsim.features.gateways.yarp import bottle, wire
from coopsim.features.gateways.yarp.bottle import Value

_NAME: Final = "/bench"
_FAST_TCP: Final = wire.DATAGRAMS + 3
"""A connection over TCP without acknowledgements begins with this number."""
_HOST: Final = "127.0.0.1"
_VELOCITY: Final[list[Value]] = [0.2, 0.0, 5.7]
"""Forward and left [m/s], turn [degrees/s], as clients of the device `MobileBaseVelocityControl` send them."""
ODOMETER: Final[list[Value]] = [0.123, 0.456, 0.789, 0.2, 0.0, 0.1, 0.2, 0.0, 0.1]
"""Odometry as `odometry2D` streams it: as many numbers as a gateway sends."""


class YarpProgram(GatewayProgram):
    """A program with one port for all that it reads.

    Args:
        place: Of the name server, `127.0.0.1:10000`; of a yardstick its port alone.
        robot: Whose name is in the ports.
    """

    case = kind = "yarp"

    def __init__(self, place: str, robot: str = "robot1") -> None:
        self._command = wire.framed(bottle.packed(_VELOCITY), wire.DATA)
        self._open: list[socket.socket] = []
        host, _, port = place.rpartition(":")
        if not host:
            self._out = self._in = self._connected((_HOST, int(port)))
            return
        self._names = host, int(port)
        self._listener = socket.create_server((_HOST, 0))
        self._open.append(self._listener)
        self._ask_names(f"register {_NAME} tcp {_HOST} {self._listener.getsockname()[1]}")
        self._out = self._connected(self._address(f"/{robot}/motors/velocity/data:i"))
        self._in = self._joined(f"/{robot}/odometry/odometry2D/odometry:o")

    @classmethod
    def address_in(cls, printed: str, place: str) -> str:  # noqa: ARG003 - the gateway says where its names are
        """Return where the name server of its gateway is."""
        return printed.partition("name server at ")[2].split()[0]

    def trip(self) -> None:
        """Send a velocity and wait for odometry."""
        self._out.sendall(self._command)
        counts = _exactly(self._in, 18)[8:]
        lengths = struct.unpack(f"<{counts[0] + counts[1]}i", _exactly(self._in, 4 * (counts[0] + counts[1])))
        _exactly(self._in, sum(lengths))

    def read_scans(self, robots: Sequence[str]) -> None:
        """Read the scans of robots from now on, in threads of its own."""
        self._in.close()
        for robot in robots:
            scans = self._joined(f"/{robot}/sonars/rangefinder2D:o")
            threading.Thread(target=_read_all, args=(scans,), daemon=True).start()

    def close(self) -> None:
        """Part."""
        for end in self._open:
            end.close()

    def _address(self, port: str) -> tuple[str, int]:
        """Return where a port is, as soon as the name server knows it."""
        addresses: list[re.Match[str]] = []

        def is_known() -> bool:
            addresses.extend(re.finditer(r"ip (\S+) port (\d+)", self._ask_names(f"query {port}")))
            return bool(addresses)

        wait_until(is_known, f"the port {port}")
        return addresses[0][1], int(addresses[0][2])

    def _ask_names(self, line: str) -> str:
        with socket.create_connection(self._names, PATIENCE) as asking, asking.makefile("r") as answers:
            asking.sendall(f"NAME_SERVER {line}\n".encode())
            lines = []
            for answer in answers:
                lines.append(answer)
                if answer[:1] in ("*", "["):
                    break
            return "".join(lines)

    def _connected(self, address: tuple[str, int]) -> socket.socket:
        """Return a connection to a port."""
        end = socket.create_connection(address, PATIENCE)
        end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._open.append(end)
        name = f"{_NAME}\0".encode()
        end.sendall(wire.number(_FAST_TCP) + struct.pack("<i", len(name)) + name)
        wire.number_in(_exactly(end, 8))
        return end

    def _joined(self, source: str) -> socket.socket:
        """Return the connection that a port which sends makes to this one."""
        with socket.create_connection(self._address(source), PATIENCE) as asking, asking.makefile("r") as answers:
            asking.sendall(f"CONNECT {_NAME}\r\na\r\n[add] fast_tcp:/{_NAME}\r\n".encode())
            answers.readline()
            self._listener.settimeout(PATIENCE)
            end, _ = self._listener.accept()
            self._open.append(end)
            end.settimeout(PATIENCE)
            wire.number_in(_exactly(end, 8))
            _exactly(end, *struct.unpack("<i", _exactly(end, 4)))
            end.sendall(wire.number(self._listener.getsockname()[1]))
            answers.readline()
        return end


def _exactly(end: socket.socket, count: int) -> bytes:
    """Return so many bytes.

    Raises:
        EOFError: The other end parted.
    """
    raw = b""
    while len(raw) < count:
        part = end.recv(count - len(raw))
        if not part:
            raise EOFError("the other end has parted")
        raw += part
    return raw


def _read_all(end: socket.socket) -> None:
    """Read whatever comes until the other end parts."""
    try:
        while end.recv(1 << 16):
            pass
    except OSError:
        return  # closed here
