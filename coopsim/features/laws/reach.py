"""`reach`: arms bring their tools to one place after the other, and open or close their grippers there.

python -m coopsim.features.laws.reach --robots arm --points "0.4,0,0.3,open;0.4,0,0.05,open;0.4,0,0.05,close"
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coopsim.client import Client, Law, Readings, Stepper
from coopsim.errors import BadArgument
from coopsim.features.laws import options
from coopsim.features.laws.arm_kinematics import ArmKinematics, Reach
from coopsim.features.laws.needs import NEEDS
from coopsim.features.laws.process import drive
from coopsim.features.laws.senses import Clock, need_modules, one_type
from coopsim.geometry import Floats, Vector3
from coopsim.interfaces import parameters_of, setting
from coopsim.interfaces.chain_text import Chain

_SUMMARY = "Arms bring their tools to one place after the other, and open or close their grippers there."
_FACING: dict[str, Vector3 | None] = {
    "down": (0.0, 0.0, -1.0),
    "up": (0.0, 0.0, 1.0),
    "ahead": (1.0, 0.0, 0.0),
    "any": None,
}
_CLOSED = 0.0  # m between the fingers


@dataclass(frozen=True, slots=True)
class ReachParameters:
    """Parameters of the law `reach`."""

    points: str = setting(
        "0.4,0,0.4,open", "1", summary="`x,y,z,open|close;...`, places of the tool in the frame of the base [m]"
    )
    facing: str = setting("down", "1", summary="where the tool points: down, up, ahead or any")
    tolerance: float = setting(0.005, "rad", 1e-5, 1.0, "a place is reached when all joints are so near")
    settle: float = setting(0.5, "s", 0.0, 60.0, "time at each place, so that the gripper can close")
    opening: float = setting(0.075, "m", 0.0, 10.0, "of the open gripper")


PARAMETERS = parameters_of(ReachParameters)


@dataclass(frozen=True, eq=False)
class Posture:
    """A place of a way.

    Attributes:
        positions: Of the joints, shape (k,).
        opening: Of the gripper [m].
    """

    positions: Floats
    opening: float


def postures(arm: ArmKinematics, law: ReachParameters, start: Floats) -> list[Posture]:
    """Return the postures of a way.

    Raises:
        BadArgument: A place cannot be read, or no posture reaches it.
    """
    if law.facing not in _FACING:
        raise BadArgument(f"facing is {law.facing!r}; expected {', '.join(_FACING)}")
    way: list[Posture] = []
    for text in law.points.split(";"):
        place, is_open = _point(text.replace(",", " ").split())
        last = way[-1].positions if way else start
        positions = arm.solve(Reach(place, _FACING[law.facing]), last)
        way.append(Posture(positions, law.opening if is_open else _CLOSED))
    return way


class Way:
    """Progress of several robots, each on its way.

    Args:
        way: The same for all of them.
        count: How many robots.
        law: How.
    """

    def __init__(self, way: Sequence[Posture], count: int, law: ReachParameters) -> None:
        self._positions = np.array([posture.positions for posture in way])
        self._openings = np.array([posture.opening for posture in way])
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Drive arms; return the exit code: 0 = they are at the last place, or the run has ended."""
    chosen = options.parser("reach", _SUMMARY, PARAMETERS).parse_args(arguments)
    law = options.chosen(chosen, ReachParameters, PARAMETERS)
    return drive("reach", chosen.robots, chosen.endpoint, lambda sim, stepper: _make_law(sim, stepper, law))


def _make_law(sim: Client, stepper: Stepper, law: ReachParameters) -> Law:
    need_modules(stepper, *NEEDS["reach"].modules)
    kind = one_type(stepper, "arms that go the same way must be of one type")
    chain = Chain.from_text(str(sim.module(f"/{stepper.robots[0]}/pose").parameters["chain"]))
    way = postures(ArmKinematics(chain), law, np.zeros(len(chain.joints)))
    clock, takes = Clock(sim), stepper.layout.types[kind].takes
    progress = Way(way, len(stepper.robots), law)

    def decide(seen: Readings) -> Floats | None:
        progress.advance(seen.joints.positions, clock.elapsed(seen.tick))
        if progress.is_done:
            sys.stdout.write(f"reach: {len(stepper.robots)} at the last of {len(way)} places, tick {seen.tick}\n")
            return None
        positions, openings = progress.commands()
        joints = {f"q{k + 1}": column for k, column in enumerate(positions.T)}
        return takes.filled(len(openings), joints=joints, gripper={"opening": openings})

    return decide


if __name__ == "__main__":
    sys.exit(main())
