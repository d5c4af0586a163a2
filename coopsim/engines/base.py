"""Base classes of engines: the bookkeeping that has nothing to do with how bodies move."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from coopsim.engines.contract import BodySpec, WorldSpec
from coopsim.errors import EngineCannot, NoSuchName
from coopsim.geometry import Floats
from coopsim.kernels.constants import STRONGEST
from coopsim.scene import rows_in_order


class EngineBase(ABC):
    """Bookkeeping that all our engines share, beside their motion (`engines.PhysicsEngine` explains the attributes).

    Poses and twists are computed when somebody reads them: a tick of a planar engine without such a reader saves them.

    Attributes:
        kind: The engine's name in files and errors.
    """

    kind: ClassVar[str]

    names: Sequence[str]
    planar: Floats
    height: Floats
    wrench: Floats
    mass: Floats
    inertia: Floats
    joints: Sequence[str]

    _described: bytes  # descriptions of the bodies in a snapshot; b"" = to be made anew
    _poses: Floats
    _twists: Floats
    _is_stale: bool
    _elapsed: float

    def __init__(self, world: WorldSpec) -> None:
        # the one way to a world: what is begun, reset and restored has its rows in the same order
        self.rebuild(world)

    @abstractmethod
    def rebuild(self, world: WorldSpec) -> None:
        """Forget everything and build `world` in sorted order of the names."""

    @abstractmethod
    def fill(self) -> None:
        """Bring `poses` and `twists` up to date; whoever reads them has it done."""

    @abstractmethod
    def add_all(self, bodies: Sequence[BodySpec]) -> None:
        """Add bodies, all or none; they get the last rows, in this order.

        Raises:
            EngineCannot: The engine cannot represent one of them; the text begins with its span.
            BadArgument: There is a body of such a name.
        """

    def add(self, body: BodySpec) -> None:
        """Add a body; it gets the last row; raises what `add_all` does."""
        self.add_all((body,))  # row by row and all at once are one code, so both refuse the same

    @property
    def poses(self) -> Floats:
        """Positions of the bases and quaternions w x y z, shape (n, 7)."""
        if self._is_stale:
            self.fill()
        return self._poses

    @property
    def twists(self) -> Floats:
        """Velocities of the centres of mass and angular velocities, world frame, shape (n, 6)."""
        if self._is_stale:
            self.fill()
        return self._twists

    def _wild_force(self, row: int) -> EngineCannot:
        """Return the refusal of a step whose force on a body cannot be used."""
        return wild_effort(f"force on body {self.names[row]!r}", "this")


def wild_effort(effort: str, whose: str) -> EngineCannot:
    """Return the refusal of a step for a force or torque that cannot be used.

    Args:
        effort: What it acts on, as "force on body 'robot1'".
        whose: "this" or "its": the robot whose devices wrote it.
    """
    return EngineCannot(
        f"the {effort} is not a finite number below {STRONGEST:g}; one of the devices of {whose} robot wrote it"
    )


def no_body(name: str) -> NoSuchName:
    """Return the refusal of a name that no body has."""
    return NoSuchName(f"there is no body named {name!r}")


def sorted_rows(names: Sequence[str]) -> list[int]:
    """Return the rows of bodies in the order of their names: snapshots are restored in it."""
    return list(rows_in_order(tuple(names)))
