"""The codec of ROS 2: one node with a topic for each row of the table, over DDS or Zenoh."""

import asyncio
import contextlib
import os
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

from coopsim.errors import BadArgument, CoopsimError
from coopsim.features.gateways.codec import Codec, FollowedRun
from coopsim.features.gateways.inbox import LoopInbox
from coopsim.features.gateways.messages import Words, stamp
from coopsim.features.gateways.node_parameters import NodeParameters
from coopsim.features.gateways.ros2.actions import FEEDBACK, FEEDBACK_TYPE, STATUS, STATUS_TYPE, StepAction
from coopsim.features.gateways.ros2.cdr import CdrCodec
from coopsim.features.gateways.ros2.link import LATCHED, USUAL, LinkEnd, LinkPublisher, Reply, RosLink, ros_name
from coopsim.features.gateways.ros2.results import SimulationService, answered
from coopsim.features.gateways.ros2.simulation import SIMULATION_SERVICES
from coopsim.features.gateways.ros2.simulation_definitions import (
    SIMULATION_ACTIONS,
    SIMULATION_MESSAGES,
)
from coopsim.features.gateways.ros2.simulation_definitions import (
    SIMULATION_SERVICES as SERVICE_DEFINITIONS,
)
from coopsim.features.gateways.ros2.types import RosTypes, ros2_name
from coopsim.features.gateways.table import CLOCK_TOPIC, CLOCK_TYPE, TRANSFORMS_TOPIC, TRANSFORMS_TYPE

MIDDLEWARES: Final = ("dds", "zenoh")
NODE: Final = "coopsim"
_LOG_TOPIC, _LOG_TYPE, _ERROR = "/rosout", "rcl_interfaces/msg/Log", 40
_MOST_DOMAINS: Final = 232
"""The largest number of a domain: beyond it DDS has no ports left."""
_MOST_REQUESTS: Final = 64
"""Requests that are answered side by side, and that wait of each service."""
_QUEUE: Final = 10
"""Commands of a topic that wait for the run."""
Answered: TypeAlias = Callable[[Words], Awaitable[Words]]
"""Returns the response to a request."""


