"""Teams in the window: a name that only members have, such as `team1/leader`, stands for all of them."""

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeAlias

from coopsim.geometry import Pose, heading, quaternion

_HEADER = re.compile(r"\[(\D*?)_?\d*\]")
_LOADS = ("/bar", "/plate")
Point: TypeAlias = tuple[float, float]
"""Point of the floor, x y [m]."""


def crews_in(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the members of each team; the last one is who leads, and so stands for all of them."""
    crews: dict[str, list[str]] = {}
    for name in names:
        if "/" in name:
            crews.setdefault(name.partition("/")[0], []).append(name)
    return {team: tuple(sorted(crew, key=_rank)) for team, crew in crews.items() if any(map(is_robot, crew))}


def _rank(name: str) -> tuple[bool, bool, str]:
    return is_robot(name), name.endswith("/leader"), name


def is_robot(name: str) -> bool:
    """Return whether a member is a robot, and not what the team carries."""
    return not name.endswith(_LOADS)


def expanded(chosen: Sequence[str], names: Collection[str]) -> tuple[str, ...]:
    """Return names with the members in the place of teams."""
    crews = crews_in(names) if any(name not in names for name in chosen) else {}
    return tuple(member for name in chosen for member in crews.get(name, (name,)))


def team_of(chosen: Sequence[str], names: Iterable[str]) -> str:
    """Return the team that is selected as a whole, and nothing beside it; "" = none."""
    team = chosen[-1].partition("/")[0] if chosen and "/" in chosen[-1] else ""
    return team if team and set(crews_in(names).get(team, ())) == set(chosen) else ""


def gathered(texts: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    """Return sections by name, those of all members of a team together under its name.

    Args:
        texts: Sections by the names of entities; joints stand behind each that they hold.
        names: Everything there is.
    """
    crews = {team: crew for team, crew in crews_in(names).items() if set(crew) <= set(texts)}
    owner = {member: team for team, crew in crews.items() for member in crew}
    together: dict[str, list[str]] = {}
    for name, text in texts.items():
        together.setdefault(owner.get(name, name), []).append(text)
    return {name: joined(parts) if name in crews else parts[0] for name, parts in together.items()}


def joined(texts: Sequence[str]) -> str:
    """Return texts of sections as one: each section once, joints behind what they hold, numbered from 1."""
    sections = dict.fromkeys(part.strip() for text in texts for part in text.split("\n\n"))
    bodies = {_without_number(section): section for section in sections}
    ordered = sorted(bodies, key=lambda section: section.startswith("[JOINT"))
    numbered = (section.replace("_N]", f"_{number}]", 1) for number, section in enumerate(ordered, 1))
    return "\n\n".join(numbered) + "\n"


def _without_number(section: str) -> str:
    header, _, rest = section.partition("\n")
    kind = _HEADER.fullmatch(header)
    return f"[{kind[1]}_N]\n{rest}" if kind else section


def called(text: str, team: str, name: str, aside: float = 0.0) -> str:
    """Return the sections of a team under another name.

    Args:
        text: Sections of all its members.
        team: Its name.
        name: The other name.
        aside: How far it is put along x [m].
    """
    renamed = re.sub(rf"(?<=\s){re.escape(team)}/", f"{name}/", text)
    if not aside:
        return renamed
    sections = renamed.split("\n\n")
    return "\n\n".join(section if section.startswith("[JOINT") else _aside(section, aside) for section in sections)


def _aside(section: str, distance: float) -> str:
    lines = section.splitlines()
    for number, line in enumerate(lines):
        key, *values = line.split()
        if key == "position":
            lines[number] = f"position {float(values[0]) + distance:.6g} {' '.join(values[1:])}"
    return "\n".join(lines)


def put(text: str, middle: Point, to: Point, turn: float) -> str:
    """Return the sections of a team somewhere else.

    Args:
        text: Sections of all its members.
        middle: Of the team [m].
        to: Where its middle is put [m].
        turn: By which all are turned about it [rad].
    """
    sections = text.rstrip("\n").split("\n\n")
    moved = (section if section.startswith("[JOINT") else _put(section, middle, to, turn) for section in sections)
    return "\n\n".join(moved) + "\n"


def _put(section: str, middle: Point, to: Point, turn: float) -> str:
    header, *lines = section.splitlines()
    keys = {key: values.split() for key, values in (line.split(None, 1) for line in lines)}
    x, y, *height = map(float, keys["position"])
    cos, sin = math.cos(turn), math.sin(turn)
    dx, dy = x - middle[0], y - middle[1]
    place = to[0] + cos * dx - sin * dy, to[1] + sin * dx + cos * dy, *height
    *tilt, yaw = map(float, keys.get("orientation", ("0", "0", "0")))
    angles = (*tilt, yaw + math.degrees(turn))
    keys |= {"position": [*map(_word, place)], "orientation": [*map(_word, angles)]}
    return "\n".join((header, *(f"{key} {' '.join(values)}" for key, values in keys.items())))


def _word(number: float) -> str:
    return f"{round(number, 9) + 0.0:.9g}"


def swung(pose: Pose, about: Pose, turn: float) -> Pose:
    """Return a pose turned about the place of another one.

    Args:
        pose: That is turned.
        about: Stays where it is.
        turn: Angle [rad].
    """
    x, y = pose[0] - about[0], pose[1] - about[1]
    cos, sin = math.cos(turn), math.sin(turn)
    place = about[0] + cos * x - sin * y, about[1] + sin * x + cos * y, pose[2]
    return *place, *quaternion(0.0, 0.0, heading(*pose[3:]) + turn)
