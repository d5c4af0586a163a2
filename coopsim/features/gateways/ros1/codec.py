"""The codec of ROS 1: one node with a topic for each row of the table, and services by Gazebo's names."""

import asyncio
import concurrent.futures
import contextlib
import os
from collections.abc import Coroutine, Mapping
from functools import partial
from typing import Any, TypeVar

from coopsim.errors import BadArgument, CoopsimError, InternalError, SimulationEnded
from coopsim.features.gateways.codec import Codec, FollowedRun
from coopsim.features.gateways.messages import Words, stamp
from coopsim.features.gateways.ros1.types import gateway_types
from coopsim.features.gateways.services import SERVICES
from coopsim.features.gateways.table import CLOCK_TOPIC, CLOCK_TYPE, TRANSFORMS_TOPIC, TRANSFORMS_TYPE
from coopsim.features.ros1.node import RosNode
from coopsim.features.ros1.topics import PublishedTopic

DEFAULT_PORT = 11311
"""Of a master, as roscore has it."""
_NODE = "coopsim_gateway"
_LOG_TOPIC, _LOG_TYPE, _ERROR = "/rosout", "rosgraph_msgs/Log", 8  # the number is that of rosgraph_msgs/Log
_SIMULATED = "/use_sim_time"
_PATIENCE = 10.0
"""How long a thread of the node waits until a command was passed on [s]; the run itself answers within three."""
_LONGEST = 3600.0
"""How long a service may take: many steps of a large scene [s]."""
_T = TypeVar("_T")


