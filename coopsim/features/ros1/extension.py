"""ROS 1 as an extension: one node for all drivers and sensors, and a thread that has messages read.

Source: SwarmSimX, section 4 (a main node, an asynchronous spinner, topics to publish and callbacks to register).
"""

import contextlib
import logging
import queue
import threading
from typing import Any

from coopsim.devices.artifacts.extensions import SimulationExtension
from coopsim.errors import BadArgument, CoopsimError
from coopsim.features.ros1.messages import MessageTypes
from coopsim.features.ros1.node import Received, RosNode
from coopsim.features.ros1.topics import PublishedTopic

_log = logging.getLogger(__name__)
_MOST_WAITING = 1000  # messages; a tick that is late drops older ones, as ROS queues do


class RosExtension(SimulationExtension):
    """A node of ROS 1 that runs as long as the simulation does.

    A plugin registers it, or a class derived from it, in the group `extensions`; drivers and sensors ask their
    environment for it. No part of a tick waits for the network: messages to others leave by threads of their own, and
    callbacks are called by the spinner. They run beside the tick, so that they should only note what came.

    Attributes:
        name: Of the node.
        master: Where the master answers, "" = as the variable `ROS_MASTER_URI` says.
        types: Of messages; others are added by their definitions.
    """

    name, master = "coopsim", ""

    _node: RosNode | None = None

    def __init__(self) -> None:
        self.types = MessageTypes()
        self._came: queue.Queue[tuple[Received, str, bytes] | None] = queue.Queue(_MOST_WAITING)
        self._publishers: dict[str, PublishedTopic] = {}
        self._failed: set[Received] = set()
        self._spinner = threading.Thread(target=self._spin, name="ros spinner", daemon=True)

    def init(self) -> None:
        """Join the graph of nodes.

        Raises:
            NoReply: No master answers.
        """
        self._node = RosNode(self.name, self.master, self.types, lambda *message: self._came.put(message))
        self._spinner.start()

    def shutdown(self) -> None:
        """Leave the graph."""
        node, self._node = self._node, None
        if node is not None:
            node.close()
            with contextlib.suppress(queue.Full):  # a callback that never returns is left behind
                self._came.put(None, timeout=1.0)
            self._spinner.join(5.0)

    @property
    def _joined(self) -> RosNode:
        if self._node is None:
            raise BadArgument("the ROS extension has not begun, or has ended")
        return self._node

    def publish(self, topic: str, kind: str, **values: Any) -> None:
        """Send a message to all nodes that read a topic.

        Args:
            topic: `/robot1/pose`; it is advertised with the first message.
            kind: Its type, `geometry_msgs/PoseStamped`.
            values: Of its fields; those of a message within it are a dictionary, times are seconds.

        Raises:
            BadArgument: The type is not known, the topic has another one, or a value does not fit.
            NoReply: The master is gone.
        """
        publisher = self._publishers.get(topic)
        if publisher is None or publisher.header["type"] != kind:
            publisher = self._publishers[topic] = self._joined.advertise(topic, kind)
        if publisher.readers:
            publisher.publish(self.types.encoded(kind, values))

    def subscribe(self, topic: str, kind: str, received: Received) -> None:
        """Have a callback called with each message that comes on a topic.

        Args:
            topic: `/robot1/cmd_vel`.
            kind: Its type, `geometry_msgs/Twist`.
            received: Called by the spinner with the values by field. A newer one takes the place of an older one.

        Raises:
            BadArgument: The type is not known, or the topic is read as another one.
            NoReply: The master is gone.
        """
        self._joined.subscribe(topic, kind, received)

    def _spin(self) -> None:
        while (message := self._came.get()) is not None:
            received, kind, raw = message
            try:
                received(self.types.decoded(kind, raw))
            except CoopsimError as problem:
                _log.warning("ROS: %s", problem)
            except Exception:  # callbacks are of others; one that fails takes no others with it
                if received not in self._failed:
                    self._failed.add(received)
                    _log.exception("ROS: a callback for %s failed; it is called on", kind)
