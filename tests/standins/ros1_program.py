"""A node of ROS 1 as a person's program has it."""

import os
import queue
import time
from typing import Any, Self

from coopsim.features.gateways.ros1.types import gateway_types
from coopsim.features.ros1.node import RosNode
from coopsim.features.ros1.topics import PublishedTopic

LIMIT = 15.0
TWIST = "geometry_msgs/Twist"


class Program:
    """A node of a person's program: what it reads waits in queues, by topic.

    Args:
        variables: By which it finds its master.
        name: In the graph of nodes.
    """

    def __init__(self, variables: dict[str, str], name: str = "program") -> None:
        self.types = gateway_types()
        self._read: dict[str, queue.Queue[dict[str, Any]]] = {}
        self.node = RosNode(name, variables["ROS_MASTER_URI"], self.types, self._receive)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.node.close()

    def _receive(self, received: Any, kind: str, raw: bytes) -> None:
        received(self.types.decoded(kind, raw))

    def read(self, topic: str, kind: str) -> dict[str, Any]:
        """Return the next message of a topic."""
        if topic not in self._read:
            self._read[topic] = queue.Queue()
            self.node.subscribe(topic, kind, self._read[topic].put)
        return self._read[topic].get(timeout=LIMIT)

    def commands(self, topic: str, kind: str = TWIST) -> PublishedTopic:
        """Return a topic that this program publishes, once somebody reads it."""
        published = self.node.advertise(topic, kind)
        begin = time.monotonic()
        while not published.readers:  # giving way: its own threads answer who wants to read
            os.sched_yield()
            assert time.monotonic() - begin < LIMIT, f"nobody reads {topic}"
        return published

    def drive(self, published: PublishedTopic, v: float, w: float) -> None:
        """Send a velocity."""
        published.publish(self.types.encoded(TWIST, {"linear": {"x": v}, "angular": {"z": w}}))
