"""Pending insertions: names and places of what was sent and is not seen in the scene yet."""

import time
from collections.abc import Callable, Collection

import numpy as np

from coopsim.features.desktop.changes import KnownScene
from coopsim.geometry import Floats

_LONGEST = 3.0
"""What is not seen after this time was refused, or removed by others [s]: name and place are free again."""


class PendingInsertions:
    """Insertions on their way: another one at once gets neither their names nor their places.

    Args:
        clock: Real time [s].
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._sent: dict[str, tuple[float, tuple[float, float]]] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """Names that were given away."""
        return tuple(self._sent)

    @property
    def places(self) -> Floats:
        """Places where something will stand, shape (n, 2) [m]."""
        return np.array([place for _, place in self._sent.values()], np.float64).reshape(-1, 2)

    def add(self, name: str, place: tuple[float, float]) -> None:
        """Note an insertion that is sent.

        Args:
            name: Of an entity or a team.
            place: Where it will stand [m].
        """
        self._sent[name] = self._clock(), place

    def forget(self, look: KnownScene, refused: Collection[str] = ()) -> None:
        """Forget what is seen by now, and what will not come.

        Args:
            look: What is known of the scene; of teams, the names of their members.
            refused: Names that the engine could not hold.
        """
        if self._sent:
            arrived = {name.partition("/")[0] for name in (*look.names, *refused)}
            oldest = self._clock() - _LONGEST
            self._sent = {name: sent for name, sent in self._sent.items() if name not in arrived and sent[0] >= oldest}
