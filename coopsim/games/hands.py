"""Sliding autonomy: a person drives one robot by hand while its squad goes on without it; robots ask for help.

Lines are `ROBOT take [SECONDS]`, `ROBOT drive SPEED TURN` and `ROBOT give`.  Source: swarm gaming, section 2.
"""

import math
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from coopsim.games.model import DataModel, RobotState
from coopsim.geometry import Floats

WORDS = ("take", "drive", "give")
HELP_AFTER = 12.0
"""A robot that came no nearer to where it goes for so long asks for help [s]."""
_FASTEST = 5.0
"""Of what a person may ask for, m/s and rad/s; motors limit it further."""


@dataclass
class HeldRobot:
    """A robot in the hands of a person: until when [s], and its speeds [m/s, rad/s]."""

    until: float = math.inf
    speeds: tuple[float, float] = (0.0, 0.0)


class Hands:
    """Who is driven by hand, and who asks for it.

    Args:
        model: Of the match.

    Attributes:
        changed: Squads that lost or won a robot, until the match has planned anew for them.
    """

    def __init__(self, model: DataModel) -> None:
        self._model = model
        self._held: dict[str, HeldRobot] = {}
        self._asking: set[str] = set()
        self._freed: set[str] = set()
        self.changed: set[str] = set()

    def is_meant(self, line: str) -> bool:
        """Return whether a line is about a robot by hand."""
        words = line.split()
        return len(words) > 1 and words[1] in WORDS

    def order(self, player: str, line: str) -> str:
        """Take, drive or give back a robot; return why not, "" where it is done."""
        name, word, *rest = line.split()
        robot = self._model.robots.get(name)
        if robot is None:
            return f"there is no robot {name}"
        if robot.player != player:
            return f"{name} is {robot.player}'s"
        if not robot.is_alive:
            return f"{name} has no health left"
        if word == "give":
            return self._give(robot, rest)
        try:
            values = [float(each) for each in rest]
        except ValueError:
            values = [math.nan]
        if not all(map(math.isfinite, values)):
            return f"{word} takes numbers, got {' '.join(rest)[:80]!r}"
        return self._take(robot, values) if word == "take" else self._drive(robot, values)

    def commands(self) -> dict[str, tuple[float, float]]:
        """Return the speeds of the robots that are held, and 0 for those that no longer are."""
        given = dict.fromkeys(self._freed, (0.0, 0.0))
        self._freed.clear()
        return given | {name: held.speeds for name, held in self._held.items()}

    def begin_look(self, stuck: Floats) -> None:
        """End what is over by time, and note who asks for help.

        Args:
            stuck: Time since each came nearer to where it goes, shape (n,) [s].
        """
        for name, held in list(self._held.items()):
            robot = self._model.robots[name]
            if held.until <= self._model.time or not robot.is_alive:
                self._free(robot, "its time is over" if robot.is_alive else "it is out")
        robots = self._model.roster.robots
        late = (robots[row] for row in np.flatnonzero(stuck > HELP_AFTER))
        asking = {it.name for it in late if it.is_alive and it.is_own}
        for name in sorted(asking - self._asking - {*self._held}):
            self._model.note(
                name, "help", f"{name} comes no nearer to where it goes: take it over, or order something else"
            )
        self._asking = asking

    def free_all(self, players: Collection[str]) -> None:
        """Give back all robots of players that have vanished."""
        for name in list(self._held):
            robot = self._model.robots[name]
            if robot.player in players:
                self._free(robot, "nobody is there")

    def _take(self, robot: RobotState, values: list[float]) -> str:
        if len(values) > 1 or (values and values[0] <= 0.0):
            return "take takes nothing, or seconds above 0"
        until = self._model.time + values[0] if values else math.inf
        self._held[robot.name] = HeldRobot(until)
        robot.is_taken = True
        self.changed.add(robot.squad)
        self._model.note(robot.player, "taken", f"{robot.name} is driven by hand")
        return ""

    def _drive(self, robot: RobotState, values: list[float]) -> str:
        held = self._held.get(robot.name)
        if held is None:
            return f"{robot.name} is not driven by hand: take it first"
        if len(values) != 2 or max(map(abs, values)) > _FASTEST:
            return f"drive takes a speed [m/s] and a turn [rad/s], at most {_FASTEST:g}"
        held.speeds = values[0], values[1]
        return ""

    def _give(self, robot: RobotState, words: list[str]) -> str:
        if robot.name not in self._held:
            return f"{robot.name} is not driven by hand"
        if words:
            return "give takes nothing"
        self._free(robot, "it was given back")
        return ""

    def _free(self, robot: RobotState, why: str) -> None:
        del self._held[robot.name]
        self._freed.add(robot.name)
        robot.is_taken = False
        self.changed.add(robot.squad)
        self._model.note(robot.player, "given", f"{robot.name} follows its squad again: {why}")
