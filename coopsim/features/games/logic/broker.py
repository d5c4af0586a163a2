"""The way from the intelligence of squads to robots: every command passes the data model.

Source: swarm gaming, section 3 (the communication layer, the robot broker).
"""

from collections.abc import Iterable, Sequence
from typing import Any

from coopsim.client import Client
from coopsim.errors import BadArgument, CoopsimError, NoSuchName
from coopsim.features.games.logic.model import DataModel
from coopsim.features.games.logic.orders import RobotCommand


class Broker:
    """Sends commands to robots, and refuses those that the rules forbid.

    Attributes:
        sent: How many commands robots got.
    """

    def __init__(self, sim: Client, model: DataModel) -> None:
        self._sim, self._model = sim, model
        self._known: set[tuple[str, str, str]] = set()
        self.sent = 0

    def send(self, player: str, commands: Iterable[RobotCommand]) -> None:
        """Send what a player's squads command their robots, all at once; each that is refused is logged."""
        allowed = []
        for command in commands:
            refused = self.refusal(player, command) or self._flaw(command)
            if refused:
                self._model.note(player, "illegal", refused)
            else:
                allowed.append(command)
        for command, problem in zip(allowed, self.carry(allowed), strict=True):
            if problem is not None:
                self._model.note(player, "illegal", f"{command.robot}: {problem}")

    def refusal(self, player: str, command: RobotCommand) -> str:
        """Return why a player may not send this, "" where he may."""
        robot = self._model.robots.get(command.robot)
        if robot is None:
            return f"there is no robot {command.robot}"
        if robot.player != player:
            return f"{robot.name} is {robot.player}'s"
        if not robot.is_alive:
            return f"{robot.name} has no health left"
        if command.command == "shoot":
            if robot.power < 1.0:
                return f"{robot.name} has no power left"
            target = next(
                (robot for robot in self._model.robots.values() if robot.number == int(command.values[0])), None
            )
            if target is None or target.player == player:
                return f"{robot.name} may not shoot at {'nobody' if target is None else target.name}"
        return ""

    def _flaw(self, command: RobotCommand) -> str:
        """Return why a robot cannot do what a behaviour of somebody says, "" where it can."""
        key = command.robot, command.module, command.command
        if key in self._known:
            return ""
        try:
            commands = self._sim.module(f"/{command.robot}/{command.module}").interface.commands
        except NoSuchName:
            return f"{command.robot} has no {command.module}"
        if command.command not in [command.name for command in commands]:
            return f"/{command.robot}/{command.module} knows no {command.command}"
        self._known.add(key)
        return ""

    def force(self, command: RobotCommand) -> None:
        """Send a command of the referee, which nothing refuses.

        Raises:
            BadArgument: The robot cannot do that.
        """
        for problem in self.carry([command]):
            if problem is not None:
                raise problem

    def carry(self, commands: Sequence[RobotCommand]) -> list[BadArgument | None]:
        """Bring commands to robots; return what is wrong with the values of each, None where they were taken.

        Raises:
            CoopsimError: A robot could not be told; all others were.
        """
        if not commands:
            return []
        answers = self._sim.call_all(
            (f"/{command.robot}/{command.module}", command.command, _values(command)) for command in commands
        )
        self.sent += sum(not isinstance(answer, CoopsimError) for answer in answers)
        problems = [answer if isinstance(answer, CoopsimError) else None for answer in answers]
        for problem in problems:
            if problem is not None and not isinstance(problem, BadArgument):
                raise problem
        return [problem if isinstance(problem, BadArgument) else None for problem in problems]


def _values(command: RobotCommand) -> Sequence[Any]:
    return [list(command.values)] if command.command == "sequence" else command.values
