"""What controllers asked for, and what came of it."""

from collections.abc import Mapping

import numpy as np

from coopsim.geometry import Floats
from coopsim.metrics.arrays import RunArrays
from coopsim.state.layout import NUMBER, STAMP, VALUES

_SET_VELOCITY = 10


def tracking_error(run: RunArrays) -> Mapping[str, float] | None:
    """Difference between the speeds asked for and measured: median, 95 of 100 do not exceed it, largest [m/s]."""
    errors = [_speed_errors(run, robot) for robot in run.robots]
    found = np.concatenate(errors) if errors else np.zeros(0)
    if not found.size:
        return None
    median, most = np.quantile(found, [0.5, 0.95])
    return {"p50": float(median), "p95": float(most), "max": float(found.max())}


def force(run: RunArrays) -> Mapping[str, float] | None:
    """Largest of all readings that are forces [N]."""
    found = 0.0
    has_force = False
    for robot in run.robots:
        for part, place, module in run.modules(robot):
            for reading in (each for each in module.interface.readings if each.unit == "N"):
                offset, length = module.columns(reading)
                begin = place.reading_offset + offset
                values = np.abs(part.readings[:, begin : begin + length])
                found, has_force = max(found, float(values.max(initial=0.0))), True
    return {"max": found} if has_force else None


def commands(run: RunArrays) -> float | None:
    """How many commands the modules took."""
    if not run.robots:
        return None
    total = 0.0
    last: dict[tuple[str, str], float] = {}
    for robot in run.robots:
        for part, place, module in run.modules(robot):
            if module.command_offset >= 0 and len(part):
                stamps = part.commands[:, place.command_offset + module.command_offset + STAMP]
                steps = np.diff(stamps, prepend=last.get((robot, module.name), 0.0))
                total += float(steps[steps > 0.0].sum())
                last[robot, module.name] = float(stamps[-1])
    return total


def lateness(run: RunArrays) -> Mapping[str, float] | None:
    """Ticks that began late, and the largest lateness [s]."""
    if not run.parts:
        return None
    last = run.parts[-1]
    return {"ticks": float(last.overruns[-1]), "max": float(last.lateness[-1])}


def _speed_errors(run: RunArrays, robot: str) -> Floats:
    """Return the errors while a speed was commanded, shape (k,) [m/s]."""
    errors: list[Floats] = []
    for part, place, module in run.modules(robot):
        reading = next((each for each in module.interface.readings if each.name == "v"), None)
        if module.interface.kind == "differential_drive" and module.command_offset >= 0 and reading is not None:
            begin = place.command_offset + module.command_offset
            is_asked = part.commands[:, begin + NUMBER] == _SET_VELOCITY
            asked = part.commands[:, begin + VALUES]
            measured = part.readings[:, place.reading_offset + module.columns(reading)[0]]
            errors.append(np.abs(asked - measured)[is_asked].astype(np.float64))
    return np.concatenate(errors) if errors else np.zeros(0)
