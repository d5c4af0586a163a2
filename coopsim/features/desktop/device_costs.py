"""Costs of each kind of device in a run that goes on, as its server tells it."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from coopsim.features.desktop.link import ViewerLink

_ASKED_EVERY = 1.0


@dataclass(frozen=True, slots=True)
class DeviceCost:
    """A row of the table.

    Attributes:
        kind: Of the devices.
        phase: "actuators", "sensors" or "commands".
        mean: Of a tick [s].
    """

    kind: str
    phase: str
    mean: float


class DeviceCosts:
    """Asks for the cost of devices while somebody looks.

    Args:
        link: Returns the connection to the run.

    Attributes:
        rows: The dearest first.
        tick: Mean of the ticks that were measured [s], 0 = none was.
    """

    def __init__(self, link: Callable[[], ViewerLink]) -> None:
        self._link, self._due = link, 0.0
        self.rows: tuple[DeviceCost, ...] = ()
        self.tick = 0.0

    def look(self) -> None:
        """Ask again when it is time; called with each frame that shows them."""
        now = time.monotonic()
        if now >= self._due:
            self._due = now + _ASKED_EVERY
            self._link().ask(lambda simulation: simulation.info().get("costs"), then=self.take)

    def take(self, told: Any) -> None:
        """Take what a server told; older ones tell nothing."""
        told = told if isinstance(told, dict) else {}
        rows = [DeviceCost(cost["kind"], cost["phase"], float(cost["mean"])) for cost in told.get("devices", ())]
        self.rows = tuple(sorted(rows, key=lambda it: -it.mean))
        self.tick = float(told.get("tick", 0.0))
