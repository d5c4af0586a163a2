"""Topics of ROS 1 that a node publishes, each with the nodes that read it.

Source: wiki.ros.org/ROS/TCPROS.
"""

import contextlib
import queue
import socket
import struct
import threading
from collections.abc import Mapping
from typing import Final

from coopsim.features.ros1.wire import send_header

_KEPT: Final = 100  # messages that a slow reader may be behind by; older ones are left out


class PublishedTopic:
    """A topic that this node publishes; readers that are slow miss messages, and hold nobody up.

    Args:
        topic: Its name.
        header: What readers are told.
        is_latched: Whether late readers get the newest message, too.

    Attributes:
        dropped: Messages that slow readers missed.
    """

    def __init__(self, topic: str, header: Mapping[str, str], *, is_latched: bool = False) -> None:
        self.topic, self.header = topic, header
        self._is_latched, self._newest = is_latched, b""
        self.dropped = 0
        self._readers: dict[socket.socket, queue.Queue[bytes | None]] = {}
        self._lock = threading.Lock()

    @property
    def readers(self) -> int:
        """Number of nodes that read it."""
        return len(self._readers)

    def publish(self, raw: bytes) -> None:
        """Send a message to all readers soon."""
        with self._lock:
            waiting = list(self._readers.values())
            if self._is_latched:
                self._newest = raw
        for topic in waiting:
            if topic.full():
                with contextlib.suppress(queue.Empty):
                    topic.get_nowait()
                    self.dropped += 1
            topic.put(struct.pack("<I", len(raw)) + raw)

    def serve(self, link: socket.socket) -> None:
        """Greet a reader, and send it messages until it, or this node, is gone."""
        waiting: queue.Queue[bytes | None] = queue.Queue(_KEPT + 1)
        with self._lock:
            self._readers[link] = waiting
            if self._newest:
                waiting.put(struct.pack("<I", len(self._newest)) + self._newest)
        try:
            send_header(link, self.header)  # whoever has read it misses no message from now on
            while (raw := waiting.get()) is not None:
                link.sendall(raw)
        except OSError:
            pass  # who reads no more is gone
        finally:
            with self._lock:
                self._readers.pop(link, None)
            link.close()

    def close(self) -> None:
        """Let all readers go."""
        with self._lock:
            waiting = list(self._readers.values())
        for topic in waiting:
            with contextlib.suppress(queue.Full):
                topic.put_nowait(None)
