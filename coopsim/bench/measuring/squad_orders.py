"""How long an order of a player takes on its way through the swarm intelligence to the robots of a squad.

Source: swarm gaming, section 5, tables 3 and 4.
"""

import time
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import numpy as np

from coopsim.client import Client, connect
from coopsim.games.match import Match
from coopsim.geometry import Floats
from coopsim.testing import Run

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
_GOALS = ((5.0, 12.0), (-5.0, 12.0), (12.0, -8.0), (-12.0, 8.0))
_TIMEOUT = 10.0


@dataclass(frozen=True, slots=True)
class OrderTimes:
    """Real times of one order [ms].

    Attributes:
        heard: From the player to the swarm intelligence.
        decided: In it, until all commands are there.
        sent: Until the last robot has its command.
        obeyed: From then until the robots say that they carry it out.
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
    """A run with a squad of three on 500 x 500 cells, its player, and the intelligence of the squad.

    Args:
        wait: Time that orders wait before they are processed, 0.3 in the paper [s].
    """

    def __init__(self, wait: float = 0.0) -> None:
        self._wait, self._count = wait, 0
        with ExitStack() as stack:
            run = stack.enter_context(Run(_FIELD, "--no-controllers"))
            self._player: Client = stack.enter_context(connect(run.endpoint))
            sim = stack.enter_context(connect(run.endpoint))
            self._stepper = stack.enter_context(sim.stepper())
            self._match = stack.enter_context(closing(Match(sim, self._stepper)))
            self._look()
            self.order()  # loads what is compiled
            self._stack = stack.pop_all()

    def order(self) -> OrderTimes:
        """Send the squad somewhere and measure it."""
        x, y = _GOALS[self._count % len(_GOALS)]
        self._count += 1
        self._look()
        match, mind = self._match, self._match.minds["a"]
        begun = time.perf_counter()
        self._player.publish("/game/orders/one", f"a go_to {x} {y} line")
        lines: Sequence[tuple[str, str]] = ()
        while not lines and time.perf_counter() - begun < _TIMEOUT:
            lines = match.intake.take()
        heard = time.perf_counter()
        time.sleep(self._wait)
        for player, line in lines:
            match.order(player, line)
        match.process()
        commands = match.arbitrators["a"].decide(mind, match.view)
        decided = time.perf_counter()
        match.broker.send("one", commands)
        sent = time.perf_counter()
        self._look()
        obeyed = time.perf_counter()
        return OrderTimes(*(1e3 * np.diff([begun, heard, decided, sent, obeyed])).tolist())

    def _look(self) -> None:
        self._match.look(self._stepper.step({}))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()


def orders(desk: SquadDesk, count: int, interval: float) -> list[OrderTimes]:
    """Return what so many orders took, one every `interval` [s]."""
    found, due = [], time.perf_counter()
    for _ in range(count):
        due += interval
        found.append(desk.order())
        time.sleep(max(0.0, due - time.perf_counter()))
    return found


def column(found: Sequence[OrderTimes], name: str) -> Floats:
    """Return one of the times of all orders [ms]."""
    return np.array([getattr(it, name) for it in found])
