"""Comparison of this logic's robots with the referee's; on a difference the referee counts.

Source: swarm gaming, section 3 (the logger detects conflicts and determines their source).
"""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any

from coopsim.features.games.logic.model import DataModel, RobotState
from coopsim.features.matches.events import MatchStatus

_SOONER, _LATER = 2.0, 1.0
"""So much before or after the referee this logic may see a change [s]: rows travel, and looks wait on busy machines."""
_HEALTH, _POWER, _HOLDING = range(3)

_State = tuple[float, float, str]


class Agreement:
    """Compares what the referee told with what this logic found at about that time.

    Health, power and what is held are compared each for itself: who shoots and is hit between two looks of one logic
    may do so in two looks of the other one.

    Args:
        model: Of this logic.
    """

    def __init__(self, model: DataModel) -> None:
        self._model = model
        self._own: deque[tuple[float, dict[str, _State]]] = deque()
        self._told: deque[tuple[float, MatchStatus]] = deque()

    def compare(self, reports: Iterable[tuple[float, MatchStatus]], referee: str) -> list[RobotState]:
        """Log where the referee disagrees, and believe it; return the robots that this is about.

        Args:
            reports: When and what the referee told since the last time.
            referee: Player whose logic that is.
        """
        now = self._model.time
        self._told.extend(reports)
        self._own.append((now, {robot.name: _state(robot) for robot in self._model.robots.values()}))
        disputed = []
        # not before: this logic may still see the change that the referee speaks of
        while self._told and self._told[0][0] <= now - _LATER:
            when, status = self._told.popleft()
            # 1e-6: times are sums of steps, and those that are meant to be equal differ in the last digits
            own = [states for time, states in self._own if -_SOONER - 1e-6 <= time - when <= _LATER + 1e-6]
            for name, *said in status["robots"] if own else ():
                robot = self._model.robots.get(name)
                parts = _parts_apart([states[name] for states in own], said) if robot is not None else []
                if robot is not None and parts:
                    self._believe(robot, _with_parts(_state(robot), parts, said), parts, status, referee)
                    disputed.append(robot)
        # what no report that is still awaited can be compared with
        while self._own[0][0] < now - _SOONER - 2.0 * _LATER:
            self._own.popleft()
        return disputed

    def _believe(
        self, robot: RobotState, state: _State, parts: Sequence[int], status: MatchStatus, referee: str
    ) -> None:
        """Take over the parts of the state of a robot that the referee says otherwise."""
        text = f"{robot.name} has {_shown(_state(robot))} here, and {_shown(state)} there, which counts"
        self._model.note(f"logic of {referee}", "disagreement", text)
        if robot.holding and not state[_HOLDING]:
            self._model.flags[robot.holding].carrier = ""
        robot.health, robot.power, robot.holding = state
        for name, (x, y, carrier) in status["flags"].items():
            if name in self._model.flags and robot.name in {carrier, self._model.flags[name].carrier}:
                self._model.flags[name].place, self._model.flags[name].carrier = (x, y), carrier
        # corrected in the past, too, or the same difference would be noted at each look
        for _, states in self._own:
            states[robot.name] = _with_parts(states[robot.name], parts, state)


def _state(robot: RobotState) -> _State:
    return robot.health, robot.power, robot.holding


def _parts_apart(own: Sequence[_State], said: Sequence[Any]) -> list[int]:
    """Return which parts of what is said of a robot this logic never found."""
    return [part for part in range(len(said)) if not any(_agrees(state[part], said[part]) for state in own)]


def _agrees(own: float | str, said: float | str) -> bool:
    if isinstance(own, str) or isinstance(said, str):
        return own == said
    # health and power are sums of the same numbers, perhaps in another order
    return abs(own - said) < 1e-6


def _with_parts(state: _State, parts: Sequence[int], said: Sequence[Any]) -> _State:
    health, power, holding = state
    return (
        float(said[_HEALTH]) if _HEALTH in parts else health,
        float(said[_POWER]) if _POWER in parts else power,
        str(said[_HOLDING]) if _HOLDING in parts else holding,
    )


def _shown(state: _State) -> str:
    health, power, holding = state
    return f"health {health:g}, power {power:g}{f' and {holding}' if holding else ''}"
