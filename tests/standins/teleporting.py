"""An edit of its own, in one file."""

from dataclasses import dataclass
from typing import ClassVar

from coopsim.simulation.edits import apply
from coopsim.simulation.stage import SimulationState
from coopsim.state.edits import EditResult, SceneEdit, Update


@dataclass(frozen=True, slots=True)
class Teleport(SceneEdit):
    """Put a robot elsewhere."""

    says: ClassVar[str] = "{0.robot} put at {0.x:g} {0.y:g}"

    robot: str
    x: float
    y: float


def teleport(stage: SimulationState, edit: Teleport) -> EditResult:
    """Carry it out."""
    return apply(stage, Update(edit.robot, f"position {edit.x} {edit.y} 0"))