class Ros2Codec(Codec):
    """A node of ROS 2.

    Args:
        host: Address of the interface for DDS, of the router for Zenoh.
        port: Of the router for Zenoh.
        origins: Web pages do not speak to nodes: none are taken.
        rmw: `dds` or `zenoh`, None = as `RMW_IMPLEMENTATION` says.
        domain: Of ROS, None = as `ROS_DOMAIN_ID` says.

    Raises:
        BadArgument: A setting does not fit.
    """

    kind = "ros2"

    def __init__(
        self, host: str, port: int, origins: Sequence[str] = (), rmw: str | None = None, domain: int | None = None
    ) -> None:
        super().__init__()
        if origins:
            raise BadArgument("--origin is for web pages, which do not speak to a node of ROS 2")
        self._host, self._port = host, port
        self._rmw, self._domain = rmw or _usual_middleware(), _usual_domain() if domain is None else domain
        self.types = all_types()
        self.cdr = CdrCodec(self.types)
        self._published: dict[str, LinkPublisher] = {}
        self._robots_topics: set[str] = set()
        self._said: dict[str, Words] = {}
        self._read: dict[str, LinkEnd] = {}
        self._renewing: asyncio.Task[None] | None = None
        self._answering: set[asyncio.Task[None]] = set()

    async def open(self, run: FollowedRun) -> str:
        """Join the graph of nodes; return where.

        Raises:
            NoReply: The middleware cannot begin.
        """
        self._run, self._loop = run, asyncio.get_running_loop()
        self._inbox = LoopInbox(self._loop, self.counts)
        self._action = StepAction(lambda: run.sim, self.publish)
        self._link = await asyncio.to_thread(self._join)
        return f"ros2, node /{NODE} on {self._link.about}"

    def _join(self) -> RosLink:
        link = self._new_link()
        usual = ((CLOCK_TOPIC, CLOCK_TYPE), (TRANSFORMS_TOPIC, TRANSFORMS_TYPE), (_LOG_TOPIC, _LOG_TYPE))
        for topic, kind in usual:
            self._published[topic] = link.publisher(topic, ros2_name(kind), USUAL)
        self._published[FEEDBACK] = link.publisher(FEEDBACK, FEEDBACK_TYPE, USUAL)
        self._published[STATUS] = link.publisher(STATUS, STATUS_TYPE, LATCHED)
        for service in SIMULATION_SERVICES:
            self._serve(link, service.name, service.type, partial(self._answer_standard, service))
        for name, kind, answer in (*self._action.services, *NodeParameters(self._run, NODE).services):
            self._serve(link, name, kind, answer)
        return link

    def _serve(self, link: RosLink, name: str, kind: str, answer: Answered) -> None:
        """Offer a service; its requests are answered side by side, for one may wait for many steps."""

        def requested(raw: bytes, reply: Reply) -> None:
            self._inbox.put(name, partial(self._begin_answer, kind, answer, raw, reply), _MOST_REQUESTS)

        link.service(name, kind, requested)

    async def _begin_answer(self, kind: str, answer: Answered, raw: bytes, reply: Reply) -> None:
        if len(self._answering) >= _MOST_REQUESTS:
            self.counts.dropped += 1
            return
        task = asyncio.create_task(self._answer(kind, answer, raw, reply))
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)

    async def _answer(self, kind: str, answer: Answered, raw: bytes, reply: Reply) -> None:
        self.counts.received += 1
        try:
            response = await answer(self.cdr.decoded(f"{kind}_Request", raw))
            reply(self.cdr.encoded(f"{kind}_Response", response))
        except CoopsimError as problem:
            self.counts.refused += 1
            self.complain(f"{kind}: {problem}")

    async def _answer_standard(self, service: SimulationService, words: Words) -> Words:
        return await answered(service, self._run, words)

    def _new_link(self) -> RosLink:
        """Return a node of the middleware; each has a package of its own, imported when it is wanted."""
        if self._rmw == "dds":
            from coopsim.features.gateways.ros2.dds_link import DdsLink

            return DdsLink(NODE, self._host, self._domain, self.types)
        from coopsim.features.gateways.ros2.zenoh_link import ZenohLink

        return ZenohLink(NODE, self._host, self._port, self._domain, self.types)

    async def close(self) -> None:
        """Leave the graph of nodes."""
        if self._renewing is not None:
            self._renewing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._renewing
        await self._inbox.close()
        for task in list(self._answering):
            task.cancel()
        await self._action.close()
        if hasattr(self, "_link"):
            await asyncio.to_thread(self._link.close)

    def changed(self) -> None:
        """Publish topics of robots that came, and leave those of robots that are gone."""
        if self._renewing is not None:
            self._renewing.cancel()
        self._renewing = asyncio.create_task(self._renew())

    async def _renew(self) -> None:
        lasting = self._run.lasting
        offered = {name: topic.row.type for name, topic in self._run.offered.items()}
        offered |= {name: topic.type for name, topic in lasting.items()}
        taken = {name: topic.row.type for name, topic in self._run.command_topics.items()}
        for name in self._robots_topics - offered.keys():
            self._robots_topics.discard(name)
            self._said.pop(name, None)
            await asyncio.to_thread(self._published.pop(name).close)
        for name in self._read.keys() - taken.keys():
            await asyncio.to_thread(self._read.pop(name).close)
        for name, kind in offered.items():
            if name not in self._published:
                self._robots_topics.add(name)
                quality = LATCHED if name in lasting else USUAL
                self._published[name] = self._link.publisher(ros_name(name), ros2_name(kind), quality)
                await asyncio.sleep(0)
            if name in lasting and self._said.get(name) != lasting[name].message:
                self._said[name] = lasting[name].message
                self.publish(name, kind, lasting[name].message)
        for name, kind in taken.items():
            if name not in self._read:
                self._read[name] = self._subscribe(name, ros2_name(kind))
                await asyncio.sleep(0)

    def _subscribe(self, name: str, kind: str) -> LinkEnd:
        """Have commands on a topic passed on; when nobody publishes it any more its robot is given back."""
        end: list[LinkEnd] = []

        def received(raw: bytes) -> None:
            self._inbox.put(name, partial(self._command, name, kind, raw), _QUEUE)

        def changed() -> None:
            if end and not end[0].writers:
                self._inbox.put((name, "parted"), partial(self._run.part, name), 1)

        end.append(self._link.subscription(ros_name(name), kind, received, changed))
        return end[0]

    def wants(self, topic: str) -> bool:
        """Return whether a node reads a topic."""
        published = self._published.get(topic)
        return published is not None and published.readers > 0

    def publish(self, topic: str, kind: str, message: Words) -> None:
        """Send a message to all nodes that read its topic."""
        published = self._published[topic]
        try:
            is_sent = published.publish(
                self.cdr.encoded(ros2_name(kind), message), may_wait=self._run.is_lockstep and topic not in self._said
            )
        except BadArgument as problem:
            self.complain(str(problem))
            return
        if is_sent:
            self.counts.sent += 1
        else:
            self.counts.dropped += 1

    def refresh_counts(self) -> None:
        """Count the programs that have endpoints."""
        self.counts.clients = self._link.programs

    async def _command(self, topic: str, kind: str, raw: bytes) -> None:
        self.counts.received += 1
        try:
            await self._run.command(topic, self.cdr.decoded(kind, raw), topic, partial(self._refuse, topic))
        except CoopsimError as problem:
            self._refuse(topic, problem)

    def _refuse(self, topic: str, problem: CoopsimError) -> None:
        self.counts.refused += 1
        self.complain(f"{topic}: {problem}")

    def complain(self, text: str) -> None:
        """Say an error where nodes of ROS say theirs."""
        log = self._published.get(_LOG_TOPIC)
        if log is not None and log.readers:
            words: dict[str, Any] = {"stamp": stamp(self._run.time), "level": _ERROR, "name": NODE, "msg": text}
            log.publish(self.cdr.encoded(_LOG_TYPE, words))


def all_types() -> RosTypes:
    """Return all types that the node publishes, reads and serves."""
    types = RosTypes()
    types.add_messages(SIMULATION_MESSAGES)
    types.add_services(SERVICE_DEFINITIONS)
    types.add_actions(SIMULATION_ACTIONS)
    return types


def _usual_middleware() -> str:
    return "zenoh" if "zenoh" in os.environ.get("RMW_IMPLEMENTATION", "") else "dds"


def _usual_domain() -> int:
    text = os.environ.get("ROS_DOMAIN_ID", "").strip() or "0"
    if not text.isdecimal() or int(text) > _MOST_DOMAINS:
        raise BadArgument(f"ROS_DOMAIN_ID: expected a whole number from 0 to {_MOST_DOMAINS}, got {text!r:.40}")
    return int(text)
