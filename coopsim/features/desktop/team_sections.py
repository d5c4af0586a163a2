"""Sections of teams as they stand, for the window."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from coopsim.features.beginnings.crews import crews_in, is_robot
from coopsim.features.desktop.placing import entries_of, text_of
from coopsim.geometry import Pose, heading, quaternion
from coopsim.scene import TEAM, writing
from coopsim.state import EntityRow


class KnownEntities(Protocol):
    """Knowledge of entities."""

    @property
    def names(self) -> Sequence[str]:
        """Names of everything there is."""
        ...

    def entity(self, name: str) -> EntityRow | None:
        """Return an entity, None if it is gone."""
        ...

    def pose(self, name: str) -> Pose | None:
        """Return where an entity is, None if it is gone."""
        ...


def make_up(team: str, look: KnownEntities) -> dict[str, str]:
    """Return the entries of a team's section that say its load and who carries it; nothing where it has no load."""
    crew = crews_in(look.names).get(team, ())
    load = next((row for name in crew if not is_robot(name) and (row := look.entity(name))), None)
    if load is None:
        return {}
    carriers = sum(map(is_robot, crew))
    return {"length": f"{load.size[1]:.6g}", "mass": f"{load.mass:.6g}", "carriers": str(carriers)}


def section(team: str, look: KnownEntities, entries: Mapping[str, str]) -> str:
    """Return the section of a team as it stands; "" where it has no load.

    Args:
        team: Its name.
        look: What is known of its members.
        entries: What shall be otherwise: `length`, `mass` or `carriers`.
    """
    values, crew = make_up(team, look), crews_in(look.names).get(team, ())
    poses = {name: look.pose(name) for name in crew}
    load = next((pose for name, pose in poses.items() if not is_robot(name)), None)
    leader, row = (poses[crew[-1]], look.entity(crew[-1])) if crew else (None, None)
    if not values or load is None or leader is None or row is None:
        return ""
    place = entries_of((load[0], load[1], leader[2], *quaternion(0.0, 0.0, heading(*load[3:]))))
    color = " ".join(writing.color(row.color))
    keys = {"type": TEAM, "name": team, **place, "color": color, **values, **entries}
    return f"[ROBOT_1]\n{text_of(keys)}\n"