class RosCodec(Codec):
    """A node of ROS 1.

    Args:
        host: Address that other nodes reach this one at, unless `ROS_IP` or `ROS_HOSTNAME` names another.
        port: Of the master on this machine; 11311 and 0 = as `ROS_MASTER_URI` says, where that is set.
        origins: Web pages do not speak TCPROS: none are taken.
    """

    kind = "ros1"

    def __init__(self, host: str, port: int, origins: object = ()) -> None:
        super().__init__()
        if origins:
            raise BadArgument("--origin is for web pages, which do not speak to a node of ROS 1")
        usual = os.environ.get("ROS_MASTER_URI") or f"http://127.0.0.1:{DEFAULT_PORT}"
        self._master = usual if port in (0, DEFAULT_PORT) else f"http://127.0.0.1:{port}"
        self._host = host
        self._types = gateway_types()
        self._published: dict[str, PublishedTopic] = {}
        self._read: set[str] = set()
        self._renewing: asyncio.Task[None] | None = None
        self._rejoining: asyncio.Task[None] | None = None
        self._is_alone = False
        self._robots_topics: set[str] = set()
        self._said: dict[str, Words] = {}

    async def open(self, run: FollowedRun) -> str:
        """Join the graph of nodes; return where its master is.

        Raises:
            NoReply: No master answers.
        """
        self._run, self._loop = run, asyncio.get_running_loop()
        self._node = await asyncio.to_thread(self._join)
        return f"ros1, node /{_NODE} of the master at {self._master}"

    def _join(self) -> RosNode:
        node = RosNode(_NODE, self._master, self._types, self._receive, self._leave, self._host)
        node.set_parameter(_SIMULATED, True)
        for topic, kind in (
            (CLOCK_TOPIC, CLOCK_TYPE),
            (TRANSFORMS_TOPIC, TRANSFORMS_TYPE),
            (_LOG_TOPIC, _LOG_TYPE),
        ):
            self._published[topic] = node.advertise(topic, kind)
        for name, service in SERVICES.items():
            node.serve(name, service.type, partial(self._answer, name))
        return node

    async def close(self) -> None:
        """Leave the graph of nodes."""
        for task in (self._renewing, self._rejoining):
            if task is not None:
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task
        if hasattr(self, "_node"):
            await asyncio.to_thread(self._node.close)

    def changed(self) -> None:
        """Advertise topics of robots that came, and leave those of robots that are gone."""
        if self._renewing is not None:
            self._renewing.cancel()
        self._renewing = asyncio.create_task(self._renew())

    async def _renew(self) -> None:
        lasting = self._run.lasting
        offered = {name: topic.row.type for name, topic in self._run.offered.items()}
        offered |= {name: topic.type for name, topic in lasting.items()}
        taken = {name: topic.row.type for name, topic in self._run.command_topics.items()}
        try:
            for name in [name for name in self._published if name in self._robots_topics and name not in offered]:
                self._published.pop(name)
                self._robots_topics.discard(name)
                self._said.pop(name, None)
                await asyncio.to_thread(self._node.unadvertise, name)
            for name in self._read - taken.keys():
                self._read.discard(name)
                await asyncio.to_thread(self._node.unsubscribe, name)
            for name, kind in offered.items():
                if name not in self._published:
                    self._robots_topics.add(name)
                    advertise = partial(self._node.advertise, name, kind, is_latched=name in lasting)
                    self._published[name] = await asyncio.to_thread(advertise)
                if name in lasting and self._said.get(name) != lasting[name].message:
                    self._said[name] = lasting[name].message
                    self.publish(name, kind, lasting[name].message)
            for name, kind in taken.items():
                if name not in self._read:
                    self._read.add(name)
                    await asyncio.to_thread(self._node.subscribe, name, kind, partial(self._command, name))
        except CoopsimError as problem:
            self.complain(str(problem))

    def refresh_counts(self) -> None:
        """See whether the master still knows this node, while no other look is under way."""
        if self._rejoining is None or self._rejoining.done():
            self._rejoining = asyncio.create_task(self._rejoin())

    async def _rejoin(self) -> None:
        """Join the graph of a master that was started anew; say once that there is none."""
        try:
            is_new = await asyncio.to_thread(self._node.rejoin)
            if is_new:
                await asyncio.to_thread(self._node.set_parameter, _SIMULATED, True)
                # what the old master did not live to hear of
                self.changed()
                await asyncio.wait([task for task in (self._renewing,) if task is not None])
        except CoopsimError as problem:
            if not self._is_alone:
                self._run.note(f"{problem}; the node joins again when one does")
            self._is_alone = True
            return
        self._is_alone = False
        if is_new:
            self._run.note(f"joined the master that was started anew at {self._master}")

    def wants(self, topic: str) -> bool:
        """Return whether a node reads a topic."""
        published = self._published.get(topic)
        self.counts.clients = self._node.peers
        return published is not None and published.readers > 0

    def publish(self, topic: str, kind: str, message: Words) -> None:
        """Send a message to all nodes that read its topic."""
        published = self._published[topic]
        published.publish(self._types.encoded(kind, message))
        self.counts.sent += published.readers
        self.counts.dropped = sum(topic.dropped for topic in self._published.values())

    # threads of the node

    def _receive(self, received: Any, kind: str, raw: bytes) -> None:
        """Read a message that came, and pass it on."""
        self.counts.received += 1
        try:
            received(self._types.decoded(kind, raw))
        except CoopsimError as problem:
            self.counts.refused += 1
            self.complain(str(problem))

    def _command(self, topic: str, message: Words) -> None:
        self._in_loop(self._run.command(topic, message, topic, partial(self._refuse, topic)), _PATIENCE)

    def _refuse(self, topic: str, problem: CoopsimError) -> None:
        self.counts.refused += 1
        self.complain(f"{topic}: {problem}")

    def _leave(self, topic: str) -> None:
        """Give back what a topic commanded: nobody publishes it any more."""
        with contextlib.suppress(CoopsimError):
            self._in_loop(self._run.part(topic), _PATIENCE)

    def _answer(self, service: str, words: dict[str, Any]) -> Mapping[str, Any]:
        self.counts.received += 1
        if "values" in words:
            words["values"] = [_value(text) for text in words["values"]]
        if "value" in words:
            words["value"] = _value(words["value"])
        try:
            response = self._in_loop(self._run.answer(service, words), _LONGEST)
        except CoopsimError:
            self.counts.refused += 1
            raise
        if "values" in response:
            response["values"] = [str(value) for value in response["values"]]
        return {**response, "value": str(response["value"])} if "value" in response else response

    def _in_loop(self, work: Coroutine[Any, Any, _T], patience: float) -> _T:
        """Have work done by the loop of the gateway, and wait for it.

        Raises:
            CoopsimError: As of the work; or the gateway ends meanwhile.
        """
        try:
            done = asyncio.run_coroutine_threadsafe(work, self._loop)
        except RuntimeError:
            work.close()
            raise SimulationEnded("the gateway has ended") from None
        try:
            return done.result(patience)
        except concurrent.futures.CancelledError:
            raise SimulationEnded("the gateway has ended") from None
        except TimeoutError:
            done.cancel()
            raise InternalError(f"the run did not answer within {patience:g} s") from None

    def complain(self, text: str) -> None:
        """Say an error where nodes of ROS say theirs."""
        log = self._published.get(_LOG_TOPIC)
        if log is not None and log.readers:
            head = {"seq": 0, "stamp": stamp(self._run.time), "frame_id": ""}
            words = {"header": head, "level": _ERROR, "name": f"/{_NODE}", "msg": text, "topics": sorted(self._read)}
            log.publish(self._types.encoded(_LOG_TYPE, words))


def _value(text: str) -> str | int | float:
    """Return a number that a text spells, else the text."""
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(text)
    return text
