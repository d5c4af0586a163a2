"""Needs of the control laws: modules and number of the robots that each can drive.

Windows and pages offer laws by it without importing any of them; the laws themselves check it when they begin.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from coopsim.suggest import listed

_SHOWN = 4
"""Modules that a text names at most."""
GOING: Final = ("motors", "sonars", "odometry")
"""Modules of robots that go to places of their own."""
_CARRYING = ("motors", "sonars", "target", "support")


@dataclass(frozen=True, slots=True)
class LawNeeds:
    """Robots that a control law can drive.

    Attributes:
        modules: That each of them must have.
        robots: Their number, 0 = any.
    """

    modules: tuple[str, ...]
    robots: int = 0


NEEDS: Final[Mapping[str, LawNeeds]] = MappingProxyType(
    {
        "cruise": LawNeeds(("motors",)),
        "formation": LawNeeds(("motors", "sonars", "target")),
        "game": LawNeeds(("pose", "intelligence", "motors")),
        "grasp": LawNeeds(("gripper", "pose"), robots=2),
        "orca": LawNeeds(GOING),
        "potential": LawNeeds(GOING),
        "pursuit": LawNeeds(GOING),
        "reach": LawNeeds(("joints", "gripper", "pose")),
        "seek": LawNeeds(("motors", "sonars", "target")),
        "shadow": LawNeeds(GOING, robots=1),
        "social_force": LawNeeds(GOING),
        "sphere": LawNeeds(("potentials", "pose")),
        "teleoperate": LawNeeds(("potentials", "pose")),
        "transport_helper": LawNeeds(_CARRYING),
        "transport_leader": LawNeeds(_CARRYING),
        "wander": LawNeeds(("motors", "sonars")),
    }
)
"""By the names of laws. A law of a plugin, or one whose needs depend on a file, is not among them."""


def law_obstacle(law: str, robots: Mapping[str, Collection[str]]) -> str:
    """Return why a law cannot drive robots, for people; "" = it can, or its needs are not known.

    Args:
        law: Its registered name.
        robots: Modules by robot; a robot without any counts as one whose modules are not known yet.
    """
    needs = NEEDS.get(law)
    if needs is None:
        return ""
    if needs.robots and len(robots) != needs.robots:
        return f"drives {needs.robots} robot{'s' if needs.robots > 1 else ''}"
    lacks = {name for modules in robots.values() if modules for name in needs.modules if name not in modules}
    missing = [name for name in needs.modules if name in lacks]
    return f"needs {listed(missing, _SHOWN)}" if missing else ""
