"""Services of ROS 1 by TCPROS: a request and its response, one after the other on a connection.

Source: wiki.ros.org/ROS/TCPROS, "Service client" and "Service".
"""

import contextlib
import socket
import struct
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from coopsim.errors import BadArgument, CoopsimError, MalformedMessage
from coopsim.features.ros1.messages import MessageTypes
from coopsim.features.ros1.wire import read_block, read_header, send_header

_SECONDS = 5.0  # for the handshake
_FAILED, _FINE = b"\0", b"\1"


class ServedService(NamedTuple):
    """A service of this node.

    Attributes:
        type: `std_srvs/Empty`.
        header: What clients are told.
        answer: Returns the response to a request, by field; an error of ours is said to the client.
    """

    type: str
    header: Mapping[str, str]
    answer: Callable[[dict[str, Any]], Mapping[str, Any]]


def serve_client(link: socket.socket, asked: Mapping[str, str], service: ServedService, types: MessageTypes) -> None:
    """Answer the requests of one client until it is gone; without `persistent=1` there is one.

    Raises:
        OSError: It is gone.
        MalformedMessage: It sends what is no request.
    """
    send_header(link, service.header)
    if asked.get("probe") == "1":
        return
    link.settimeout(None)
    is_open = True
    while is_open:
        raw = read_block(link)
        try:
            response = service.answer(types.decoded(f"{service.type}Request", raw))
            status, reply = _FINE, types.encoded(f"{service.type}Response", response)
        except CoopsimError as problem:
            status, reply = _FAILED, str(problem).encode()
        link.sendall(status + struct.pack("<I", len(reply)) + reply)
        is_open = asked.get("persistent") == "1"


def call_service(
    uri: str, caller: str, name: str, kind: str, types: MessageTypes, values: Mapping[str, Any], patience: float
) -> dict[str, Any]:
    """Return the response of a service.

    Args:
        uri: Where it answers: `rosrpc://host:port`.
        caller: Name of the node that asks.
        name: Of the service.
        kind: Its type.
        types: That know it.
        values: Of the request, by field.
        patience: Time that the answer may take [s].

    Raises:
        BadArgument: The service refuses, or has another type.
        OSError: It cannot be reached, or is gone.
        MalformedMessage: It answers what is no response.
    """
    place = urlsplit(uri)
    request = types.encoded(f"{kind}Request", values)
    with contextlib.closing(socket.create_connection((place.hostname or "", place.port or 0), _SECONDS)) as link:
        send_header(link, {"callerid": caller, "service": name, "type": kind, "md5sum": types.service_sum(kind)})
        header = read_header(link)
        if "error" in header:
            raise BadArgument(f"{name}: {header['error']}")
        link.settimeout(patience)
        link.sendall(struct.pack("<I", len(request)) + request)
        status = link.recv(1)
        if status not in (_FAILED, _FINE):
            raise MalformedMessage(f"{name} answers neither with success nor with a failure")
        raw = read_block(link)
    if status == _FAILED:
        raise BadArgument(f"{name}: {raw.decode(errors='replace')}")
    return types.decoded(f"{kind}Response", raw)
