"""Simulated time of a run, followed by the edits that change it; heads of records must agree."""

from dataclasses import dataclass
from typing import Self

from coopsim.interfaces.simulation import SPEEDS
from coopsim.state import MODES
from coopsim.state.edits import Continue, Edit, PaceState, Pause, SetMode, SetSpeed, Step


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
    def of(cls, state: PaceState) -> Self:
        """Return the pace that a checkpoint tells."""
        return cls(state.mode, state.speed, state.paused, state.steps)

    @property
    def state(self) -> PaceState:
        """State for a checkpoint."""
        return PaceState(self.mode, self.speed, self.is_paused, self.steps)

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
        if edit.ends_steps:
            self.steps = 0
        match edit:
            case Pause() | Continue():
                self.is_paused = isinstance(edit, Pause)
            case Step():
                self.steps = edit.count
            case SetMode():
                self.mode = edit.mode
            case SetSpeed():
                self.speed = min(max(edit.speed, SPEEDS[0]), SPEEDS[1])

    def tick(self) -> None:
        """Count a tick."""
        self.steps = max(0, self.steps - 1)
