"""Delay of an order of a player on its way through the swarm intelligence to the robots of a squad.

Source: swarm gaming, section 5, tables 3 and 4.
"""

import subprocess
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import numpy as np

from coopsim.client import Client, connect
from coopsim.errors import InternalError
from coopsim.features.matches.events import STATUS_TOPIC
from coopsim.geometry import Floats
from coopsim.interpreter import module_command
from coopsim.testkit import Run
from coopsim.testkit.own_bench.measuring.timed_match import TIMES

_FIELD = """\
[SIMULATION]
mode real-time
[TARGET]
blue 20 20 0
[AREA_1]
type border
points -25 -25  25 -25  25 25  -25 25
[AREA_2]
type water
points -12 -3  12 -3  12 3  -12 3
[ROBOT_1]
type game_infantry
name a
count 3
grid 3x1 0.8
position 0 -15 0
[ROBOT_2]
type game_infantry
name b1
position 20 20 0
[GAME]
rules death_match
time 36000
[PLAYER_1]
name one
[PLAYER_2]
name two
flag blue
[SQUAD_1]
name a
player one
robots a*
formation line
[SQUAD_2]
name b
player two
robots b1
"""
_ROBOTS = ("a1", "a2", "a3", "b1")
# m; far from each other, so that each order sets robots in motion
_GOALS = ((5.0, 12.0), (-5.0, 12.0), (12.0, -8.0), (-12.0, 8.0))
_TIMEOUT = 30.0  # s; a match begins within a few
_LOOK, _SPREAD = 0.1, 0.618
"""Time between looks of the logic [s], and the golden ratio: orders are spread, so that not all wait alike."""


@dataclass(frozen=True, slots=True)
class OrderTimes:
    """Real times of one order [ms].

    Attributes:
        heard: From the player to the swarm intelligence, with what is left until it looks.
        decided: In it, with the wait of the law, until all commands are there.
        sent: Until the last robot has its command.
        obeyed: From then until the intelligence of the last robot has begun with it.
    """

    heard: float
    decided: float
    sent: float
    obeyed: float

    @property
    def whole(self) -> float:
        """From the player to the last robot."""
        return self.heard + self.decided + self.sent


class SquadDesk:
    """A run with a squad of three on 500 x 500 cells, its player, and the logic of the match in a process of its own.

    Orders go the way that players' orders go: by the event channel to the logic, at its next look, to the robots.

    Args:
        wait: Time that orders wait before they are processed, 0.3 in the paper [s].
    """

    def __init__(self, wait: float = 0.0) -> None:
        self._count, self._wait = 0, wait
        with ExitStack() as stack:
            self.run = stack.enter_context(Run(_FIELD, "--no-controllers"))
            self._player: Client = stack.enter_context(connect(self.run.endpoint))
            self._told = stack.enter_context(self._player.listen(TIMES))
            with self._player.listen(STATUS_TOPIC) as status:
                match = "coopsim.testkit.own_bench.measuring.timed_match"
                words = module_command(
                    match, "--robots", *_ROBOTS, "--endpoint", self.run.endpoint, "--wait", str(wait)
                )
                logic = stack.enter_context(subprocess.Popen(words, stdout=subprocess.DEVNULL))
                stack.callback(logic.terminate)
                if status.hear(_TIMEOUT) is None:
                    raise InternalError("the logic of the match does not begin")
            self.orders(1, 0.0)  # loads what is compiled
            self._stack = stack.pop_all()

    def orders(self, count: int, interval: float) -> list[OrderTimes]:
        """Give so many orders, one every `interval` [s]; return the times of those that no later one replaced."""
        published = dict[str, float]()
        begun = time.perf_counter()
        for number in range(count):
            due = begun + number * interval + _LOOK * ((number * _SPREAD) % 1.0)
            time.sleep(max(0.0, due - time.perf_counter()))
            line = self._line()
            published[line] = time.perf_counter()
            self._player.publish("/game/orders/one", line)
        times = []
        while line in published:
            event = self._told.hear(self._wait + _TIMEOUT)
            if event is None or not np.isfinite(event.data).all():
                raise InternalError(f"nobody carries out {line!r}")
            times.append(OrderTimes(*(1e3 * np.diff([published.pop(event.text), *event.data])).tolist()))
        return times

    def _line(self) -> str:
        """Return an order that was not given before, as the logic writes it."""
        x, y = _GOALS[self._count % len(_GOALS)]
        self._count += 1
        return f"a go_to {x + 0.001 * self._count:g} {y:g} line"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()


def column(orders: Sequence[OrderTimes], name: str) -> Floats:
    """Return one of the times of all orders [ms]."""
    return np.array([getattr(order, name) for order in orders])
