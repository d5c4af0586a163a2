"""Two clients that talk to a host with the lane and to one without it, and what is compared."""

import struct
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import msgpack
import numpy as np
import pytest
from server_fakes import ask
from server_lane_rig import LaneRig, framed
from server_steps import CLAIM, step

from coopsim import interfaces
from coopsim.interfaces import CLOCK, MOTORS, SONARS
from coopsim.message import encode

SET_PERIOD = 16
BOTH = ("robot1", "robot2")
NAN = struct.pack("<d", float("nan"))
CLAIMS = [(CLAIM, "a", ("robot1",)), (CLAIM, "b", ("robot2",))]
ONE, OTHER = (("step", client, (robot,), None, 0.5) for client, robot in zip("ab", BOTH, strict=True))
TOGETHER = ("both", "a", BOTH, None, 0.25)
BEGIN = [*CLAIMS, *[ONE, OTHER] * 3, *[TOGETHER] * 2]
SET_VELOCITY, STOP, STATE = (MOTORS.command(name).number for name in ("set_velocity", "stop", "state"))
STEP, PART = (interfaces.STEP.command(name).number for name in ("step", "part"))
PAUSE, GO_ON = (CLOCK.command(name).number for name in ("pause", "continue"))
RANGES, PING, STATISTICS = SONARS.command("ranges").number, 0, 4


class Exchange(NamedTuple):
    """A request for one module.

    Attributes:
        ahead: Ticks from now that it is stamped with; None = it has no stamp.
        raw: What stands in the place of its packed data; "" = these.
    """

    target: str
    command: int
    data: tuple[float, ...] = ()
    is_binary: bool = False
    ahead: int | None = None
    raw: bytes = b""

    def packed(self, number: int, tick: int) -> bytes:
        """Return its bytes, with an id, after a tick."""
        stamp = 0 if self.ahead is None else tick + self.ahead
        request = ask(self.target, self.command, data=self.data, tick=stamp, number=number)
        raw = encode(replace(request, binary=self.is_binary))
        return raw[: -len(msgpack.packb(self.data))] + self.raw if self.raw else raw


def drive(robot: str, *data: float, **more: Any) -> Exchange:
    """Return a command for the motors."""
    return Exchange(f"/{robot}/motors", SET_VELOCITY, data or (0.5, 0.25), **more)


def reading(robot: str, **more: Any) -> Exchange:
    """Return a request for the ranges of sonars."""
    return Exchange(f"/{robot}/sonars", RANGES, **more)


def together(*exchanges: Exchange) -> tuple[Any, ...]:
    """Return what the first client says about the first robot, and the second one about the second, at once."""
    return "together", "a", exchanges


def say(client: str, *exchanges: Exchange, cut: int = 0) -> tuple[Any, ...]:
    """Return what a client says at once; `cut` = so many bytes, and then the rest."""
    return "say", client, exchanges, cut


