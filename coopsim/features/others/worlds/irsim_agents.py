"""Limits and goals of robots of IR-SIM, which loops over them ask for."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from coopsim.errors import BadFile
from coopsim.features.others.worlds.plan import GoalRow, VelocityLimits
from coopsim.features.others.worlds.yaml_tree import YamlKeys, YamlValue, finite, row

_UNBOUNDED = 9e8  # m/s2; no bound of acceleration
_WIDTHS = {"omni_angular": 3}


def limits(keys: YamlKeys, kinematics: str, file: Path) -> VelocityLimits:
    """Return smallest and largest velocities, and largest accelerations, of the commands of a robot.

    Raises:
        BadFile: One of them is no row of numbers.
    """
    width = _WIDTHS.get(kinematics, 2)

    def filled(name: str, usual: float, kept: Callable[[float], float] = float) -> tuple[float, ...]:
        entry = keys.get(name)
        values = _row(entry, name, file) if entry is not None else []
        return tuple(kept(value) for value in [*values, *[usual] * width][:width])

    return VelocityLimits(filled("vel_min", -1.0), filled("vel_max", 1.0), filled("acce", _UNBOUNDED, abs))


def _row(entry: YamlValue, name: str, file: Path) -> list[float]:
    """Return the numbers of a row; `inf` is as good as a bound that nothing reaches."""
    bounded = [
        replace(part, value=math.copysign(_UNBOUNDED, part.value))
        if isinstance(part.value, float) and math.isinf(part.value)
        else part
        for part in entry.items()
    ]
    return [finite(part, name, file) for part in bounded]


def goal_rows(entry: YamlValue | None, file: Path) -> list[tuple[GoalRow, ...]]:
    """Return the places that each robot of a group goes to, in their order.

    Raises:
        BadFile: A place is no row of two or more numbers.
    """
    if entry is None:
        return []
    groups = entry.items() if entry.items() and isinstance(entry.items()[0].value, list) else [entry]
    ways = []
    for part in groups:
        places: Sequence[YamlValue] = (
            part.items() if part.items() and isinstance(part.items()[-1].value, list) else [part]
        )
        ways.append(tuple(tuple(row(place, "goal", file)) for place in places))
    if any(len(goal) < 2 for way in ways for goal in way):
        raise BadFile(f"{file}:{entry.line}: goal: expected x y and an angle")
    return ways
