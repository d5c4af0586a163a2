"""The server of rosbridge: one WebSocket for each program, with its subscriptions."""

import asyncio
import contextlib
import math
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from coopsim.errors import BadArgument, CoopsimError
from coopsim.features.gateways import services
from coopsim.features.gateways.codec import Codec, FollowedRun, MessageOutbox
from coopsim.features.gateways.messages import Words
from coopsim.features.gateways.rosbridge import rosapi, wording
from coopsim.features.gateways.rosbridge.wording import CBOR, COMPRESSIONS, NONE, PNG

DEFAULT_PORT = 9090
"""As rosbridge_server has it."""
_MOST_CLIENTS = 64  # each costs a task and queues; a browser tab left open counts, too
_MOST_TOPICS = 1000
"""Subscriptions, and advertised topics, of one client."""
_QUEUE = 10
"""Messages of a topic that wait for a slow client that asked for no queue of its own."""
_LONGEST_QUEUE = 1000  # messages; a program may ask for any length, its memory is ours
_LOCAL = re.compile(r"https?://(localhost|127\.0\.0\.1|\[::1\])(:\d+)?")
"""Origins of pages that may connect unless others are named."""
_ANSWERS = "answers"
"""Key of replies and reports in an outbox, which are never dropped before readings are."""
_MOST_ANSWERS = 1000  # replies are not dropped for newer ones, but a program that never reads must not fill memory


@dataclass(slots=True)
class _Subscription:
    ids: set[str] = field(default_factory=set)
    throttle: float = 0.0
    queue: int = _QUEUE
    compression: str = NONE
    sent_at: float = -1e9


class _Peer:
    """A program that is connected."""

    def __init__(self, socket: ServerConnection, outbox: MessageOutbox) -> None:
        self.socket, self.outbox = socket, outbox
        self.topics: dict[str, _Subscription] = {}
        self.advertised: dict[str, str] = {}
        self.fragments = wording.Fragments()

    def reply(self, message: dict[str, Any]) -> None:
        self.outbox.put(_ANSWERS, wording.as_json(message), _MOST_ANSWERS)