class Talk:
    """Bytes of two clients, and whatever they heard."""

    def __init__(self, rig: LaneRig) -> None:
        self.rig, self.number = rig, 0
        self.heard: list[Any] = []

    def do(self, action: tuple[Any, ...]) -> None:
        kind, client, names, *rest = action
        self.number += 1
        if kind in ("step", "both", "cut", "twice", "mutant"):
            self._step(kind, client, names, *rest)
        elif kind in ("parts", "cut parts", "mutant parts", "spoilt part", "spoilt step"):
            self._step_in_parts(kind, client, names, *rest)
        elif kind == "say":
            self._say(client, names, *rest)
        elif kind == "together":
            self._say_together(names)
        elif kind == "advance":
            self.rig.bench.now += 0.3
            self.rig.bench.modules.turn(self.rig.bench.now)
        else:
            self.rig.send(client, framed(client, encode(replace(self._other(kind, names, *rest), id=self.number))))
        self.rig.settle()
        self.heard.append((action, {name: self.rig.heard(name) for name in self.rig.ends}))

    def _say(self, client: str, exchanges: tuple[Exchange, ...], cut: int) -> None:
        tick = self.rig.bench.coordinator.barrier.next - 1
        whole = b"".join(
            framed(client, exchange.packed(100 * self.number + place, tick)) for place, exchange in enumerate(exchanges)
        )
        pieces = (whole[: cut % len(whole)], whole[cut % len(whole) :]) if cut else (whole,)
        self.rig.send(client, *filter(None, pieces))

    def _say_together(self, exchanges: tuple[Exchange, ...]) -> None:
        for client, robot in zip("ab", BOTH, strict=True):
            said = [exchange._replace(target=exchange.target.replace("robot1", robot)) for exchange in exchanges]
            tick = self.rig.bench.coordinator.barrier.next - 1
            raw = b"".join(
                framed(client, exchange.packed(100 * self.number + k, tick)) for k, exchange in enumerate(said)
            )
            self.rig.end(client).sendall(raw)

    def _other(self, kind: str | int, names: tuple[str, ...], ticks: int = 2) -> Any:
        if kind in ("ping", "statistics"):
            return ask("/sim/step", 0 if kind == "ping" else 4)
        if kind in ("pause", "go on"):
            return ask("/sim/clock", PAUSE if kind == "pause" else GO_ON)
        if kind == "insert":
            return ask("/sim/world", 12, "box_9", "box", data=[0.3] * 3 + [2.0] * 3)
        return ask("/sim/step", kind, *((ticks, *names) if kind == SET_PERIOD else names))

    def _step(
        self, kind: str, client: str, names: tuple[str, ...], ahead: int | None, value: float | None, at: int = 30
    ) -> None:
        if kind == "both":
            is_at_once = self.rig.bench.coordinator.barrier.awaited_robots == set(BOTH)  # else it counts who is first
            for letter, name in zip("ab", BOTH, strict=True):
                self.rig.end(letter).sendall(framed(letter, self._request((name,), ahead, value)))
                if not is_at_once:
                    self.rig.settle()
            return
        raw = self._request(names, ahead, value)
        if kind == "mutant":
            raw = raw[: at % len(raw)] + bytes([at ^ raw[at % len(raw)]]) + raw[at % len(raw) + 1 :]
        whole = framed(client, raw)
        if kind == "cut":
            self.rig.send(client, whole[: at % len(whole)], whole[at % len(whole) :])
        else:
            self.rig.send(client, whole * (2 if kind == "twice" else 1))

    def _step_in_parts(
        self, kind: str, client: str, names: tuple[str, ...], ahead: int | None, value: float | None, at: int = 30
    ) -> None:
        """Step each robot by a message of its own."""
        whole = self.parts(client, names, ahead, value)
        at %= len(whole)
        if kind == "cut parts":
            self.rig.send(client, whole[:at], whole[at:])
        elif kind in ("spoilt part", "spoilt step"):  # values that are no numbers, in the first message or in the last
            first, last = whole[: len(whole) // 2], whole[len(whole) // 2 :]
            spoilt = (first if kind == "spoilt part" else last).replace(struct.pack("<d", 0.5), NAN)
            self.rig.send(client, spoilt + last if kind == "spoilt part" else first + spoilt)
        elif kind == "mutant parts":
            self.rig.send(client, whole[:at] + bytes([at ^ whole[at]]) + whole[at + 1 :])
        else:
            self.rig.send(client, whole)

    def parts(
        self,
        client: str,
        names: tuple[str, ...],
        ahead: int | None = None,
        value: float | None = 0.25,
        number: int | None = None,
    ) -> bytes:
        """Return a STEP of a message for each robot, all but the last PARTs; ids follow each other from `number`."""
        commands = [*[PART] * (len(names) - 1), STEP]
        return b"".join(
            framed(client, self._request((name,), ahead, value, command, number and number + place))
            for place, (name, command) in enumerate(zip(names, commands, strict=True))
        )

    def _request(
        self,
        names: tuple[str, ...],
        ahead: int | None,
        value: float | None,
        command: int = STEP,
        number: int | None = None,
    ) -> bytes:
        coordinator = self.rig.bench.coordinator
        tick = 0 if ahead is None else coordinator.barrier.next - 1 + ahead
        generation = coordinator.link.layout.generation
        data = np.full(2 * (len(names) or 1), 0.5 if value is None else value)
        request = step(*names, data=data, tick=tick, number=number or self.number, generation=generation)
        raw = encode(replace(request, binary=True, command=command))
        return raw.replace(struct.pack("<d", 0.5), NAN) if value is None else raw


def state(rig: LaneRig) -> list[Any]:
    """Return what ownership and barrier know, and the commands that were written."""
    with rig.bench.source.link.writing() as (layout, rows):
        commands = [float(row) for row in rows[: layout.command_size]]
    barrier, coordinator = rig.bench.coordinator.barrier, rig.bench.coordinator
    barrier_state = barrier.next, sorted(barrier._missing), sorted(barrier._silent), sorted(barrier._new), barrier.fired
    waiting = [step.group.names for step in coordinator.pending.steps], len(coordinator.pending._held)
    return [commands, barrier_state, coordinator.is_paused, waiting, rig.bench.modules.statistics.counters]


class BothWays:
    """The same talk with a host that has the lane, and with one that has none."""

    def __init__(self, rig: Callable, policy: str = "stop") -> None:
        self.with_lane, self.without = (
            rig(has_lane=has_lane, patience=0.2, policy=policy) for has_lane in (True, False)
        )
        self._talks = Talk(self.with_lane), Talk(self.without)

    def do(self, actions: Sequence[tuple[Any, ...]]) -> None:
        """Do these, and compare what was said and what is known after each."""
        for action in actions:
            for talk in self._talks:
                talk.do(action)
            assert self._talks[0].heard[-1] == self._talks[1].heard[-1]
            assert state(self.with_lane) == state(self.without)


def check_same(rig: Callable, actions: list[tuple[Any, ...]], policy: str = "stop") -> None:
    BothWays(rig, policy).do(actions)


def check_taken(rig: Callable, begin: Sequence[tuple[Any, ...]], again: Sequence[Any], then: Sequence[Any]) -> None:
    """Check the same; some of it is done again until the lane does a step, as it does but on a busy machine."""
    both = BothWays(rig)
    both.do(begin)
    before = both.with_lane.lane.steps
    for _ in range(200):
        both.do(again)
        if both.with_lane.lane.steps > before:
            both.do(then)
            return
    pytest.fail("no step takes the lane")


def comes_true(it: LaneRig, actions: list[tuple[Any, ...]], steps: int, messages: int | None = None) -> bool:
    """Return whether so much is done in the lane, as it is unless the machine is busy just then."""
    for _ in range(200):
        before = it.lane.steps, it.lane.messages
        for action in actions:
            Talk(it).do(action)
        if it.lane.steps - before[0] == steps and messages in (None, it.lane.messages - before[1]):
            return True
    return False
