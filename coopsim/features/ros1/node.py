"""A node of ROS 1 in this process, without ROS: the APIs of master and slave by XML-RPC, topics by TCPROS.

Source: wiki.ros.org/ROS/Master_API, ROS/Slave_API and ROS/TCPROS.
"""

import contextlib
import os
import socket
import threading
from collections.abc import Callable, Mapping
from http.client import HTTPException
from typing import Any, TypeAlias
from xmlrpc.client import Error

from coopsim.errors import BadArgument, CoopsimError, MalformedMessage, NoReply
from coopsim.features.ros1.messages import MessageTypes
from coopsim.features.ros1.remote import SECONDS, SlaveApi, SlaveServer, proxy
from coopsim.features.ros1.services import ServedService, call_service, serve_client
from coopsim.features.ros1.topics import PublishedTopic
from coopsim.features.ros1.wire import read_block, read_header, send_header

Received: TypeAlias = Callable[[dict[str, Any]], object]
Take: TypeAlias = Callable[[Received, str, bytes], object]
_SOON = 0.1  # s; a connection that fails is tried again after it, and after twice as long each time
_MOST_READERS = 256
"""Connections of other nodes at a time: each has a thread."""
_PROTOCOLS = [["TCPROS"]]


class RosNode:
    """A node: it tells the master what it publishes and reads, and follows what that says of others.

    Args:
        name: In the graph of nodes.
        master: Where the master answers, "" = as `ROS_MASTER_URI` says.
        types: Of messages.
        take: Called with each message in a thread of its own connection: what reads it, type and bytes.
        on_end: Called with a topic when the last node that published it is gone.
        host: Where other nodes reach this one, unless `ROS_IP` or `ROS_HOSTNAME` says so.

    Raises:
        NoReply: No master answers.
    """

    def __init__(
        self,
        name: str,
        master: str,
        types: MessageTypes,
        take: Take,
        on_end: Callable[[str], object] = str,
        host: str = "127.0.0.1",
    ) -> None:
        self.name = "/" + name.lstrip("/")
        self.master = master or os.environ.get("ROS_MASTER_URI", "http://127.0.0.1:11311")
        self._host = os.environ.get("ROS_IP") or os.environ.get("ROS_HOSTNAME") or host
        self._types, self._take, self._gone, self._lock = types, take, on_end, threading.Lock()
        self._services: dict[str, ServedService] = {}
        self._links: set[socket.socket] = set()
        self._heard: set[tuple[str, str]] = set()
        self._publishers: dict[str, PublishedTopic] = {}
        self._readers: dict[str, tuple[str, Received]] = {}
        self._followed: dict[tuple[str, str], socket.socket | None] = {}
        self._listed: dict[str, list[str]] = {}
        self._over, self._is_half_joined = threading.Event(), False
        self._ask("getUri")
        self._topics = socket.create_server((self._host, 0))
        self._slave = SlaveServer((self._host, 0), logRequests=False, allow_none=True)
        self._slave.register_instance(SlaveApi(self))
        self.uri = f"http://{self._host}:{self._slave.server_address[1]}/"
        for work in (self._slave.serve_forever, self._accept):
            threading.Thread(target=work, name=f"ros {self.name}", daemon=True).start()

    def advertise(self, topic: str, kind: str, *, is_latched: bool = False) -> PublishedTopic:
        """Return the topic that this node publishes from now on; late readers of a latched one get its newest message.

        Raises:
            BadArgument: The type is not known, or the topic has another one.
            NoReply: The master is gone.
        """
        header = {"callerid": self.name, "topic": topic, "latching": str(int(is_latched)), **self._says(kind)}
        publisher = self._publishers.get(topic)
        if publisher is None:
            publisher = self._publishers[topic] = PublishedTopic(topic, header, is_latched=is_latched)
            self._ask("registerPublisher", topic, kind, self.uri)
        if publisher.header["type"] != kind:
            raise BadArgument(f"{topic} is published as {publisher.header['type']}, not as {kind}")
        return publisher

    def subscribe(self, topic: str, kind: str, received: Received) -> None:
        """Have what comes on a topic taken from now on; a newer reader takes the place of an older one.

        Raises:
            BadArgument: The type is not known, or the topic is read as another one.
            NoReply: The master is gone.
        """
        self._says(kind)
        reader = self._readers.get(topic)
        if reader is not None and reader[0] != kind:
            raise BadArgument(f"{topic} is read as {reader[0]}, not as {kind}")
        self._readers[topic] = kind, received
        if reader is None:
            self.follow(topic, self._ask("registerSubscriber", topic, kind, self.uri))

    def unadvertise(self, topic: str) -> None:
        """Publish a topic no more.

        Raises:
            NoReply: The master is gone.
        """
        publisher = self._publishers.pop(topic, None)
        if publisher is not None:
            publisher.close()
            self._ask("unregisterPublisher", topic, self.uri)

    def unsubscribe(self, topic: str) -> None:
        """Read a topic no more.

        Raises:
            NoReply: The master is gone.
        """
        if self._readers.pop(topic, None) is not None:
            with self._lock:
                links = [link for (name, _), link in self._followed.items() if name == topic and link is not None]
            for link in links:
                with contextlib.suppress(OSError):
                    link.shutdown(socket.SHUT_RDWR)
            self._ask("unregisterSubscriber", topic, self.uri)

    def serve(self, name: str, kind: str, answer: Callable[[dict[str, Any]], Mapping[str, Any]]) -> None:
        """Answer requests to a service from now on, each in the thread of its client.

        Raises:
            BadArgument: The type is not known.
            NoReply: The master is gone.
        """
        header = {"callerid": self.name, "type": kind, "md5sum": self._types.service_sum(kind)}
        parts = {f"{side}_type": f"{kind}{side.title()}" for side in ("request", "response")}
        self._services[name] = ServedService(kind, header | parts, answer)
        self._ask("registerService", name, self._service_uri, self.uri)

    def call(self, name: str, kind: str, values: Mapping[str, Any], patience: float = SECONDS) -> dict[str, Any]:
        """Return the response of a service of any node.

        Raises:
            BadArgument: Nobody offers it, it refuses, or has another type.
            NoReply: Master or service do not answer.
        """
        uri = self._ask("lookupService", name)
        try:
            return call_service(uri, self.name, name, kind, self._types, values, patience)
        except OSError as problem:
            raise NoReply(f"the service {name} does not answer at {uri}: {problem}") from None

    def set_parameter(self, name: str, value: Any) -> None:
        """Set a parameter that all nodes see.

        Raises:
            NoReply: The master is gone.
        """
        self._ask("setParam", name, value)

    def rejoin(self) -> bool:
        """Tell a master that knows nothing of this node, for it was started anew, everything; return whether it was.

        Raises:
            NoReply: The master is gone.
        """
        try:
            self._ask("lookupNode", self.name)
            is_known = not self._is_half_joined
        except BadArgument:
            is_known = False
        if not is_known:
            self._is_half_joined = True  # until the master has heard of everything: it may be gone before
            for topic, kind in self.published.items():
                self._ask("registerPublisher", topic, kind, self.uri)
            for topic, kind in self.read.items():
                self.follow(topic, self._ask("registerSubscriber", topic, kind, self.uri))
            for name in list(self._services):
                self._ask("registerService", name, self._service_uri, self.uri)
            self._is_half_joined = False
        return not is_known

    @property
    def peers(self) -> int:
        """Number of connections of other nodes."""
        return len(self._links) + len(self._heard)

    def publishers(self, topic: str) -> int:
        """Return how many nodes it hears a topic from: what they publish from now on comes."""
        with self._lock:
            return sum(name == topic for name, _ in self._heard)

    @property
    def _service_uri(self) -> str:
        host, port = self.address
        return f"rosrpc://{host}:{port}"

    def close(self) -> None:
        """Leave the graph."""
        self._over.set()
        with contextlib.suppress(CoopsimError):  # the master may have ended first
            for topic in self._publishers:
                self._ask("unregisterPublisher", topic, self.uri)
            for topic in self._readers:
                self._ask("unregisterSubscriber", topic, self.uri)
            for name in self._services:
                self._ask("unregisterService", name, self._service_uri)
        for publisher in self._publishers.values():
            publisher.close()
        self._slave.shutdown()
        self._slave.server_close()
        with self._lock:
            links = [*self._followed.values(), *self._links]
        for link in (self._topics, *links):
            if link is not None:
                with contextlib.suppress(OSError):
                    link.shutdown(socket.SHUT_RDWR)
                link.close()

    @property
    def published(self) -> dict[str, str]:
        """Types of what it publishes, by topic."""
        return {topic: publisher.header["type"] for topic, publisher in self._publishers.items()}

    @property
    def read(self) -> dict[str, str]:
        """Types of what it reads, by topic."""
        return {topic: kind for topic, (kind, _) in self._readers.items()}

    @property
    def address(self) -> tuple[str, int]:
        """Address of its topics."""
        return self._host, int(self._topics.getsockname()[1])

    def follow(self, topic: str, publishers: list[str]) -> None:
        """Read a topic from those who publish it now, as the master says."""
        self._listed[topic] = publishers
        for uri in publishers:
            with self._lock:
                is_new = topic in self._readers and (topic, uri) not in self._followed
                if is_new:
                    self._followed[topic, uri] = None
            if is_new:
                threading.Thread(
                    target=self._keep_listening, args=(topic, uri), name=f"ros {topic}", daemon=True
                ).start()

    def _says(self, kind: str) -> dict[str, str]:
        types = self._types
        return {"type": kind, "md5sum": types.sum(kind), "message_definition": types.text(kind)}

    def _ask(self, method: str, *arguments: Any) -> Any:
        """Return what the master answers."""
        try:
            with self._lock, proxy(self.master) as master:
                code, text, value = getattr(master, method)(self.name, *arguments)
        except (OSError, Error, HTTPException, TypeError, ValueError) as problem:
            raise NoReply(f"no ROS master answers at {self.master}: {problem}").advise("Start roscore.") from None
        if code != 1:
            raise BadArgument(f"the ROS master refuses {method}: {text}")
        return value

    # threads

    def _accept(self) -> None:
        while True:
            try:
                link, _ = self._topics.accept()
            except OSError:
                return  # this node is over
            threading.Thread(target=self._greet, args=(link,), name="ros reader", daemon=True).start()

    def _greet(self, link: socket.socket) -> None:
        """Serve whoever connects: a reader of a topic, or a client of a service."""
        with self._lock:
            is_full = len(self._links) >= _MOST_READERS
            self._links.add(link)
        try:
            link.settimeout(SECONDS)
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            asked = read_header(link)
            publisher, service = (
                self._publishers.get(asked.get("topic", "")),
                self._services.get(asked.get("service", "")),
            )
            served = publisher or service
            if is_full:
                send_header(link, {"error": f"{self.name} has {_MOST_READERS} connections, the most it takes"})
            elif served is None or asked.get("md5sum") not in ("*", served.header["md5sum"]):
                what = (
                    f"answers no {asked['service']!r}" if "service" in asked else f"publishes no {asked.get('topic')!r}"
                )
                send_header(link, {"error": f"{self.name} {what} of this type"})
            elif service is not None:
                serve_client(link, asked, service, self._types)
            elif publisher is not None:
                publisher.serve(link)
        except (OSError, CoopsimError):
            pass  # who does not keep to TCPROS, or is gone, is let go
        finally:
            with self._lock:
                self._links.discard(link)
            link.close()

    def _keep_listening(self, topic: str, uri: str) -> None:
        """Read a topic from one publisher as long as the master lists it: of who stays that says nothing anew."""
        pause = _SOON
        while True:
            has_read = self._listen(topic, uri)
            pause = _SOON if has_read else min(2.0 * pause, SECONDS)
            with self._lock:
                if topic not in self._readers or uri not in self._listed.get(topic, ()):
                    self._followed.pop((topic, uri), None)
                    return
            if self._over.wait(pause):
                return

    def _listen(self, topic: str, uri: str) -> bool:
        """Read a topic from one publisher until it is gone; return whether anything came."""
        reader, was_heard, has_read = self._readers.get(topic), False, False
        if reader is None:
            return False
        kind = reader[0]
        try:
            with self._connected(topic, uri) as link:
                send_header(link, {"callerid": self.name, "topic": topic, "tcp_nodelay": "1", **self._says(kind)})
                header_of_peer = read_header(link)
                if "error" in header_of_peer:
                    raise MalformedMessage(header_of_peer["error"])
                link.settimeout(None)
                with self._lock:
                    self._heard.add((topic, uri))
                was_heard = True
                while not self._over.is_set():
                    raw = read_block(link)
                    reader = self._readers.get(topic)
                    if reader is None:
                        break
                    has_read = True
                    self._take(reader[1], kind, raw)
        except (OSError, Error, HTTPException, CoopsimError, TypeError, ValueError):
            pass  # it is tried again while the master lists it
        finally:
            with self._lock:
                self._followed[topic, uri] = None
                self._heard.discard((topic, uri))
                is_last = was_heard and all(name != topic for name, _ in self._heard)
            if is_last:
                self._gone(topic)
        return has_read

    def _connected(self, topic: str, uri: str) -> socket.socket:
        with proxy(uri) as publisher:
            code, text, address = publisher.requestTopic(self.name, topic, _PROTOCOLS)
        if code != 1:
            raise MalformedMessage(str(text))
        _, host, port = address
        link = socket.create_connection((host, port), SECONDS)
        with self._lock:
            self._followed[topic, uri] = link
        return link