class RosbridgeCodec(Codec):
    """Listens for programs that speak rosbridge.

    Args:
        host: Address to listen at.
        port: 0 = a free one.
        origins: Web pages that may connect, `https://example.org`; none = pages of this machine. Programs that are no
            web pages send none, and may always.
    """

    kind = "rosbridge"

    def __init__(self, host: str, port: int, origins: Sequence[str] = ()) -> None:
        super().__init__()
        self._host, self._port, self._origins = host, port, tuple(origins)
        self._peers: set[_Peer] = set()
        self._readers: dict[str, set[_Peer]] = {}
        self._server: Server | None = None

    async def open(self, run: FollowedRun) -> str:
        """Listen from now on; return where."""
        self._run = run
        origins = [None, *self._origins] if self._origins else [None, _LOCAL]
        self._server = await serve(
            self._serve,
            self._host,
            self._port,
            origins=origins,  # type: ignore[arg-type]  # texts and patterns, as its documentation says
            max_size=wording.MOST_BYTES,
            max_queue=16,
            ping_interval=20.0,
            compression=None,  # as rosbridge_server has it: on one machine packing takes longer than sending
        )
        port = self._server.sockets[0].getsockname()[1]
        return f"rosbridge at ws://{self._host}:{port}"

    async def close(self) -> None:
        """Part from all programs."""
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    def wants(self, topic: str) -> bool:
        """Return whether anybody reads a topic."""
        return topic in self._readers

    def publish(self, topic: str, kind: str, message: Words) -> None:  # noqa: ARG002 - JSON names no types
        """Send a message to its readers, worded once for each compression."""
        now, worded = time.monotonic(), dict[str, str | bytes]()
        for peer in self._readers.get(topic, ()):
            subscription = peer.topics[topic]
            if now - subscription.sent_at < subscription.throttle:
                continue
            subscription.sent_at = now
            raw = worded.get(subscription.compression)
            if raw is None:
                raw = worded[subscription.compression] = _worded(topic, message, subscription.compression)
            peer.outbox.put(topic, raw, subscription.queue)

    def complain(self, text: str) -> None:
        """Say an error to all programs."""
        for peer in self._peers:
            peer.reply({"op": "status", "level": "error", "msg": text})

    def changed(self) -> None:
        """Send lasting messages anew to their readers."""
        for topic, lasting in self._run.lasting.items():
            self.publish(topic, lasting.type, lasting.message)

    # clients

    async def _serve(self, socket: ServerConnection) -> None:
        if len(self._peers) >= _MOST_CLIENTS:
            await socket.close(1013, f"{_MOST_CLIENTS} programs are connected already")
            return
        peer = _Peer(socket, MessageOutbox(self.counts))
        self._peers.add(peer)
        self.counts.clients = len(self._peers)
        sending = asyncio.create_task(self._send(peer))
        try:
            async for raw in socket:
                await self._hear(peer, raw)
        except ConnectionClosed:
            pass
        finally:
            sending.cancel()
            self._peers.discard(peer)
            self.counts.clients = len(self._peers)
            for topic in list(peer.topics):
                self._forget(peer, topic)
            await self._run.part(peer)

    async def _send(self, peer: _Peer) -> None:
        with contextlib.suppress(ConnectionClosed):
            while True:
                await peer.socket.send(await peer.outbox.get())
                self.counts.sent += 1

    async def _hear(self, peer: _Peer, raw: str | bytes) -> None:
        message: dict[str, Any] = {}
        self.counts.received += 1
        try:
            message = wording.read(raw)
            if message.get("op") == "fragment":
                whole = peer.fragments.add(message)
                if whole is None:
                    return
                message = whole
            await self._obey(peer, message)
        except CoopsimError as problem:
            self._refuse(peer, message, problem)

    def _refuse(self, peer: _Peer, message: dict[str, Any], problem: CoopsimError) -> None:
        self.counts.refused += 1
        peer.reply({"op": "status", "id": message.get("id"), "level": "error", "msg": str(problem)})

    async def _obey(self, peer: _Peer, message: dict[str, Any]) -> None:
        match message.get("op"):
            case "subscribe":
                self._subscribe(peer, message)
            case "unsubscribe":
                self._unsubscribe(peer, message)
            case "advertise":
                self._advertise(peer, _named(message, "topic"), str(message.get("type", "")))
            case "unadvertise":
                peer.advertised.pop(_named(message, "topic"), None)
            case "publish":
                words = message.get("msg", {})
                if not isinstance(words, dict):
                    raise BadArgument(f"msg: expected a message, got {words!r:.60}")
                refused = partial(self._refuse, peer, message)
                await self._run.command(_named(message, "topic"), words, peer, refused)
            case "call_service":
                await self._answer(peer, message)
            case "set_level" | "status" | "auth":
                pass  # reports are errors alone, and the run's own keys say who may do what
            case operation:
                raise BadArgument(f"op {operation!r:.40} is not offered here")

    def _subscribe(self, peer: _Peer, message: dict[str, Any]) -> None:
        topic, compression = _named(message, "topic"), message.get("compression", NONE)
        if compression not in COMPRESSIONS:
            raise BadArgument(f"compression: expected {', '.join(COMPRESSIONS)}, got {compression!r:.40}")
        throttle, queue = message.get("throttle_rate", 0), message.get("queue_length", 0)
        if not isinstance(throttle, int | float) or not 0 <= throttle < math.inf:
            raise BadArgument(f"throttle_rate: expected a number of milliseconds from 0, got {throttle!r:.40}")
        if not isinstance(queue, int) or queue < 0:
            raise BadArgument(f"queue_length: expected a whole number from 0, got {queue!r:.40}")
        types = self._run.types
        if topic not in types and topic not in peer.topics and self._run.offered:
            raise BadArgument(f"no topic {topic!r:.80} is published; `/rosapi/topics` lists all {len(types)}")
        if len(peer.topics) >= _MOST_TOPICS and topic not in peer.topics:
            raise BadArgument(f"a program subscribes to at most {_MOST_TOPICS} topics")
        subscription = peer.topics.setdefault(topic, _Subscription())
        subscription.ids.add(str(message.get("id", "")))
        subscription.throttle, subscription.compression = throttle / 1000.0, compression
        subscription.queue = min(queue, _LONGEST_QUEUE) or _QUEUE
        self._readers.setdefault(topic, set()).add(peer)
        lasting = self._run.lasting.get(topic)
        if lasting is not None:
            peer.outbox.put(topic, _worded(topic, lasting.message, subscription.compression), subscription.queue)

    def _unsubscribe(self, peer: _Peer, message: dict[str, Any]) -> None:
        topic = _named(message, "topic")
        subscription = peer.topics.get(topic)
        if subscription is None:
            return
        subscription.ids.discard(str(message.get("id", "")))
        if not subscription.ids or "id" not in message:
            self._forget(peer, topic)

    def _forget(self, peer: _Peer, topic: str) -> None:
        peer.topics.pop(topic, None)
        readers = self._readers.get(topic, set())
        readers.discard(peer)
        if not readers:
            self._readers.pop(topic, None)

    def _advertise(self, peer: _Peer, topic: str, kind: str) -> None:
        taken = self._run.command_topics.get(topic)
        if taken is not None and kind and _plain(kind) != taken.row.type:
            raise BadArgument(f"{topic} takes {taken.row.type}, not {kind:.80}")
        if len(peer.advertised) >= _MOST_TOPICS:
            raise BadArgument(f"a program advertises at most {_MOST_TOPICS} topics")
        peer.advertised[topic] = kind

    async def _answer(self, peer: _Peer, message: dict[str, Any]) -> None:
        name = _named(message, "service")
        head = {"op": "service_response", "id": message.get("id"), "service": name}
        try:
            words = services.arguments(message.get("args"), rosapi.ARGUMENTS.get(name, ()))
            if name in rosapi.ANSWERS:
                values = rosapi.ANSWERS[name](self._run, words)
            else:
                values = await self._run.answer(name, words)
        except CoopsimError as problem:
            self.counts.refused += 1
            peer.reply({**head, "result": False, "values": str(problem)})
        else:
            peer.reply({**head, "result": True, "values": values})


def _worded(topic: str, message: Words, compression: str) -> str | bytes:
    whole = {"op": "publish", "topic": topic, "msg": message}
    if compression == CBOR:
        return wording.as_cbor(whole)
    text = wording.as_json(whole)
    return wording.as_png(text) if compression == PNG else text


def _named(message: dict[str, Any], key: str) -> str:
    name = message.get(key)
    if not isinstance(name, str) or not name:
        raise BadArgument(f"{key}: expected a name, got {name!r:.60}")
    return name if name.startswith("/") else f"/{name}"


def _plain(kind: str) -> str:
    """Return the name of a type as ROS 1 writes it; ROS 2 puts `msg` between."""
    return kind.replace("/msg/", "/")
