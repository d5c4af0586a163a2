"""Ports as servers of YARP's devices have them, for programs with its clients: `rangefinder2D_nwc_yarp`,
`odometry2D_nwc_yarp`, `mobileBaseVelocityControl_nwc_yarp`.

Source: these clients, LaserScan2D, OdometryData, MobileBaseVelocityData and the services IRangefinder2DMsgs,
IOdometry2DMsgs and INavigation2DVelocityActionsMsgs of YARP 4. Angles are in degrees there.
"""  # noqa: D205 - the names of three devices do not fit into a line

import asyncio
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from coopsim.errors import BadArgument, CoopsimError, NoReply
from coopsim.features.gateways.codec import FollowedRun, GatewayCounts
from coopsim.features.gateways.messages import Words, finite
from coopsim.features.gateways.stepping import Refused
from coopsim.features.gateways.yarp.bottle import Value, Vocab
from coopsim.features.gateways.yarp.generic import HELP
from coopsim.features.gateways.yarp.port import Asked
from coopsim.features.gateways.yarp.structures import (
    METHOD_FAILED,
    NOT_IMPLEMENTED,
    OK,
    OUT_OF_BOUNDS,
    PROTOCOL_VERSION,
    Structure,
    result,
    structure,
)
from coopsim.features.gateways.yarp.wire import PortConnection

_IN_USE = 1
"""Status of a device that measures."""
_STREAM_LASTS = 0.1
"""Simulated time after which a velocity that was streamed is over, as with YARP's own server [s]."""
_SCAN, _ODOMETRY, _TWIST = "sensor_msgs/LaserScan", "nav_msgs/Odometry", "cmd_vel"
_Calls: TypeAlias = Mapping[str, Callable[[Sequence[Value], PortConnection], Awaitable[Structure]]]


class PortPlan(NamedTuple):
    """A port that is to be open.

    Attributes:
        topic: That it streams, "" = none.
        asked: Answers what comes, None = nothing may come.
    """

    topic: str
    asked: Asked | None


def streamed(kind: str, message: Words) -> Structure | list[Value]:
    """Return a message of a type as the ports of devices stream it; other types are arrays."""
    if kind == _SCAN:
        return structure(_scan(message))
    if kind == _ODOMETRY:
        return structure(_odometry(message))
    values: list[Value] = message["data"]
    return values


def _scan(message: Words) -> list[Value]:
    """Return a scan; the angle between two rays is that of all, by their number: the end is one ray behind the last."""
    first, ranges = message["angle_min"], message["ranges"]
    last = first + message["angle_increment"] * len(ranges)
    reaches = [message["range_min"], message["range_max"]]
    return [math.degrees(first), math.degrees(last), *reaches, ranges, _IN_USE]


def _odometry(message: Words) -> list[Value]:
    place, speeds = message["pose"]["pose"], message["twist"]["twist"]
    yaw = 2.0 * math.atan2(place["orientation"]["z"], place["orientation"]["w"])
    yaw = math.remainder(yaw, math.tau)
    forward, left, turn = speeds["linear"]["x"], speeds["linear"]["y"], math.degrees(speeds["angular"]["z"])
    cos, sin = math.cos(yaw), math.sin(yaw)
    moved: list[Value] = [place["position"]["x"], place["position"]["y"], math.degrees(yaw)]
    return [*moved, forward, left, turn, cos * forward - sin * left, sin * forward + cos * left, turn]


