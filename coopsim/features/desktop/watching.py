"""Events of a run while it is watched: marks on the time line and lines of the console."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from coopsim.errors import CoopsimError
from coopsim.features.desktop.console import ConsoleModel
from coopsim.features.desktop.link import RunFacts, ViewerLink
from coopsim.features.desktop.marks import Mark, Marks
from coopsim.features.laws.choosing import LawRow
from coopsim.features.pictures.drawn_sensors import HALVES, DrawnSensors
from coopsim.state import EntityRow
from coopsim.suggest import listed

if TYPE_CHECKING:
    from coopsim.client import State
    from coopsim.client.scene import SceneView

_NAMED = 3
"""Robots that are named where a control law starts."""
_LawKey: TypeAlias = tuple[int, str]
"""How often a scene has begun, and the name of a law in it."""


class RunWatcher:
    """Compares what is told with what was told before.

    Args:
        marks: Takes what happened.
        console: Takes it in words.
    """

    def __init__(self, marks: Marks, console: ConsoleModel) -> None:
        self._marks, self._console = marks, console
        self._facts = RunFacts()
        self._scene: SceneView | None = None
        self._touched: set[tuple[str, str]] = set()
        self._time, self._seen_until = 0.0, math.inf
        self._laws: dict[_LawKey, LawRow] = {}
        self._heard: dict[_LawKey, int] = {}  # number of the last line of each law

    def watch(self, link: ViewerLink) -> None:
        """Compare the facts and the scene of a run."""
        before, now = self._facts, link.facts
        if now is not before:
            self._facts = now
            self._compare(before, now)
        while link.commanded:
            self._marks.command(*link.commanded.popleft())
        while link.happened:
            self._marks.add(link.happened.popleft())
        if link.scene is not self._scene:
            self._compare_scenes(self._scene, link.scene, is_live=now.playback is None)
            self._scene = link.scene

    def notice(self, state: "State", sensors: Mapping[str, DrawnSensors]) -> None:
        """Find robots that are touched now and were not before."""
        if state.time < self._seen_until:
            # time began anew, and all marks were forgotten with it: laws that began since then are noted once more
            self._laws = {key: row for key, row in self._laws.items() if _last_change(row) > state.time}
            if self._seen_until == math.inf:
                self._heard.clear()  # the first state: what was noted before it is forgotten, too
        self._time = self._seen_until = state.time
        touched = set(_touched(state, sensors))
        for robot, half in sorted(touched - self._touched):
            self._marks.add(Mark(state.time, "collision", f"{robot} is touched at its {half}"))
        self._touched = touched

    def _compare(self, before: RunFacts, now: RunFacts) -> None:
        if now.connection != before.connection:
            self._console.append("note", {"live": "connected", "lost": now.problem}.get(now.connection, now.connection))
        self._compare_laws(_laws(now))
        if before.connection != "live" or now.connection != "live" or now.playback is not None:
            return
        for name in ("mode", "speed", "paused", "step", "engine"):
            if getattr(now, name) != getattr(before, name):
                self._edit(f"{name}: {getattr(now, name)}")

    def _compare_laws(self, now: dict[_LawKey, LawRow]) -> None:
        """Note when control laws began and ended, and the last words of those that ended."""
        before, self._laws = self._laws, now
        for key, row in now.items():
            earlier = before.get(key)
            if earlier is None:
                driven = f", drives {listed(row['robots'], _NAMED)}" if row["robots"] else ""
                self._event(row["began"], f"{row['name']} starts{driven}")
            self._note_lines(key, row)
            if row["ended"] is not None and (earlier is None or earlier["ended"] is None):
                self._event(row["ended"], f"{row['name']} {row['reason']}")

    def _note_lines(self, key: _LawKey, row: LawRow) -> None:
        """Note the lines that a control law has printed since; older simulators tell none."""
        for number, time, line in row.get("said", ()):
            if number > self._heard.get(key, -1):
                self._heard[key] = number
                self._event(time, f"{row['name']}: {line}")

    def _event(self, time: float, text: str) -> None:
        self._marks.add(Mark(time, "event", text))
        self._console.append("note", f"{time:.2f} s  {text}")

    def _compare_scenes(self, before: "SceneView | None", now: "SceneView | None", *, is_live: bool) -> None:
        if before is None or now is None or not is_live:
            return
        old, new = ({row.name: row for row in scene.entities} for scene in (before, now))
        for text, names in (
            ("removed", [name for name in old if name not in new]),
            ("inserted", [name for name in new if name not in old]),
            ("changed", [name for name in new if name in old and not _is_same(old[name], new[name])]),
        ):
            if names:
                self._edit(f"{text}: {', '.join(names[:5])}{' and others' if len(names) > 5 else ''}")

    def _edit(self, text: str) -> None:
        self._marks.add(Mark(self._time, "edit", text))
        self._console.append("edit", f"{self._time:.2f} s  {text}")


def _laws(facts: RunFacts) -> dict[_LawKey, LawRow]:
    """Return the control laws of a live run; names are given anew with each scene."""
    standing = facts.standing if facts.playback is None else {}
    return {(standing["begins"], row["name"]): row for row in standing.get("controllers", ())}


def _last_change(row: LawRow) -> float:
    return float(row["began"] if row["ended"] is None else row["ended"])


def _is_same(row: EntityRow, earlier: EntityRow) -> bool:
    """Return whether two rows say the same of an entity, wherever it stands."""
    return replace(row, body=earlier.body, pose=earlier.pose) == earlier


def _touched(state: "State", sensors: Mapping[str, DrawnSensors]) -> Iterator[tuple[str, str]]:
    """Yield robots and halves of their hulls that are touched."""
    try:
        readings = state.readings
    except CoopsimError:
        return  # robots came or went in this instant
    for kind in readings.types if readings is not None else ():
        for module in sensors[kind].bumpers if kind in sensors else ():
            rows = readings.of(kind)
            for half in HALVES:
                values = np.atleast_1d(getattr(getattr(rows, module), half))
                yield from ((rows.robots[number], half) for number in np.flatnonzero(values > 0.5))
