"""The codec of YARP: ports for each module, some as devices have them, the network clock, and all their names."""

import asyncio
import contextlib
from typing import ClassVar

from coopsim.errors import BadArgument, CoopsimError
from coopsim.features.gateways.codec import Codec, FollowedRun
from coopsim.features.gateways.messages import Words
from coopsim.features.gateways.table import CLOCK_TOPIC
from coopsim.features.gateways.yarp import generic
from coopsim.features.gateways.yarp.bottle import Value, Vocab
from coopsim.features.gateways.yarp.devices import DevicePorts, PortPlan, streamed
from coopsim.features.gateways.yarp.generic import HELP, PARTING, Request
from coopsim.features.gateways.yarp.names import NameClient, NameTable, OwnNames
from coopsim.features.gateways.yarp.port import Asked, Names, YarpPort
from coopsim.features.gateways.yarp.root import ROOT, RootPort
from coopsim.features.gateways.yarp.wire import PortConnection

_CLOCK_COMMANDS = {
    "pauseSimulation": "/gazebo/pause_physics",
    "continueSimulation": "/gazebo/unpause_physics",
    "stepSimulation": "/coopsim/step",
    "stepSimulationAndWait": "/coopsim/step",
    "resetSimulation": "/gazebo/reset_simulation",
    "resetSimulationTime": "/gazebo/reset_simulation",
}
"""Services by the names that gazebo-yarp-plugins give them."""


class YarpCodec(Codec):
    """Ports of a run for programs of YARP.

    Args:
        host: Address to listen at.
        port: Of the name server: one that answers there is used, else this becomes it; 0 = our own at a free port.
        origins: Web pages do not speak YARP: none are taken.
    """

    kind = "yarp"
    is_plain: ClassVar[bool] = True

    def __init__(self, host: str, port: int, origins: object = ()) -> None:
        super().__init__()
        if origins:
            raise BadArgument("--origin is for web pages, which do not speak YARP")
        self._host, self._port = host, port
        self._ports: dict[str, YarpPort] = {}
        self._streams: dict[str, YarpPort] = {}
        self._count = 0
        self._root: RootPort | None = None
        self._renewing: asyncio.Task[None] | None = None

    async def open(self, run: FollowedRun) -> str:
        """Find a name server, or be one; return where it is."""
        self._run, self._devices = run, DevicePorts(run, self.counts)
        where = await self._find_names()
        clock = YarpPort(CLOCK_TOPIC, self.counts)
        await clock.open(self._names, self._host)
        control = YarpPort(f"{CLOCK_TOPIC}/rpc", self.counts, self._steer)
        await control.open(self._names, self._host)
        self._streams[CLOCK_TOPIC] = clock
        self._fixed = (clock, control)
        return where

    async def _find_names(self) -> str:
        self._names: Names
        if self._port:
            client = NameClient(self._host, self._port)
            with contextlib.suppress(OSError):
                await client.query(ROOT)
                self._names = client
                return f"yarp, with the name server at {self._host}:{self._port}"
        table = NameTable(self._port + 2 if self._port else 10_002)
        self._names = OwnNames(table)
        self._root = RootPort(self.counts, table)
        await self._root.open(self._names, self._host, self._port, table)
        return f"yarp, name server at {self._host}:{self._root.address.port}"

    async def close(self) -> None:
        """Close all ports."""
        if self._renewing is not None:
            self._renewing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._renewing
        self._devices.close()
        for port in (*self._ports.values(), *self._fixed, *([self._root] if self._root else [])):
            await port.close()

    def changed(self) -> None:
        """Open ports for robots that came, and close those of robots that are gone."""
        if self._renewing is not None:
            self._renewing.cancel()
        self._renewing = asyncio.create_task(self._renew())

    async def _renew(self) -> None:
        plans = {f"{target}/rpc:i": PortPlan("", self._asker(target)) for target in self._run.modules}
        plans |= {f"{target}/data:o": PortPlan(target, None) for target in self._run.modules}
        plans |= self._devices.plans()
        for name in [name for name in self._ports if name not in plans]:
            port = self._ports.pop(name)
            self._streams = {topic: stream for topic, stream in self._streams.items() if stream is not port}
            await port.close()
        for name, plan in plans.items():
            if name in self._ports:
                continue
            self._ports[name] = port = YarpPort(name, self.counts, plan.asked, self._part)
            await port.open(self._names, self._host)
            if plan.topic:
                self._streams[plan.topic] = port

    def wants(self, topic: str) -> bool:
        """Return whether a port that sends these readings is connected to anybody, or time ends what was commanded."""
        if topic == CLOCK_TOPIC and self._devices.awaits_time:
            return True
        port = self._streams.get(topic)
        return port is not None and port.has_readers

    def publish(self, topic: str, kind: str, message: Words) -> None:
        """Send readings as a bottle of numbers, the clock as seconds and nanoseconds; beside them count and time."""
        self._count += 1
        envelope = f"{self._count} {self._run.time:.6f}"
        if topic == CLOCK_TOPIC:
            self._streams[topic].publish(list(message["clock"].values()), envelope)
            self._devices.expire()
        else:
            self._streams[topic].publish(streamed(kind, message), envelope)

    # requests

    def _asker(self, target: str) -> Asked:
        async def asked(items: list[Value], connection: PortConnection) -> list[Value] | None:
            request: Request | None = None
            try:
                request = generic.request_in(items)
                if request.is_typed and request.command in PARTING:
                    return [Vocab("bye")]
                if request.is_typed and request.command == HELP:
                    name = str(request.values[0]) if request.values else ""
                    return generic.help_of(self._run.modules[target].interface, name)
                values = [value for value in request.values if isinstance(value, str | int | float)]
                return generic.answer_to(request, await self._run.call(target, request.command, values, connection))
            except CoopsimError as problem:
                self.counts.refused += 1
                return generic.refused(request, problem.code, str(problem))

        return asked

    async def _steer(self, items: list[Value], _: PortConnection) -> list[Value] | None:
        """Answer the clock's commands."""
        words = [str(item) for item in items[:1]]
        name = words[0] if words else ""
        try:
            if name == "getSimulationTime":
                return [self._run.time]
            if name == "getStepSize":
                (step,) = (await self._run.call("/sim/clock", "status", [], self))[6:7]
                return [float(step)]
            if name in _CLOCK_COMMANDS:
                count = items[1] if len(items) > 1 else 1
                await self._run.answer(_CLOCK_COMMANDS[name], {"count": count} if "step" in name else {})
                return [Vocab("ok")]
        except CoopsimError as problem:
            self.counts.refused += 1
            return [Vocab("fail"), str(problem)]
        commands = ["getSimulationTime", "getStepSize", *_CLOCK_COMMANDS]
        return (
            [Vocab("many"), ["*** Available commands:", *commands, HELP]]
            if name == HELP
            else [Vocab("fail"), *commands]
        )

    async def _part(self, connection: PortConnection) -> None:
        self._devices.forget(connection)
        await self._run.part(connection)