class DevicePorts:
    """Ports of the devices of all robots.

    Args:
        run: Whose robots they are.
        counts: Where refusals are counted.
    """

    def __init__(self, run: FollowedRun, counts: GatewayCounts) -> None:
        self._run, self._counts = run, counts
        self._velocities: dict[str, list[float]] = {}
        self._ends: dict[str, tuple[float, PortConnection]] = {}
        self._stopping: set[asyncio.Task[None]] = set()

    def plans(self) -> dict[str, PortPlan]:
        """Return the ports of the robots that are there now, by name."""
        plans: dict[str, PortPlan] = {}
        for topic, offered in self._run.offered.items():
            module = f"/{offered.robot}/{offered.module}"
            if offered.row.type == _SCAN:
                plans[f"{module}/rangefinder2D:o"] = PortPlan(topic, None)
                plans[f"{module}/rangefinder2D:o/rpc:i"] = PortPlan("", self._asker(self._scanner(topic, module)))
            elif offered.row.type == _ODOMETRY:
                plans[f"{module}/odometry2D/odometry:o"] = PortPlan(topic, None)
                plans[f"{module}/odometry2D/rpc"] = PortPlan("", self._asker(self._counter(module)))
        for topic, taken in self._run.command_topics.items():
            if taken.row.topic == _TWIST:
                stem = f"{taken.target}/velocity"
                plans[f"{stem}/data:i"] = PortPlan("", self._follower(topic))
                plans[f"{stem}/rpc:i"] = PortPlan("", self._asker(self._base(topic)))
        return plans

    @property
    def awaits_time(self) -> bool:
        """Whether velocities are over at a time that is to come."""
        return bool(self._ends)

    def expire(self) -> None:
        """Stop the robots whose velocity is over by now."""
        for topic, (end, peer) in list(self._ends.items()):
            if self._run.time >= end:
                del self._ends[topic]
                stopping = asyncio.create_task(self._stop(topic, peer))
                self._stopping.add(stopping)
                stopping.add_done_callback(self._stopping.discard)

    def forget(self, peer: PortConnection) -> None:
        """Wait no more for the end of what a program commanded that parts: its robots stop anyway."""
        self._ends = {topic: end for topic, end in self._ends.items() if end[1] is not peer}

    def close(self) -> None:
        """Stop nobody any more."""
        for stopping in list(self._stopping):
            stopping.cancel()

    async def _stop(self, topic: str, peer: PortConnection) -> None:
        try:
            await self._drive(topic, [0.0, 0.0, 0.0], peer, math.inf)
        except CoopsimError:
            self._counts.refused += 1  # its robot is gone, or another program's by now

    # calls

    def _asker(self, calls: _Calls) -> Asked:
        async def asked(items: list[Value], connection: PortConnection) -> Structure | list[Value] | None:
            name, values = _call_in(items)
            if name == "getRemoteProtocolVersion":
                return PROTOCOL_VERSION
            if name == HELP:
                return [Vocab("many"), "*** Available commands:", *calls, HELP]
            if name not in calls:
                self._counts.refused += 1
                return [Vocab("fail"), f"there is no call {name!r}; there are {', '.join(calls)}"]
            try:
                return await calls[name](values, connection)
            except CoopsimError as problem:
                self._counts.refused += 1
                return result(OUT_OF_BOUNDS if isinstance(problem, BadArgument) else METHOD_FAILED)

        return asked

    def _scanner(self, topic: str, module: str) -> _Calls:
        def newest() -> list[Value]:
            message = self._run.newest(topic)
            if message is None:
                raise NoReply("nothing was measured yet")
            return _scan(message)

        async def rate() -> float:
            (step,) = (await self._run.call("/sim/clock", "status", [], self))[6:7]
            period = (self._run.newest(topic) or {}).get("scan_time", 0.0) or float(step)
            return 1.0 / period

        def resolution(scan: Sequence[Value]) -> float:
            first, last, _, _, ranges, _ = scan
            assert isinstance(first, float) and isinstance(last, float) and isinstance(ranges, list)  # noqa: S101, PT018
            return (last - first) / len(ranges)

        async def refuse(_: Sequence[Value], __: PortConnection) -> Structure:
            return result(NOT_IMPLEMENTED)

        gives: Mapping[str, Callable[[], Awaitable[list[Value]]]] = {
            "getDeviceStatus_RPC": _at_once(lambda: [Vocab(chr(_IN_USE))]),
            "getDistanceRange_RPC": _at_once(lambda: newest()[2:4]),
            "getScanLimits_RPC": _at_once(lambda: newest()[0:2]),
            "getHorizontalResolution_RPC": _at_once(lambda: [resolution(newest())]),
            "getScanRate_RPC": lambda: _one(rate()),
            "getDeviceInfo_RPC": _at_once(lambda: [f"{module} of coopsim"]),
        }
        changes = ("DistanceRange", "ScanLimits", "HorizontalResolution", "ScanRate")
        return {name: _giver(give) for name, give in gives.items()} | {f"set{name}_RPC": refuse for name in changes}

    def _counter(self, module: str) -> _Calls:
        async def reset(_: Sequence[Value], connection: PortConnection) -> Structure:
            await self._run.call(module, "reset", [], connection)
            return result(OK)

        return {"reset_odometry_RPC": reset}

    def _base(self, topic: str) -> _Calls:
        async def apply(values: Sequence[Value], connection: PortConnection) -> Structure:
            *velocity, lasts = _numbers(values, 4)
            await self._drive(topic, velocity, connection, lasts)
            return result(OK)

        async def last(_: Sequence[Value], __: PortConnection) -> Structure:
            return result(OK, *self._velocities.get(topic, [0.0, 0.0, 0.0]))

        return {"applyVelocityCommandRPC": apply, "getLastVelocityCommandRPC": last}

    def _follower(self, topic: str) -> Asked:
        def refused(_: CoopsimError) -> None:
            self._counts.refused += 1  # a stream has no way back to tell why

        async def asked(items: list[Value], connection: PortConnection) -> None:
            try:
                await self._drive(topic, _numbers(items, 3), connection, _STREAM_LASTS, refused)
            except CoopsimError as problem:
                refused(problem)

        return asked

    async def _drive(
        self, topic: str, velocity: Sequence[float], peer: PortConnection, lasts: float, refused: Refused | None = None
    ) -> None:
        """Command a velocity in m/s, m/s and degrees/s for a simulated time [s], but for lockstep, where time waits."""
        x, y, turn = velocity
        message = {"linear": {"x": x, "y": y, "z": 0.0}, "angular": {"z": math.radians(turn)}}
        await self._run.command(topic, message, peer, refused)
        self._velocities[topic] = [x, y, turn]
        self._ends.pop(topic, None)
        if math.isfinite(lasts) and not self._run.is_lockstep:
            self._ends[topic] = self._run.time + lasts, peer


def _call_in(items: Sequence[Value]) -> tuple[str, list[Value]]:
    """Return the name of a call, which is sent in pieces, and its values."""
    count = next((place for place, item in enumerate(items) if not isinstance(item, str)), len(items))
    return "_".join(str(item) for item in items[:count]), list(items[count:])


def _numbers(values: Sequence[Value], count: int) -> list[float]:
    if len(values) != count:
        raise BadArgument(f"expected {count} numbers, got {len(values)}")
    return [finite(value, f"number {place}") for place, value in enumerate(values, 1)]


def _at_once(give: Callable[[], list[Value]]) -> Callable[[], Awaitable[list[Value]]]:
    async def giving() -> list[Value]:
        return give()

    return giving


async def _one(value: Awaitable[float]) -> list[Value]:
    return [await value]


def _giver(
    give: Callable[[], Awaitable[list[Value]]],
) -> Callable[[Sequence[Value], PortConnection], Awaitable[Structure]]:
    async def giving(_: Sequence[Value], __: PortConnection) -> Structure:
        return result(OK, *await give())

    return giving
