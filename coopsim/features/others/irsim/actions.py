"""Actions of `env.step`, in any of the forms that IR-SIM takes, one for each robot."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from coopsim.errors import BadArgument, NoSuchName
from coopsim.features.others.irsim.objects import IrsimRobot
from coopsim.geometry import Floats, Ints, all_finite
from coopsim.suggest import did_you_mean

_ROWS, _COLUMNS = 2, 3  # dimensions of rows of values, and of rows of columns


def write_actions(
    action: Any,
    action_id: Any,
    robots: Sequence[IrsimRobot],
    widths: Ints,
    out: Floats,
    warn: Callable[[str], None] = lambda _: None,
) -> None:
    """Write actions into the rows of their robots.

    Args:
        action: One, a list of them, or actions by name; None = none.
        action_id: Number or name of the robot that they begin with, or those of all; None = the first.
        robots: All there are.
        widths: How many values each takes, shape (n,).
        out: Velocities of all, shape (n, 3).
        warn: Called where there are more or fewer actions than robots for them; the rest is left out, as there.

    Raises:
        BadArgument: An action has another number of values, or they are not finite.
        NoSuchName: There is no such robot.
    """
    if action is None:
        return
    many = _alike(action, action_id, widths)
    if many is not None:
        numbers, values = many
        out[numbers, : values.shape[1]] = values
        return
    for number, row in _assigned(action, action_id, robots, warn).items():
        out[number, : row.size] = row


def _alike(action: Any, action_id: Any, widths: Ints) -> tuple[Ints, Floats] | None:
    """Return numbers and values of actions that are a list for a list of numbers, all of one width; None = others.

    So a loop with hundreds of robots costs no call for each of them.
    """
    if not isinstance(action, (list, np.ndarray)) or not isinstance(action_id, (list, np.ndarray)):
        return None
    try:
        values, numbers = np.asarray(action, np.float64), np.asarray(action_id)
    except (TypeError, ValueError):
        return None
    count = numbers.size
    if numbers.dtype.kind != "i" or numbers.ndim != 1 or not count or values.shape[:1] != (count,):
        return None
    if values.ndim == _COLUMNS and values.shape[2] == 1:
        values = values[:, :, 0]
    is_alike = values.ndim == _ROWS and numbers.min() >= 0 and numbers.max() < widths.size
    if not is_alike or not (widths[numbers] == values.shape[1]).all() or not all_finite(values):
        return None
    return numbers, values


def _assigned(
    action: Any, action_id: Any, robots: Sequence[IrsimRobot], warn: Callable[[str], None]
) -> dict[int, Floats]:
    """Return actions by the number of their robot, whatever form they have."""
    if isinstance(action, Mapping):
        pairs = [(_number(name, robots), values) for name, values in action.items()]
    else:
        actions = _actions(action)
        numbers = _numbers(action_id, len(actions), robots)
        if len(actions) != len(numbers):
            warn(f"step: {len(actions)} actions for {len(numbers)} robots; they are matched in order, the rest is left")
        pairs = list(zip(numbers, actions, strict=False))
    return {number: _values(values, robots[number]) for number, values in pairs if values is not None}


def _actions(action: Any) -> Sequence[Any]:
    """Return a list of actions."""
    if isinstance(action, np.ndarray):
        return list(action) if action.ndim == 3 or (action.ndim == 2 and action.shape[1] != 1) else [action]
    if not isinstance(action, (list, tuple)):
        raise BadArgument(f"action: expected an array, a list or actions by name; got {str(action)[:60]!r}")
    is_one = bool(action) and all(isinstance(value, (int, float, np.number)) for value in action)
    return [action] if is_one else action


def _numbers(action_id: Any, count: int, robots: Sequence[IrsimRobot]) -> list[int]:
    if isinstance(action_id, (list, tuple, np.ndarray)):
        return [_number(name, robots) for name in action_id]
    first = 0 if action_id is None else _number(action_id, robots)
    return list(range(first, min(first + count, len(robots))))


def _number(name: Any, robots: Sequence[IrsimRobot]) -> int:
    if isinstance(name, (int, np.integer)) and 0 <= name < len(robots):
        return int(name)
    names = [robot.name for robot in robots]
    if name not in names:
        near = did_you_mean(name, names) if isinstance(name, str) else ""
        raise NoSuchName(f"action_id: there is no robot {name!r}{near}; there are 0 to {len(robots) - 1}")
    return names.index(name)


def _values(action: Any, robot: IrsimRobot) -> Floats:
    width = robot.vel_max.size
    try:
        values = np.asarray(action, float).ravel()
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.size != width or not np.isfinite(values).all():
        raise BadArgument(
            f"action of {robot.name} ({robot.kinematics}): expected {width} finite values, got {str(action)[:60]!r}"
        )
    return values
