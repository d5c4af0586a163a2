"""A raid: who fetches a flag, who brings it home, and who stops those that carry the own one."""

import numpy as np

from coopsim.features.games.logic.army import strength
from coopsim.features.games.logic.model import DataModel, Flag, RobotState, SquadState
from coopsim.features.games.logic.orders import SquadOrder

_STRONGER = 1.6
"""Above this share of the enemies' strength a squad leaves the army to fetch a flag that is guarded."""


class RaidPlan:
    """Decides about flags alone; squads that it does not name fight.

    Args:
        player: Whose squads.
    """

    def __init__(self, player: str) -> None:
        self._player = player

    def orders(self, squads: list[SquadState], enemies: list[RobotState], model: DataModel) -> list[SquadOrder]:
        """Return the orders about flags.

        Args:
            squads: Of the player, those with somebody left.
            enemies: That are known.
            model: Of the match.
        """
        carriers = [squad for squad in squads if any(robot.holding for robot in squad.alive)]
        chosen = [SquadOrder(squad.name, "bring", model.bases[self._player]) for squad in carriers]
        rest = [squad for squad in squads if squad not in carriers]
        lost = [flag for flag in model.flags.values() if flag.player == self._player and flag.carrier]
        if lost and rest:
            return [*chosen, *(SquadOrder(squad.name, "attack", lost[0].carrier) for squad in rest)]
        flag = self._open_flag(squads, enemies, model)
        if flag is None or not rest or carriers:
            return chosen
        runner = min(rest, key=lambda squad: (-_speed(squad), _gap(model, squad, flag)))
        return [*chosen, SquadOrder(runner.name, "capture", flag.name)]

    def _open_flag(self, squads: list[SquadState], enemies: list[RobotState], model: DataModel) -> Flag | None:
        """Return the flag to fetch where the enemies are weak, the nearest one; None = none."""
        flags = [flag for flag in model.flags.values() if flag.player != self._player and not flag.carrier]
        robots = [robot for squad in squads for robot in squad.alive]
        if strength(robots) <= _STRONGER * strength(enemies):
            return None
        middle = model.positions[[robot.index for robot in robots]].mean(axis=0)
        return min(flags, key=lambda flag: float(np.hypot(*(middle - flag.place))), default=None)


def _speed(squad: SquadState) -> float:
    return min(robot.speed for robot in squad.obeying)


def _gap(model: DataModel, squad: SquadState, flag: Flag) -> float:
    return float(np.hypot(*(model.middle(squad) - flag.place)))
