"""Remote calls between nodes of ROS 1 and their master, by XML-RPC: what a node answers, and how it asks."""

import os
import socketserver
from typing import Any, Protocol
from xmlrpc.client import ServerProxy, Transport
from xmlrpc.server import SimpleXMLRPCServer

SECONDS = 5.0  # that the master, and another node, have to answer


class CalledNode(Protocol):
    """A node as others call it."""

    name: str
    master: str

    @property
    def published(self) -> dict[str, str]:
        """Types of what it publishes, by topic."""
        ...

    @property
    def read(self) -> dict[str, str]:
        """Types of what it reads, by topic."""
        ...

    @property
    def address(self) -> tuple[str, int]:
        """Address of its topics."""
        ...

    def follow(self, topic: str, publishers: list[str]) -> None:
        """Read a topic from those who publish it now."""
        ...


class SlaveServer(socketserver.ThreadingMixIn, SimpleXMLRPCServer):
    """Answers to the master and to other nodes."""

    daemon_threads = True


class SlaveApi:
    """Answers as ROS wants it: a code, a text, a value."""

    def __init__(self, node: CalledNode) -> None:
        self._node = node

    def _dispatch(self, method: str, arguments: tuple[Any, ...]) -> tuple[int, str, Any]:
        node = self._node
        match method, arguments:
            case "publisherUpdate", (_, str(topic), list(publishers)):
                node.follow(topic, publishers)
                return 1, "", 0
            case "requestTopic", (_, str(topic), _) if topic in node.published:
                return 1, "", ["TCPROS", *node.address]
            case "requestTopic", _:
                return 0, f"{node.name} does not publish it", 0
            case "getPid", _:
                return 1, "", os.getpid()
            case "getMasterUri", _:
                return 1, "", node.master
            case "getPublications", _:
                return 1, "", [list(topic) for topic in node.published.items()]
            case "getSubscriptions", _:
                return 1, "", [list(topic) for topic in node.read.items()]
            case (("getBusInfo" | "getBusStats" | "paramUpdate" | "shutdown"), _):
                return 1, "", []
            case _:
                return -1, f"{node.name} knows no {method[:80]}", 0


class _Patient(Transport):
    """Waits for an answer no longer than a while."""

    def make_connection(self, host: Any) -> Any:
        """Return the connection to a host."""
        connection = super().make_connection(host)
        connection.timeout = SECONDS
        return connection


def proxy(uri: str) -> Any:
    """Return the master, or another node, as an object with its methods."""
    return ServerProxy(uri, transport=_Patient())
