"""Edits that were made here, and how they are undone."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from coopsim.errors import CoopsimError
from coopsim.geometry import Pose, heading
from coopsim.viewer.link import ViewerLink

_WORLD = "/sim/world"
_NEAR = 0.02
"""Nobody else moved what is nearer than this to where we put it [m]."""


@dataclass(frozen=True, slots=True)
class Move:
    """An entity that was put elsewhere."""

    name: str
    before: Pose
    after: Pose


class MoveHistory:
    """Moves entities by messages, and takes that back.

    Args:
        link: To the run.
        where: Returns where an entity is now, None = it is gone.
        tell: Takes what went wrong, for people.
    """

    def __init__(self, link: ViewerLink, where: Callable[[str], Pose | None], tell: Callable[[str], None]) -> None:
        self._link, self._where, self._tell = link, where, tell
        self._done: list[Move] = []
        self._undone: list[Move] = []

    @property
    def can_undo(self) -> bool:
        """Whether there is a move to take back."""
        return bool(self._done)

    @property
    def can_redo(self) -> bool:
        """Whether there is a move to make again."""
        return bool(self._undone)

    def move(self, move: Move) -> None:
        """Put an entity elsewhere."""
        self._send(move.name, move.after, lambda: self._keep(move))

    def undo(self) -> None:
        """Take the last move back, unless somebody else moved the entity since."""
        if self._done:
            move = self._done.pop()
            if self._is_ours(move.name, move.after):
                self._send(move.name, move.before, lambda: self._undone.append(move))

    def redo(self) -> None:
        """Make the move again that was taken back last, unless somebody else moved the entity since."""
        if self._undone:
            move = self._undone.pop()
            if self._is_ours(move.name, move.before):
                self._send(move.name, move.after, lambda: self._done.append(move))

    def _keep(self, move: Move) -> None:
        self._done.append(move)
        self._undone.clear()

    def _is_ours(self, name: str, expected: Pose) -> bool:
        pose = self._where(name)
        if pose is None:
            self._tell(f"{name} is gone: there is nothing to put back")
        elif math.dist(pose[:2], expected[:2]) > _NEAR:
            self._tell(f"{name} was moved by somebody else since: it stays where it is")
        else:
            return True
        return False

    def _send(self, name: str, pose: Pose, then: Callable[[], object]) -> None:
        x, y, z = pose[:3]
        turn = math.degrees(heading(*pose[3:]))
        text = f"position {x:.6g} {y:.6g} {z:.6g}\norientation 0 0 {turn:.6g}"

        def answered(problem: CoopsimError | None) -> None:
            if problem is None:
                then()
            else:
                self._tell(str(problem))

        self._link.call(_WORLD, "update", name, text, then=answered)
