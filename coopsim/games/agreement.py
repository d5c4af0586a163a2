"""Whether this logic and the referee say the same of the robots; where they do not, the referee's word counts.

Source: swarm gaming, section 3 (the logger detects conflicts and determines their source).
"""

from collections import deque
from collections.abc import Iterable

from coopsim.client.match_events import MatchStatus
from coopsim.games.model import DataModel, RobotState

_WINDOW = 0.5
"""Logics that look at other moments may see a change so much sooner or later [s]."""

_State = tuple[float, float, str]


class Agreement:
    """Compares what the referee told with what this logic found at that time.

    Args:
        model: Of this logic.
    """

    def __init__(self, model: DataModel) -> None:
        self._model = model
        self._own: deque[tuple[float, dict[str, _State]]] = deque()
        self._told: deque[tuple[float, MatchStatus]] = deque()

    def compare(self, told: Iterable[tuple[float, MatchStatus]], referee: str) -> list[RobotState]:
        """Log where the referee disagrees, and believe it; return the robots that this is about.

        Args:
            told: When and what the referee told since the last time.
            referee: Player whose logic that is.
        """
        now = self._model.time
        self._told.extend(told)
        self._own.append((now, {it.name: _state(it) for it in self._model.robots.values()}))
        found = []
        while self._told and self._told[0][0] <= now - _WINDOW:
            when, status = self._told.popleft()
            own = [states for time, states in self._own if abs(time - when) <= _WINDOW + 1e-6]
            for name, health, power, holding in status["robots"] if own else ():
                robot, said = self._model.robots.get(name), (health, power, holding)
                if robot is not None and not any(_agrees(states[name], said) for states in own):
                    self._believe(robot, said, status, referee)
                    found.append(robot)
        while self._own[0][0] < now - 3.0 * _WINDOW:
            self._own.popleft()
        return found

    def _believe(self, robot: RobotState, said: _State, status: MatchStatus, referee: str) -> None:
        text = f"{robot.name} has {_shown(_state(robot))} here, and {_shown(said)} there, which counts"
        self._model.note(f"logic of {referee}", "disagreement", text)
        if robot.holding and not said[2]:
            self._model.flags[robot.holding].carrier = ""
        robot.health, robot.power, robot.holding = said
        for name, (x, y, carrier) in status["flags"].items():
            if name in self._model.flags and robot.name in {carrier, self._model.flags[name].carrier}:
                self._model.flags[name].place, self._model.flags[name].carrier = (x, y), carrier
        for _, states in self._own:
            states[robot.name] = said


def _state(robot: RobotState) -> _State:
    return robot.health, robot.power, robot.holding


def _agrees(own: _State, said: _State) -> bool:
    return abs(own[0] - said[0]) < 1e-6 and abs(own[1] - said[1]) < 1e-6 and own[2] == said[2]


def _shown(state: _State) -> str:
    health, power, holding = state
    return f"health {health:g}, power {power:g}{f' and {holding}' if holding else ''}"
