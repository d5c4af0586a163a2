"""Sliding autonomy: a person drives one robot by hand while its squad goes on without it; robots ask for help.

Lines are `ROBOT take [SECONDS]`, `ROBOT drive SPEED TURN`, `ROBOT give`, and `ROBOT help`, by which a person asks other
robots to come.  Source: swarm gaming, section 2.
"""

import math
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from coopsim.features.games.logic.model import DataModel, RobotState
from coopsim.geometry import Floats

HELP = "help"
WORDS = ("take", "drive", "give", HELP)
# longer than the squad needs to free it: avoiding counts a robot as stuck after 6 s
HELP_AFTER = 12.0
"""A robot that is held up for so long asks for help [s]."""
_NOTICED, _AWAY = 4.0, 1.0
"""Who came no nearer to where it goes for so long [s] is held up, until it rests or is so far from there [m]."""
_DIGITS = 2
"""Limits are told to so many, and what is told is taken."""


@dataclass
class HeldRobot:
    """A robot that a person drives: until when [s], and its speeds [m/s, rad/s]."""

    until: float = math.inf
    speeds: tuple[float, float] = (0.0, 0.0)


class ManualControl:
    """Robots that are driven by hand, and those that ask for it.

    Args:
        model: Of the match.

    Attributes:
        changed: Squads that lost or won a robot, until the match has planned anew for them.
    """

    def __init__(self, model: DataModel) -> None:
        self._model = model
        self._held: dict[str, HeldRobot] = {}
        self._asking: set[str] = set()
        self._held_up: dict[str, tuple[float, Floats]] = {}
        self._freed: set[str] = set()
        self.changed: set[str] = set()

    def is_meant(self, line: str) -> bool:
        """Return whether a line is about a robot by hand."""
        words = line.split()
        return len(words) > 1 and words[1] in WORDS

    def order(self, player: str, line: str) -> str:
        """Take, drive or give back a robot, or ask for help; return why not, "" where it is done."""
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
        if word == HELP:  # who comes decides the match, which knows the ways
            return f"{HELP} takes nothing" if rest else ""
        try:
            values = [float(number) for number in rest]
        except ValueError:
            values = [math.nan]
        if not all(map(math.isfinite, values)):
            return f"{word} takes numbers, got {' '.join(rest)[:80]!r}"
        return self._grant_control(robot, values) if word == "take" else self._drive(robot, values)

    def commands(self) -> dict[str, tuple[float, float]]:
        """Return the speeds of the robots that are held, and 0 for those that no longer are."""
        # a robot that is given back stops once, or it would drive on as it was driven last
        given = dict.fromkeys(self._freed, (0.0, 0.0))
        self._freed.clear()
        return given | {name: held.speeds for name, held in self._held.items()}

    def begin_round(self, stuck: Floats, doing: Floats) -> None:
        """End what is over by time, and note who asks for help.

        Args:
            stuck: Time since each came nearer to where it goes, shape (n,) [s].
            doing: Command that each carries out, 0 = none, shape (n,).
        """
        for name, held in list(self._held.items()):
            robot = self._model.robots[name]
            if held.until <= self._model.time or not robot.is_alive:
                self._free(robot, "its time is over" if robot.is_alive else "it is out")
        asking = self._find_held_up(stuck, doing)
        # sorted: the log of a match that is played again must be the same
        for name in sorted(asking - self._asking - {*self._held}):
            self._model.note(
                name, "help", f"{name} comes no nearer to where it goes: take it over, or order something else"
            )
        self._asking = asking

    def _find_held_up(self, stuck: Floats, doing: Floats) -> set[str]:
        """Return who has been held up for long; a new way that leads nowhere either does not begin the time anew."""
        model, robots = self._model, self._model.roster.robots
        # a list: entries go while it is walked through
        for name, (_, place) in list(self._held_up.items()):
            robot = model.robots[name]
            is_busy = robot.is_alive and not robot.is_taken and doing[robot.index] > 0.0
            if not is_busy or float(np.hypot(*(model.position(robot) - place))) > _AWAY:
                del self._held_up[name]
        for row in np.flatnonzero((stuck > _NOTICED) & (doing > 0.0)):
            if robots[row].is_alive and robots[row].is_own and not robots[row].is_taken:
                since = model.time - float(stuck[row]), model.position(robots[row]).copy()
                self._held_up.setdefault(robots[row].name, since)
        return {name for name, (since, _) in self._held_up.items() if model.time - since > HELP_AFTER}

    def free_all(self, players: Collection[str]) -> None:
        """Give back all robots of players that have vanished."""
        for name in list(self._held):
            robot = self._model.robots[name]
            if robot.player in players:
                self._free(robot, "nobody is there")

    def _grant_control(self, robot: RobotState, values: list[float]) -> str:
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
        if len(values) != 2:
            return f"drive takes a speed [m/s] and a turn [rad/s], got {len(values)} numbers"
        speed, turn = values
        # as the refusal prints them: who types what it says must not be refused again
        fastest, sharpest = round(robot.speed, _DIGITS), round(robot.turn, _DIGITS)
        if abs(speed) > fastest or abs(turn) > sharpest:
            most = f"{fastest:g} m/s and turns at most {sharpest:g} rad/s, as its type does"
            return f"{robot.name} drives at most {most}; got {speed:g} and {turn:g}"
        held.speeds = speed, turn
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
