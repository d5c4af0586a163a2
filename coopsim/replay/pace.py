"""How time passes, followed by the edits that change it: what the heads of records must say."""

from dataclasses import dataclass
from typing import Any, Self

from coopsim.interfaces.simulation import SPEEDS
from coopsim.simulation.edits import Edit
from coopsim.simulation.process import END_STEPS
from coopsim.state import MODES


@dataclass
class Pace:
    """Mode, speed and pause of a run.

    Attributes:
        steps: How many single steps of a paused run are still to be done.
    """

    mode: str = "free"
    speed: float = 1.0
    is_paused: bool = False
    steps: int = 0

    @classmethod
    def of_plain(cls, plain: dict[str, Any]) -> Self:
        """Return the pace that a checkpoint tells."""
        return cls(plain["mode"], plain["speed"], plain["paused"], plain["steps"])

    def to_plain(self) -> dict[str, Any]:
        """Return what a checkpoint tells."""
        return {"mode": self.mode, "speed": self.speed, "paused": self.is_paused, "steps": self.steps}

    @property
    def stands(self) -> bool:
        """Whether records say that the run is paused."""
        return self.is_paused and not self.steps

    @property
    def mode_number(self) -> int:
        """The mode as records say it; -1 = there is no such mode."""
        return MODES.index(self.mode) if self.mode in MODES else -1

    def follow(self, edit: Edit) -> None:
        """Do what an edit says; one of something else changes nothing."""
        if edit["edit"] in END_STEPS:
            self.steps = 0
        match edit["edit"]:
            case "pause" | "continue":
                self.is_paused = edit["edit"] == "pause"
            case "step":
                self.steps = edit["count"]
            case "set_mode":
                self.mode = edit["mode"]
            case "set_speed":
                self.speed = min(max(edit["speed"], SPEEDS[0]), SPEEDS[1])

    def tick(self) -> None:
        """Count a tick."""
        self.steps = max(0, self.steps - 1)
