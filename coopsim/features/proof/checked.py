"""Checks of a record apart from its state: heads, layout, timed events, key frame, against the run done again."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from coopsim.errors import CoopsimError
from coopsim.features.proof.differing import StateView, is_shown, visible
from coopsim.features.proof.pace import Pace
from coopsim.recording import RecordBlock, Recording, layout_to_json
from coopsim.replay.mismatch import Mismatch
from coopsim.replay.plainly import FirstDifference, fork, without_places
from coopsim.replay.rerun import Rerun
from coopsim.robots import RunSpec
from coopsim.robots.entities import former_rows
from coopsim.simulation import Simulation
from coopsim.simulation.saved import unpacked
from coopsim.simulation.snapshot import snapshot
from coopsim.state.edits import AppliedEdit, Checkpoint
from coopsim.state.layout import STAMP

_GROWING = ("overruns", "max_lateness_ns", "slipped_ns", "wall_ns")
"""What was measured cannot be done again, but never becomes less."""
_PAUSED, ENDED = 1, 2  # bits of the flags, as in a block


class Checks:
    """Compares records with a simulation that has done the same.

    Args:
        recording: Whose records they are.
        spec: What was run.
        simulation: That does it again.

    Attributes:
        recounted: Modules whose commands are counted anew, which `parent` alone explains.
    """

    def __init__(self, recording: Recording, spec: RunSpec, simulation: Simulation) -> None:
        self._recording, self._spec, self._simulation = recording, spec, simulation
        self._pace: Pace | None = None
        self._before: tuple[RecordBlock, int] | None = None
        self._generation = -1
        self._stamps: Any = None
        self._uncounted: set[tuple[str, str]] = set()
        self.recounted: list[str] = []

    def begin(self) -> None:
        """Forget the records so far: some are missing."""
        self._pace, self._before = None, None

    def differing(
        self, block: RecordBlock, row: int, happened: list[AppliedEdit], *, with_frame: bool
    ) -> Mismatch | None:
        """Return the first thing that a record says otherwise than it is, None if there is nothing.

        Args:
            block: Where the record is.
            row: Which of them it is.
            happened: Timed events of its tick, done again.
            with_frame: Whether its key frame can be compared: not while contacts may differ.
        """
        mismatch = next(self._spots(block, row, happened, with_frame), None)
        self._before = block, row
        return mismatch

    def _spots(self, block: RecordBlock, row: int, happened: list[AppliedEdit], with_frame: bool) -> Iterator[Mismatch]:
        yield from self._layout(block)
        yield from self._tables(block, row)
        yield from self._stamps_of(block, row)
        yield from self._heads(block, row)
        yield from self._paces(block, row)
        yield from self._events(block, row, happened)
        if with_frame and row in block.keyframes:
            yield from self._frame(block.keyframes[row])

    # tables and heads

    def _tables(self, block: RecordBlock, row: int) -> Iterator[Mismatch]:
        recorded = StateView(
            self._recording.layout(block.generation),
            *(table[row] for table in (block.commands, block.poses, block.twists, block.readings)),
        )
        mine = StateView.of_simulation(self._simulation)
        if not is_shown(recorded, mine) and (mismatch := visible(recorded, mine)) is not None:
            yield mismatch

    def _heads(self, block: RecordBlock, row: int) -> Iterator[Mismatch]:
        simulation = self._simulation
        wanted = {"tick": simulation.tick_count, "time_ns": simulation.time_ns, "step_ns": simulation.step_ns}
        if self._before is not None:
            wanted["position_ns"] = self._position(block, row)
        for name, wanted_value in wanted.items():
            value = int(block.head(name)[row])
            if value != wanted_value:
                yield Mismatch("", name, str(value), str(wanted_value))
        if self._before is None:
            return
        earlier, at = self._before
        for name in _GROWING:
            value, wanted_value = int(block.head(name)[row]), int(earlier.head(name)[at])
            if value < wanted_value:
                yield Mismatch("", name, str(value), f"at least {wanted_value}")
        if int(earlier.head("flags")[at]) & ENDED:
            yield Mismatch("", "ended", "yes", "no, records follow")

    def _position(self, block: RecordBlock, row: int) -> int:
        """Return where the record must lie on the time line, which stands still where the clock goes back."""
        assert self._before is not None  # noqa: S101 - asked for only then
        earlier, at = self._before
        passed = int(block.head("time_ns")[row]) - int(earlier.head("time_ns")[at])
        return int(earlier.head("position_ns")[at]) + max(0, passed)

    def _stamps_of(self, block: RecordBlock, row: int) -> Iterator[Mismatch]:
        """Commands are counted: no count becomes less, unless something else begins.

        The host of a run that goes on from a recording begins to count anew when it sends its first commands.
        """
        if self._before is None or self._before[0].generation != block.generation:
            return
        earlier, at = self._before
        edits = *earlier.edits.get(at, ()), *block.edits.get(row, ())
        if any(edit.edit.restarts_commands for edit in edits):
            return
        columns, names = self._stamps
        stamps, stamps_before = block.commands[row, columns], earlier.commands[at, columns]
        if self._uncounted:  # only the first command of a continuation is counted anew
            self._uncounted -= {names[place] for place in np.flatnonzero(stamps > stamps_before).tolist()}
        for place in np.flatnonzero(stamps < stamps_before).tolist():
            robot, module = names[place]
            if names[place] in self._uncounted:
                self._uncounted.remove(names[place])
                self.recounted.append(f"{robot}.{module} in tick {int(block.ticks[row])}")
                continue
            yield Mismatch(robot, f"{module}.stamp", float(stamps[place]), f"at least {stamps_before[place]:g}")

    # how time passes

    def _paces(self, block: RecordBlock, row: int) -> Iterator[Mismatch]:
        heads = Pace(mode=str(int(block.head("mode")[row])), speed=float(block.speeds[row]))
        is_paused = bool(int(block.head("flags")[row]) & _PAUSED)
        pace = self._pace_of(block, row)
        if pace is None:
            return
        if int(block.head("mode")[row]) != pace.mode_number:
            yield Mismatch("", "mode", heads.mode, str(pace.mode_number))
        if heads.speed != pace.speed:
            yield Mismatch("", "speed", heads.speed, pace.speed)
        if is_paused != pace.stands:
            yield Mismatch("", "paused", *("yes" if stands else "no" for stands in (is_paused, pace.stands)))

    def _pace_of(self, block: RecordBlock, row: int) -> Pace | None:
        """Return how time passes at a record, None while nothing says so."""
        for applied in block.edits.get(row, ()):
            edit = applied.edit
            if isinstance(edit, Checkpoint) and edit.pace is not None:
                self._pace = Pace.of(edit.pace)
            elif self._pace is not None and not applied.is_event:
                self._pace.follow(edit)
        if self._pace is not None and self._before is not None:
            earlier, at = self._before
            if int(block.ticks[row]) != int(earlier.ticks[at]):
                self._pace.tick()
        return self._pace

    # who is there, and what happened

    def _layout(self, block: RecordBlock) -> Iterator[Mismatch]:
        layout = self._simulation.layout
        if block.generation != layout.generation:
            yield Mismatch("", "generation", str(block.generation), str(layout.generation))
        if block.generation == self._generation:
            return
        self._generation = block.generation
        recorded = self._recording.layout(block.generation)
        difference = _layout_difference(recorded, layout)
        former = replace(layout, entities=former_rows(layout.entities, self._simulation.scene.types))
        if difference is not None and _layout_difference(recorded, former) is not None:
            yield Mismatch("", f"layout {difference.where}", difference.first, difference.second)
        slots = [
            (place.command_offset + module.command_offset + STAMP, (place.name, module.name))
            for place in recorded.robots
            for module in place.type.modules
            if module.command_offset >= 0
        ]
        if self._before is None and "parent" in self._recording.metadata:
            self._uncounted = {names for _, names in slots}
        self._stamps = np.array([column for column, _ in slots], np.int64), [names for _, names in slots]

    def _events(self, block: RecordBlock, row: int, happened: list[AppliedEdit]) -> Iterator[Mismatch]:
        recorded = [applied.to_plain() for applied in block.edits.get(row, ()) if applied.is_event]
        again = [applied.to_plain() for applied in happened]
        difference = fork(recorded, again)
        if difference is not None:
            yield Mismatch("", "timed events", *(_names(events) for events in (recorded, again)))

    # key frames

    def _frame(self, recorded: bytes) -> Iterator[Mismatch]:
        simulation = self._simulation
        mine = snapshot(simulation)
        if recorded == mine:
            return
        try:
            state = unpacked(recorded)
            named = state.pop("snapshots", {})
            difference = self._fork(state, recorded, mine)
            for name, raw in named.items() if difference is None else ():
                taken = simulation.snapshots.get(name)
                if taken is None:
                    difference = FirstDifference(("snapshots", name), "there", "missing")
                elif taken != raw and difference is None:
                    difference = self._fork(unpacked(raw), raw, taken)
        except (CoopsimError, AttributeError, KeyError, TypeError, ValueError) as problem:
            yield Mismatch("", "key frame", f"unreadable ({problem})", "whole")
            return
        if difference is not None:
            yield Mismatch(
                self._owner(difference), f"key frame {difference.where}", difference.first, difference.second
            )

    def _fork(self, state: dict[str, Any], recorded: bytes, mine: bytes) -> FirstDifference | None:
        """Return where two states differ, also after both went through an engine: older versions wrote otherwise."""
        difference = fork(without_places(state), without_places(unpacked(mine)))
        if difference is None:
            return None
        again = []
        for raw in (recorded, mine):
            trial = Rerun(self._spec)
            trial.begin(raw)
            trial.simulation.hash_rule = self._simulation.hash_rule
            again.append(without_places(unpacked(snapshot(trial.simulation)) | _unrestored(raw)))
        return fork(*again)

    def _owner(self, difference: FirstDifference) -> str:
        """Return the robot whose row of an array differs."""
        match difference.path:
            case ("blocks", str(kind), *_, int(row), int(_)) | ("blocks", str(kind), *_, int(row)):
                blocks = {block.blueprint.name: block.robots for block in self._simulation.tables.blocks}
                robots = blocks.get(kind, ())
                return robots[row] if row < len(robots) else ""
        return ""


def _unrestored(raw: bytes) -> dict[str, Any]:
    """Return the entries of a state that no simulation takes from it."""
    return {"generation": unpacked(raw).get("generation")}


def _layout_difference(recorded: Any, layout: Any) -> FirstDifference | None:
    """Return what differs first between a recorded layout and the one of the simulation, None where nothing does."""
    return fork(_layout_facts(recorded), _layout_facts(layout), is_open=True)


def _layout_facts(layout: Any) -> dict[str, Any]:
    """Return what decides which numbers of a record are whose; texts about interfaces may become better."""
    plain = json.loads(layout_to_json(layout))
    # recordings of older versions hold no looks, and entities that have none are compared without
    looks = plain.pop("looks")
    for entity in plain["entities"]:
        entity.update({"visuals": looks[entity["visuals"]]} if "visuals" in entity else {})
    for joint in plain.get("joints", ()):  # nor do they say where springs are drawn
        joint.pop("anchor", None), joint.pop("far_anchor", None)
    for interface in plain["interfaces"]:
        interface.pop("summary")
        interface["commands"] = {command["name"]: _command(command) for command in interface["commands"]}
        interface["parameters"] = {parameter.pop("name"): _wordless(parameter) for parameter in interface["parameters"]}
        for ports in {"inputs", "outputs", "signals"} & set(interface):  # later versions may read more of siblings
            interface[ports] = {port.pop("name"): _wordless(port) for port in interface[ports]}
    facts: dict[str, Any] = plain
    return facts


def _command(command: dict[str, Any]) -> dict[str, Any]:
    fields = {side: [_wordless(field) for field in command[side]] for side in ("takes", "gives")}
    return {"number": command["number"], "effect": command["effect"], **fields}


def _wordless(plain: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in plain.items() if name != "summary"}


def _names(edits: list[dict[str, Any]]) -> str:
    return json.dumps([{key: value for key, value in edit.items() if key != "event"} for edit in edits])
