"""Messages among robots that several programs drive by one policy.

Each program offers a module for each robot that it drives, `/robot1/messages`, and reads those of the others. What is
written before a step is in force in the next one, so that robots hear the same as in a batch.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coopsim.client import Client, Module
from coopsim.errors import BadArgument, NoSuchName
from coopsim.features.learning.encoding import LearnerMessages
from coopsim.features.learning.section import MESSAGES
from coopsim.geometry import Floats


class TeamMessages:
    """Messages of a team, a part of which this program drives.

    Args:
        sim: The client.
        robots: Names of those that it drives.
        team: Names of all who talk, in the order in which they learnt; () = those that it drives.
        count: How many numbers each of them says.

    Attributes:
        own: Rows of those that it drives among the team.
        size: How many robots the team has.

    Raises:
        BadArgument: One that it drives is not in the team, or one is in it twice.
        NoSuchName: One of the team is no robot of the simulation.
        OwnedByAnother: Another program says the messages of one that it drives.
    """

    def __init__(self, sim: Client, robots: Sequence[str], team: Sequence[str], count: int) -> None:
        names = list(team or robots)
        strangers = [robot for robot in robots if robot not in names]
        if strangers or len(set(names)) < len(names):
            problem = f"{strangers[0]} is not among them" if strangers else "one is named twice"
            raise BadArgument(f"expected as team all robots that talk, and {problem}: {', '.join(names)}")
        self._sim, self._count, self.size = sim, count, len(names)
        self.own = [names.index(robot) for robot in robots]
        self._messages = LearnerMessages(self.size, count)
        elsewhere = [] if count == 0 else [(row, name) for row, name in enumerate(names) if name not in robots]
        for _, name in elsewhere:
            sim.robot(name)  # a name that is misspelt would say zeros to the end
        self._elsewhere = [(row, _module_of(name)) for row, name in elsewhere]
        values = {f"m{number}": "1" for number in range(1, count + 1)}
        self._offered: list[Module] = []
        if elsewhere:
            self._offered = [sim.offer(_module_of(robot), values, summary="What it says.") for robot in robots]
        self._said: Floats = np.zeros((self.size, count))

    def of_team(self, rows: Floats) -> Floats:
        """Return rows of those that this program drives among zeros for all others, shape (robots, ...)."""
        if len(self.own) == self.size and self.own == list(range(self.size)):
            return rows
        whole = np.zeros((self.size, *rows.shape[1:]))
        whole[self.own] = rows
        return whole

    def heard(self) -> Floats:
        """Return what each robot of the team hears, shape (robots, (robots - 1) x numbers)."""
        for row, name in self._elsewhere:
            self._said[row] = self._read(name)
        self._messages.say(self._said)
        return self._messages.heard()

    def say(self, actions: NDArray[np.floating]) -> None:
        """Say the last numbers of the actions of those that this program drives, shape (robots, actions)."""
        said = np.clip(actions[:, actions.shape[1] - self._count :], -1.0, 1.0)
        self._said[self.own] = said
        for module, numbers in zip(self._offered, said.tolist(), strict=False):
            module.write(*numbers)

    def _read(self, name: str) -> list[float]:
        """Return what another program says for its robot; zeros before it begins and after its end."""
        try:
            read: Any = self._sim.module(name).read()
        except NoSuchName:
            return [0.0] * self._count
        return [float(getattr(read, f"m{number}")) for number in range(1, self._count + 1)]


def _module_of(robot: str) -> str:
    return f"/{robot}/{MESSAGES}"
