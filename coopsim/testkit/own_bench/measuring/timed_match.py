"""The logic of a match with stop watches, for the bench of orders: the law `game` as matches run it, in a process.

python -m coopsim.testkit.own_bench.measuring.timed_match --robots a1 a2 a3 b1 [options of `game`]

Each sequence begins with a beep, by which the robots show when their intelligence begins with it.

Source: swarm gaming, section 5, tables 3 and 4.
"""

import math
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from coopsim.client import Client, Stepper
from coopsim.features.games.interfaces.games import INTELLIGENCE, STEP_WIDTH
from coopsim.features.games.logic.game import main
from coopsim.features.games.logic.match import Match
from coopsim.features.games.logic.orders import RobotCommand
from coopsim.interfaces import command_numbers

TIMES = "/swarm/times"
"""Topic of what was measured: the order, and when it was heard, decided, sent and obeyed [s], of the system's clock."""
_BEEP = (float(command_numbers(INTELLIGENCE).beep), 0.0, 0.0)  # the shortest of all actions
_PATIENCE = 2.0
"""Robots that do not begin with a sequence within so long obey never [s]."""


class TimedMatch(Match):
    """A match that publishes when each order that it carries out went through.

    Args:
        sim: The run.
        stepper: Of all robots of the match.
        wait: See `Match`; so are those that were removed.
        removed: See wait.
    """

    def __init__(
        self, sim: Client, stepper: Stepper, wait: float = 0.0, removed: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(sim, stepper, wait, removed)
        self._client, self._heard_at = sim, dict[str, float]()

    def order(self, player: str, line: str) -> str:
        """Take a line of a person, and the time."""
        self._heard_at[line] = time.perf_counter()
        return super().order(player, line)

    def _command(self, player: str, commands: Sequence[RobotCommand]) -> None:
        """Send what a squad commands; publish the times where that is what an order comes to."""
        moved = [command for command in commands if command.command == "sequence"]
        order = self.intelligences[self.model.robots[moved[0].robot].squad].order if moved else None
        heard = self._heard_at.pop(str(order), None)
        if heard is None:
            super()._command(player, commands)
            return
        decided = time.perf_counter()
        before = [self._beeps(move.robot) for move in moved]
        asked = time.perf_counter() - decided  # no part of any time
        super()._command(player, [_announced(command) for command in commands])
        sent = time.perf_counter() - asked
        obeyed = self._begun(moved, before, sent) - asked
        self._client.publish(TIMES, str(order), (heard, decided, sent, obeyed))

    def _begun(self, moved: Sequence[RobotCommand], before: Sequence[float], sent: float) -> float:
        """Return when the last robot has begun with its sequence, infinity where one never does."""
        while time.perf_counter() < sent + _PATIENCE:
            if all(self._beeps(move.robot) > count for move, count in zip(moved, before, strict=True)):
                return time.perf_counter()
        return math.inf

    def _beeps(self, robot: str) -> float:
        return float(self._client.module(f"/{robot}/beeper").state().count)


def _announced(command: RobotCommand) -> RobotCommand:
    """Return a sequence with a beep before it; its last step is free, as ways leave two."""
    if command.command != "sequence":
        return command
    return replace(command, values=(*_BEEP, *command.values[:-STEP_WIDTH]))


if __name__ == "__main__":
    sys.exit(main(kind=TimedMatch))
