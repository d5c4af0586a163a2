"""ROS 2 over Zenoh, as rmw_zenoh carries it: keys with type hashes, tokens of liveliness, attachments.

Source: design document of rmw_zenoh (ROS 2 Jazzy).
"""

import os
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import zenoh
import zenoh.ext

from coopsim.errors import BadArgument, NoReply
from coopsim.features.gateways.ros2.link import (
    Changed,
    LinkEnd,
    LinkPublisher,
    Qos,
    Received,
    Reply,
    Requested,
    RosLink,
)
from coopsim.features.gateways.ros2.types import RosTypes, dds_name

DEFAULT_PORT: Final = 7447
"""Of a Zenoh router, as `ros2 run rmw_zenoh_cpp rmw_zenohd` has it."""
_PUBLISHER, _SUBSCRIPTION, _SERVICE, _NODE = "MP", "MS", "SS", "NN"
_SECONDS = 1.0
"""How long a router may take to accept a connection [s]."""
_LEASE: Final = 60_000
"""How long others keep a connection on which a busy machine sends nothing [ms], as rmw_zenoh has it."""
_GID_BYTES = 16
_TOKEN_PARTS: Final = 13
"""Parts of the token of an endpoint; that of a node has fewer."""
_SERVICE_QOS = "::,10:,:,:,,"


class ZenohLink(RosLink):
    """A node on Zenoh: a peer of the router at an address, or that router where there is none.

    Args:
        node: Its name.
        host: Address of the router.
        port: Of the router, 0 = this node is a router at a free port.
        domain: Number of the ROS domain.
        types: For their hashes.

    Raises:
        NoReply: The session cannot be opened.
    """

    def __init__(self, node: str, host: str, port: int, domain: int, types: RosTypes) -> None:
        self._node, self._domain, self._types = node, domain, types
        address = f"tcp/[{host}]" if ":" in host else f"tcp/{host}"
        address += f":{port or _free_port(host)}"
        self.session, part = _session(host, port, address)
        self.about = f"Zenoh, domain {domain}, {part} {address}"
        self._entities = 0
        self._lock = threading.Lock()
        self._tokens: set[tuple[str, ...]] = set()
        self.counted: Counter[tuple[str, str]] = Counter()
        self._changed: dict[tuple[str, str], list[Callable[[], None]]] = {}
        self._declared = [self._declare_token(_NODE, "", "", "")]
        liveliness = self.session.liveliness()
        self._watching = liveliness.declare_subscriber(f"@ros2_lv/{domain}/**", self._note_token, history=True)

    def publisher(self, topic: str, kind: str, qos: Qos) -> "_ZenohPublisher":
        """Publish a topic from now on."""
        token = self._declare_token(_PUBLISHER, topic, kind, _qos_text(qos))
        return _ZenohPublisher(self, self.key(topic, kind), (_SUBSCRIPTION, topic), qos, token)

    def subscription(self, topic: str, kind: str, received: Received, changed: Changed) -> LinkEnd:
        """Receive a topic from now on."""
        token = self._declare_token(_SUBSCRIPTION, topic, kind, _SERVICE_QOS)
        handler: Callable[[Any], None] = lambda sample: received(sample.payload.to_bytes())  # noqa: E731
        subscriber = self.session.declare_subscriber(self.key(topic, kind), handler)
        return _ZenohEnd(self, (_PUBLISHER, topic), changed, [token, subscriber])

    def service(self, name: str, kind: str, requested: Requested) -> LinkEnd:
        """Offer a service from now on."""
        token, key = self._declare_token(_SERVICE, name, kind, _SERVICE_QOS), self.key(name, kind)

        def answer(query: Any) -> None:
            requested(query.payload.to_bytes() if query.payload else b"", _reply(query, key))

        queryable = self.session.declare_queryable(key, answer, complete=True)
        return _ZenohEnd(self, ("SC", name), None, [token, queryable])

    def close(self) -> None:
        """Leave the graph of nodes."""
        self._watching.undeclare()
        self.session.close()

    def key(self, name: str, kind: str) -> str:
        """Return the key that a topic or service has on the wire."""
        return f"{self._domain}/{name.lstrip('/')}/{dds_name(kind)}/{self._types.hash(kind)}"

    def watch(self, key: tuple[str, str], changed: Callable[[], None]) -> None:
        """Have a function called whenever endpoints of a kind and name come or go."""
        with self._lock:
            self._changed.setdefault(key, []).append(changed)
        changed()

    def unwatch(self, key: tuple[str, str], changed: Callable[[], None]) -> None:
        """Call a function no more."""
        with self._lock:
            watchers = self._changed.get(key, [])
            if changed in watchers:
                watchers.remove(changed)

    def _declare_token(self, sort: str, name: str, kind: str, qos: str) -> Any:
        self._entities += 1
        head = f"@ros2_lv/{self._domain}/{self.session.zid()}/0/{self._entities - 1}/{sort}/%/%/{self._node}"
        tail = f"/{name.replace('/', '%')}/{dds_name(kind)}/{self._types.hash(kind)}/{qos}" if name else ""
        return self.session.liveliness().declare_token(head + tail)

    def _note_token(self, sample: Any) -> None:
        """Count an endpoint that came or went."""
        parts = tuple(str(sample.key_expr).split("/"))
        if len(parts) != _TOKEN_PARTS or parts[2] == str(self.session.zid()):
            return
        key = parts[5], parts[9].replace("%", "/")
        with self._lock:
            is_there = sample.kind == zenoh.SampleKind.PUT
            if is_there == (parts in self._tokens):
                return
            (self._tokens.add if is_there else self._tokens.discard)(parts)
            self.counted[key] += 1 if is_there else -1
            watchers = list(self._changed.get(key, ()))
        for watcher in watchers:
            watcher()

    @property
    def programs(self) -> int:
        """Number of other sessions that have endpoints."""
        with self._lock:
            return len({parts[2] for parts in self._tokens})


