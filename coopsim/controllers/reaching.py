"""The law of `reach`: bring a tool to one place after the other, and open or close the gripper there."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coopsim.controllers.arm_kinematics import ArmKinematics, Reach
from coopsim.errors import BadArgument
from coopsim.geometry import Floats, Vector3
from coopsim.interfaces import parameters_of, setting

_FACING: dict[str, Vector3 | None] = {
    "down": (0.0, 0.0, -1.0),
    "up": (0.0, 0.0, 1.0),
    "ahead": (1.0, 0.0, 0.0),
    "any": None,
}
_CLOSED = 0.0


@dataclass(frozen=True, slots=True)
class Reaching:
    """Where to reach, and how."""

    points: str = setting(
        "0.4,0,0.4,open", "1", summary="`x,y,z,open|close;...`, places of the tool in the frame of the base [m]"
    )
    facing: str = setting("down", "1", summary="where the tool points: down, up, ahead or any")
    tolerance: float = setting(0.005, "rad", 1e-5, 1.0, "a place is reached when all joints are so near")
    settle: float = setting(0.5, "s", 0.0, 60.0, "time at each place, so that the gripper can close")
    opening: float = setting(0.075, "m", 0.0, 10.0, "of the open gripper")


PARAMETERS = parameters_of(Reaching)


@dataclass(frozen=True, eq=False)
class Posture:
    """One place of a way.

    Attributes:
        positions: Of the joints, shape (k,).
        opening: Of the gripper [m].
    """

    positions: Floats
    opening: float


def postures(arm: ArmKinematics, law: Reaching, start: Floats) -> list[Posture]:
    """Return the postures of a way.

    Raises:
        BadArgument: A place cannot be read, or no posture reaches it.
    """
    if law.facing not in _FACING:
        raise BadArgument(f"facing is {law.facing!r}; expected {', '.join(_FACING)}")
    found: list[Posture] = []
    for text in law.points.split(";"):
        place, is_open = _point(text.replace(",", " ").split())
        last = found[-1].positions if found else start
        positions = arm.solve(Reach(place, _FACING[law.facing]), last)
        found.append(Posture(positions, law.opening if is_open else _CLOSED))
    return found


class Way:
    """How far each robot of several is on its way.

    Args:
        way: The same for all of them.
        count: How many robots.
        law: How.
    """

    def __init__(self, way: Sequence[Posture], count: int, law: Reaching) -> None:
        self._positions = np.array([it.positions for it in way])
        self._openings = np.array([it.opening for it in way])
        self._law, self._at, self._stood = law, np.zeros(count, np.int64), np.zeros(count)
        self._aim()

    @property
    def is_done(self) -> bool:
        """Whether all robots are at the end."""
        return bool((self._at >= len(self._openings)).all())

    def advance(self, positions: Floats, dt: float) -> None:
        """Note where joints are, shape (n, k), and go on where a place was reached long enough."""
        is_near = (np.abs(positions - self._wanted) <= self._law.tolerance).all(axis=1)
        if not is_near.any():  # mostly they are on their way
            self._stood[:] = 0.0
            return
        self._stood = np.where(is_near, self._stood + dt, 0.0)
        goes_on = is_near & (self._stood >= self._law.settle)
        if goes_on.any():
            self._at += goes_on
            self._stood[goes_on] = 0.0
            self._aim()

    def commands(self) -> tuple[Floats, Floats]:
        """Return positions of the joints, shape (n, k), and openings of the grippers, shape (n,)."""
        return self._wanted, self._opened

    def _aim(self) -> None:
        """Note the places that robots go to now."""
        at = np.minimum(self._at, len(self._openings) - 1)
        self._wanted, self._opened = self._positions[at], self._openings[at]


def _point(words: Sequence[str]) -> tuple[Vector3, bool]:
    *numbers, hand = words if words and words[-1] in ("open", "close") else [*words, "open"]
    try:
        x, y, z = map(float, numbers)
    except ValueError:
        raise BadArgument(f"expected `x,y,z,open` or `x,y,z,close`, got {','.join(words)!r}") from None
    return (x, y, z), hand == "open"
