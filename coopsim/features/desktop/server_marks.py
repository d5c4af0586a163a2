"""Marks of commands and events, read from servers."""

import json
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from coopsim.errors import CoopsimError, NoReply
from coopsim.features.desktop.marks import Mark
from coopsim.interfaces import Effect

if TYPE_CHECKING:
    from coopsim.client import Client

_EVERY = 0.4  # s; a list for people to read
_MOST_ROBOTS = 8
"""Robots whose commands are counted in a live run: as many as the time line has lanes."""


class RecordedMarks:
    """Reads what happened in a recording, page by page.

    Args:
        happened: Takes marks.
        commanded: Takes robots with begin and end of when they were commanded [s].
    """

    def __init__(self, happened: deque[Mark], commanded: deque[tuple[str, float, float]]) -> None:
        self._happened, self._commanded = happened, commanded
        self._first = 0

    def read(self, simulation: "Client") -> None:
        """Read the next page, if there is one."""
        if self._first < 0:
            return
        try:
            marks: Any = simulation.module("/sim/playback").call("marks", self._first)
        except NoReply:
            raise
        except CoopsimError:  # an older server tells none, and damaged parts have none
            self._first = -1
            return
        page = json.loads(marks.marks)
        self._happened.extend(Mark(float(at), kind, str(text)) for at, kind, text in page.get("marks", ()))
        for robot, parts in page.get("commands", {}).items():
            self._commanded.extend((robot, begin, end) for begin, end in parts)
        self._first = int(marks.next)


class CommandCounter:
    """Finds out when robots of a live run are commanded: their modules count commands.

    Args:
        commanded: Takes robots with begin and end of when they were commanded [s].
        generation: Returns a number that changes whenever robots come or go.
    """

    def __init__(self, commanded: deque[tuple[str, float, float]], generation: Callable[[], int] = lambda: 0) -> None:
        self._commanded, self._generation = commanded, generation
        self._due, self._time = 0.0, 0.0
        self._counts: dict[str, int] = {}
        self._counted: tuple[int, list[tuple[str, str]]] | None = None

    def read(self, simulation: "Client") -> None:
        """Ask the modules, if it is time."""
        if time.monotonic() < self._due:
            return
        self._due = time.monotonic() + _EVERY
        begin, self._time = self._time, float(simulation.module("/sim/clock").status().time)
        for robot, name in self._modules(simulation):
            self._count(simulation, robot, name, begin)

    def _modules(self, simulation: "Client") -> list[tuple[str, str]]:
        """Return robots with their modules, asked once: the names of a crowd are long."""
        generation, counted = self._generation(), self._counted
        if counted is None or counted[0] != generation:
            robots = simulation.robots()[:_MOST_ROBOTS]
            modules = [(robot, name) for robot in robots for name in simulation.names(f"/{robot}/")]
            counted = self._counted = generation, modules
        return counted[1]

    def _count(self, simulation: "Client", robot: str, name: str, begin: float) -> None:
        module = simulation.module(name)
        try:
            if not any(command.effect is Effect.SET for command in module.interface.commands):
                return
            statistics: Any = module.call("statistics")
        except NoReply:
            raise
        except CoopsimError:
            return  # the robot went in this instant
        count = int(json.loads(statistics.statistics).get("commands", 0))
        if count > self._counts.get(name, count) and begin < self._time:
            self._commanded.append((robot, begin, self._time))
        self._counts[name] = count