class _ZenohPublisher(LinkPublisher):
    def __init__(self, link: ZenohLink, key: str, watched: tuple[str, str], qos: Qos, token: Any) -> None:
        self._link, self._key, self._watched, self._token = link, key, watched, token
        # nobody waits for a slow reader: what does not fit into the queue of its connection is dropped
        drop = zenoh.CongestionControl.DROP
        if qos.is_latched:
            cache = zenoh.ext.CacheConfig(qos.depth)
            declare = zenoh.ext.declare_advanced_publisher
            self._publisher: Any = declare(
                link.session, key, congestion_control=drop, cache=cache, publisher_detection=True
            )
        else:
            self._publisher = link.session.declare_publisher(key, congestion_control=drop)
        self._gid, self._count = os.urandom(_GID_BYTES), 0
        link.watch(watched, self._note_readers)

    def publish(self, raw: bytes, *, may_wait: bool = False) -> bool:
        self._count += 1
        attachment = _attachment(self._count, self._gid)
        if may_wait:
            block = zenoh.CongestionControl.BLOCK
            self._link.session.put(self._key, raw, congestion_control=block, attachment=attachment)
        else:
            self._publisher.put(raw, attachment=attachment)
        return True

    def close(self) -> None:
        self._link.unwatch(self._watched, self._note_readers)
        self._token.undeclare()
        self._publisher.undeclare()

    def _note_readers(self) -> None:
        self.readers = self._link.counted[self._watched]


class _ZenohEnd(LinkEnd):
    def __init__(self, link: ZenohLink, watched: tuple[str, str], changed: Changed | None, declared: list[Any]) -> None:
        self._link, self._watched, self._changed, self._declared = link, watched, changed, declared
        link.watch(watched, self._note_writers)

    def close(self) -> None:
        self._link.unwatch(self._watched, self._note_writers)
        for declared in self._declared:
            declared.undeclare()

    def _note_writers(self) -> None:
        self.writers = self._link.counted[self._watched]
        if self._changed is not None:
            self._changed()


def _reply(query: Any, key: str) -> Reply:
    """Return what sends the response to a request; its attachment names the request by number and sender."""
    raw = query.attachment.to_bytes() if query.attachment else b""
    head = struct.Struct("<qq")
    count, gid = (head.unpack_from(raw)[0], raw[head.size + 1 :]) if len(raw) > head.size else (0, bytes(_GID_BYTES))

    def reply(response: bytes) -> None:
        with suppress(zenoh.ZError):  # whoever asked may be gone
            query.reply(key, response, attachment=_attachment(count, gid))
            query.drop()

    return reply


def _attachment(count: int, gid: bytes) -> bytes:
    return struct.pack("<qqB", count, time.time_ns(), len(gid)) + gid


def _qos_text(qos: Qos) -> str:
    """Return a quality of service as tokens have it, where what is usual is left out."""
    return f"{'' if qos.is_reliable else '2'}:{'1' if qos.is_latched else ''}:,{qos.depth}:,:,:,,"


def _session(host: str, port: int, address: str) -> tuple[Any, str]:
    """Return a session and what it is: a peer of the router, or the router itself where none answers."""
    config = zenoh.Config()
    try:
        with socket.create_connection((host, port), _SECONDS):
            settings = {
                "mode": '"peer"',
                "connect/endpoints": f'["{address}"]',
                "listen/endpoints": '["tcp/127.0.0.1:0"]',
            }
    except OSError:
        settings = {"mode": '"router"', "listen/endpoints": f'["{address}"]'}
    settings |= {"scouting/multicast/enabled": "false", "timestamping/enabled": "true"}
    settings |= {"transport/link/tx/lease": f"{_LEASE}", "transport/link/tx/keep_alive": "2"}
    for name, value in settings.items():
        config.insert_json5(name, value)
    try:
        return zenoh.open(config), "peer of the router at" if "connect/endpoints" in settings else "router at"
    except zenoh.ZError as problem:
        raise NoReply(f"Zenoh cannot be opened at {address}: {problem}").advise("--port takes another.") from None


def _free_port(host: str) -> int:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        try:
            probe.bind((host, 0))
        except OSError as problem:
            raise BadArgument(f"--bind {host}: {problem.strerror}") from None
        return int(probe.getsockname()[1])
