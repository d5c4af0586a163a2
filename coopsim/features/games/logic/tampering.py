"""Tampering: changes of the world in the middle of a match, noticed by what the simulation itself tells of edits.

Timed events of the scenario are told elsewhere and are no tampering. Parameters of robots and places of flags are put
back; what was inserted or removed is told, for the scenario is what was agreed on.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from coopsim.client import Client
from coopsim.errors import CoopsimError
from coopsim.features.games.logic.model import DataModel
from coopsim.message import ChannelEvent
from coopsim.state.edits import (
    EDITS,
    Insert,
    Join,
    Load,
    Part,
    Push,
    Remove,
    Restore,
    SetEngine,
    SetParameter,
    Update,
)

TOPICS = "/sim/edits/"
_GUARDED = ("shooter", "intelligence", "motors", "border")
"""Modules whose parameters decide what a robot can do."""
_STRANGE = {Insert, Join, Part, Push, SetEngine, Load, Restore}
"""Edits that are no part of any match."""
# an edit that is put back takes a request: a flood of edits must not delay the squads
_MOST = 20
"""Edits that are looked at in one look; the others wait."""
_MOVED = 0.01
"""A flag that is moved by less lies where it was [m]."""


class TamperWatch:
    """Follows the edits of a run for the referee.

    Args:
        sim: The run.
        model: Of the match; takes the log.
        flags: Places of the flags at the beginning [m].
    """

    def __init__(self, sim: Client, model: DataModel, flags: Mapping[str, Sequence[float]]) -> None:
        self._sim, self._model = sim, model
        self._flags = {name: flags[name] for name in model.flags}
        self._heard = sim.listen(f"{TOPICS}*")
        self._values = self._parameters()

    def close(self) -> None:
        """Stop listening."""
        self._heard.close()

    def check(self, *, is_referee: bool) -> None:
        """Take in the edits since the last time; the referee puts back what it can, and logs the others."""
        for _ in range(_MOST):
            # taken in by every logic, so that who becomes the referee later does not judge what is old
            event = self._heard.hear(0.0)
            if event is None:
                return
            if is_referee:
                self._judge(event)

    def _judge(self, event: ChannelEvent) -> None:
        name, text = event.topic.removeprefix(TOPICS), event.text[:200]
        # a newer server may publish edits that this version does not know
        if name not in EDITS:
            return
        kind = EDITS[name]
        if kind is SetParameter:
            self._put_parameter_back(text)
        elif kind is Update:
            self._check_update(text)
        elif kind in _STRANGE or (kind is Remove and text.removeprefix("removed ") not in self._model.robots):
            self._model.note("the world", "tampered", f"{text}: it is not part of this match")

    def _put_parameter_back(self, text: str) -> None:
        """Give a parameter the value that it had when the match began."""
        path = text.partition(" = ")[0]
        owner, _, name = path.rpartition(".")
        robot, _, module = owner.rpartition(".")
        before = self._values.get((robot, module), {}).get(name)
        if before is None:
            return
        parameters = self._sim.module(f"/{robot}/{module}").parameters
        try:
            # our own putting back comes as an edit, too: without this it would be answered for ever
            if parameters[name] == before:
                return
            parameters[name] = before
            done = f"it is {before} again"
        except CoopsimError as problem:
            done = f"and cannot be put back: {problem}"
        self._model.note(robot, "tampered", f"somebody set {text}; {done}")

    def _check_update(self, text: str) -> None:
        """Put a flag back that was moved; robots that are moved are judged by their speed."""
        name = text.removeprefix("changed ").partition(":")[0]
        if name in self._model.robots:
            self._model.note(name, "tampered", f"somebody {text}")
            return
        place = self._flags.get(name)
        if place is None:
            self._model.note("the world", "tampered", f"{text}: it is not part of this match")
            return
        poses = {entity.name: entity.pose for entity in self._sim.scene().entities if entity.kind == "target"}
        pose = poses.get(name)
        if pose is None or max(abs(pose[0] - place[0]), abs(pose[1] - place[1])) < _MOVED:
            return
        try:
            self._sim.world.update(name, f"position {place[0]:.17g} {place[1]:.17g} {pose[2]:.17g}")
            done = "it is put back"
        except CoopsimError as problem:
            done = f"it cannot be put back: {problem}; for the match it lies where it was"
        self._model.note(name, "tampered", f"somebody {text}; {done}")

    def _parameters(self) -> dict[tuple[str, str], dict[str, Any]]:
        """Return the guarded parameters of all robots as they are now, by robot and module."""
        types = {entity.name: entity.type for entity in self._sim.scene().entities if entity.kind == "robot"}
        names: dict[str, list[tuple[str, str]]] = {}
        for robot in self._model.robots:
            # asked once a type: a hundred robots of one type have the same modules
            if types[robot] not in names:
                names[types[robot]] = self._names(robot)
        asked = [(robot, *path) for robot in self._model.robots for path in names[types[robot]]]
        answers = self._sim.call_all((f"/{robot}/{module}", "get_parameter", (name,)) for robot, module, name in asked)
        values: dict[tuple[str, str], dict[str, Any]] = {}
        for (robot, module, name), answer in zip(asked, answers, strict=True):
            if not isinstance(answer, CoopsimError):
                values.setdefault((robot, module), {})[name] = answer.value
        return values

    def _names(self, robot: str) -> list[tuple[str, str]]:
        """Return module and name of each guarded parameter of a robot."""
        modules = {name.rpartition("/")[2]: name for name in self._sim.names(f"/{robot}/")}
        return [
            (kind, name) for kind in _GUARDED if kind in modules for name in self._sim.module(modules[kind]).parameters
        ]
