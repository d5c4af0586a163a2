"""Loads of teams: read out of the sections of all members, and the section of a team that has another one."""

from collections.abc import Mapping

from coopsim.scene import TEAM

KEYS = ("length", "mass", "carriers")
"""Of a team's section: the bar or plate [m], its mass [kg], and how many carry it."""


def load_in(text: str) -> dict[str, str]:
    """Return the values of `KEYS` for a team; nothing where it has no load.

    Args:
        text: Sections of all its members.
    """
    robots, loads = _members(text)
    if not robots or not loads:
        return {}
    size = loads[0]["size"].split()
    return dict(zip(KEYS, (size[1], loads[0].get("mass", "1"), str(len(robots))), strict=True))


def with_load(text: str, team: str, entries: Mapping[str, str]) -> str:
    """Return the section of a team where it stands now; "" where it has no load.

    Args:
        text: Sections of all its members.
        team: Its name.
        entries: What shall be otherwise, by `KEYS`.
    """
    values, (robots, loads) = load_in(text), _members(text)
    if not values:
        return ""
    leader = next((robot for robot in robots if robot["name"].endswith("/leader")), robots[0])
    # the middle of a team is that of its load, and it looks where that does
    x, y, _ = loads[0]["position"].split()
    heading = loads[0].get("orientation", "0 0 0").split()[2]
    keys = {
        "type": TEAM,
        "name": team,
        "position": f"{x} {y} {leader['position'].split()[2]}",
        "orientation": f"0 0 {heading}",
        **({"color": leader["color"]} if "color" in leader else {}),
        **values,
        **entries,
    }
    return "\n".join(["[ROBOT_1]", *(f"{key} {value}" for key, value in keys.items())]) + "\n"


def _members(text: str) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """Return the keys of robots and of objects."""
    robots: list[dict[str, str]] = []
    loads: list[dict[str, str]] = []
    for part in text.split("\n\n"):
        header, *lines = part.strip().splitlines() or [""]
        keys = {key: value.strip() for key, _, value in (line.partition(" ") for line in lines)}
        if header.startswith("[ROBOT"):
            robots.append(keys)
        elif header.startswith("[OBJECT"):
            loads.append(keys)
    return robots, loads
