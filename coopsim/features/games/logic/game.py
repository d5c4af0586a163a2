"""`game`: the logic of a match as a control law of all its robots.

python -m coopsim.features.games.logic.game --robots a1 a2 a3 b1 b2 b3

It reads the game that the scenario describes from `/sim/info`, hears orders as events on `/game/orders/PLAYER` and who
plays on `/game/seats/PLAYER`, and tells what happens on `/game/log`, and the result on `/game/end`. Where it drives
the robots of some players only, it is one of several logics of the match.

Source: swarm gaming, section 3, figure 1.
"""

import sys
from collections.abc import Sequence
from contextlib import ExitStack, closing
from typing import Any

from coopsim.client import Client, Readings, Stepper
from coopsim.client import Law as Deciding
from coopsim.features.games.logic.carrying_on import carry_on
from coopsim.features.games.logic.match import Match
from coopsim.features.laws import options
from coopsim.features.laws.process import drive
from coopsim.interfaces import Parameter

PARAMETERS = (
    Parameter("rate", float, 10.0, "Hz", 0.1, 1000.0, "how often the logic of the game looks"),
    Parameter("wait", float, 0.0, "s", 0.0, 60.0, "time before an order is processed; later ones take its place"),
)


def main(arguments: Sequence[str] | None = None, kind: type[Match] = Match) -> int:
    """Run a match to its end; return the exit code."""
    parser = options.parser(
        "game", "The logic of a match: rules, referee, and the intelligences of all squads.", PARAMETERS
    )
    chosen = parser.parse_args(arguments)

    failures: list[str] = []
    matches = ExitStack()
    begun: list[Match] = []

    def begin(sim: Client, stepper: Stepper) -> Deciding:
        matches.close()  # robots were removed: the one before is over, and goes on without them
        removed = removed_since(begun, stepper.robots)
        match = matches.enter_context(closing(kind(sim, stepper, chosen.law_wait, removed)))
        match.own.failures = failures
        if begun:
            carry_on(begun.pop(), match)
        begun.append(match)

        def decide(seen: Readings) -> dict[str, Any] | None:
            commands = match.decide(seen)
            if commands is None and match.logics.result is None:
                result = match.result()
                sys.stdout.write(
                    f"game: {result['winner'] or 'nobody'} wins after {result['time']:g} s: {result['reason']}\n"
                )
            return commands

        return decide

    with matches:
        code = drive("game", chosen.robots, chosen.endpoint, begin, rate=chosen.law_rate)
    sys.stderr.writelines(f"game: switched off: {failure}\n" for failure in failures)
    return code or int(bool(failures))


def removed_since(begun: Sequence[Match], robots: Sequence[str]) -> dict[str, str]:
    """Return the robots of a match that its logic drove and that are gone, and whose they were."""
    removed: dict[str, str] = {}
    for match in begun:
        lost = [robot for robot in match.model.robots.values() if robot.is_own and robot.name not in robots]
        removed |= match.removed | {robot.name: robot.player for robot in lost}
    return removed


if __name__ == "__main__":
    sys.exit(main())
