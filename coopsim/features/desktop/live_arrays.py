"""State stream of a run as the arrays that metrics take."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from coopsim.errors import CoopsimError
from coopsim.geometry import Floats
from coopsim.state import Layout, ModuleLayout, RobotPlace, TypeLayout

if TYPE_CHECKING:
    from coopsim.client import Client, State
    from coopsim.client.scene import SceneView
    from coopsim.metrics import ArrayPart, Formation

_STEP_MODULE = "/sim/step"
NOT_LIVE = {
    "commands": "the state stream tells no commands",
    "tracking_error": "the state stream tells no commands",
}
"""Metrics that need what no viewer sees, and why."""


@dataclass(frozen=True)
class RunExtras:
    """Data that metrics need besides states.

    Attributes:
        types: Modules of each robot type, by its name.
        formations: The places that teams should keep.
        overruns: How many ticks began late so far.
        lateness: The largest so far [s].
    """

    types: dict[str, TypeLayout]
    formations: "tuple[Formation, ...]" = ()
    overruns: float = 0.0
    lateness: float = 0.0


def types_of(simulation: "Client") -> dict[str, TypeLayout]:
    """Return the modules of each robot type, and where their readings are in its rows.

    Args:
        simulation: Where they are asked.
    """
    layout: Any = simulation.module(_STEP_MODULE).layout()
    page = json.loads(str(layout.layout))
    types = {}
    for robot, kind in page["robots"]:
        if kind not in types:
            rows = page["types"][kind]
            offsets: dict[str, list[tuple[int, int]]] = {}
            for module, _, _, offset, length in rows["gives"]:
                offsets.setdefault(str(module), []).append((int(offset), int(length)))
            modules = tuple(_module(simulation, robot, name, places) for name, places in offsets.items())
            types[str(kind)] = TypeLayout(str(kind), modules, 0, int(rows["gives_length"]))
    return types


def _module(simulation: "Client", robot: str, name: str, places: list[tuple[int, int]]) -> ModuleLayout:
    begin, length = min(offset for offset, _ in places), sum(length for _, length in places)
    interface = simulation.module(f"/{robot}/{name}").interface
    return ModuleLayout(name, interface, {}, (), -1, begin, length, paces=False)


def formations_of(facts: Any) -> "tuple[Formation, ...]":
    """Return the places that teams keep, as `/sim/info` tells who drives them; none where it does not say."""
    if not facts:
        return ()
    from coopsim.metrics import kept_formations  # here, for a window opens without metrics

    try:
        return kept_formations((str(run), robots, settings) for run, robots, settings in facts)
    except (CoopsimError, TypeError, ValueError):  # a law that is not here, or an older server
        return ()


def part_of(states: "Sequence[State]", scene: "SceneView", extras: RunExtras) -> "ArrayPart":
    """Return states of one layout as metrics take them; what the stream does not tell is missing.

    Args:
        states: Some at least, with the same bodies.
        scene: What there is in them.
        extras: What else is known of the run.
    """
    from coopsim.metrics import ArrayPart  # as above

    names, count = states[0].names, len(states)
    rows = {name: number for number, name in enumerate(names)}
    entities = tuple(
        replace(row, body=rows[row.name] if row.body >= 0 else -1)
        for row in scene.entities
        if row.body < 0 or row.name in rows
    )
    kinds = {row.name: (row.type, row.body) for row in entities if row.kind == "robot"}
    flat = np.stack([state.raw.flat for state in states])
    times, poses = np.array([state.time for state in states]), np.stack([state.poses for state in states])
    return ArrayPart(
        Layout(scene.generation, (), _reading_slots(states[0], kinds, extras.types), entities, names),
        times,
        poses,
        _twists(times, poses),
        flat,
        np.zeros((count, 0)),
        np.full(count, extras.overruns),
        np.full(count, extras.lateness),
    )


def _reading_slots(
    state: "State", kinds: dict[str, tuple[str, int]], types: dict[str, TypeLayout]
) -> tuple[RobotPlace, ...]:
    """Return where the readings of robots are; a robot whose type is not known yet has no modules."""
    begins = dict(zip(state.raw.robots, np.cumsum((0, *state.raw.widths)).tolist(), strict=False))
    widths = dict(zip(state.raw.robots, state.raw.widths, strict=True))
    arrays = []
    for name, (kind, body) in kinds.items():
        type_rows = types.get(kind)
        if type_rows is None or type_rows.reading_width != widths.get(name):
            type_rows = TypeLayout(kind, (), 0, 0)
        arrays.append(RobotPlace(name, type_rows, 0, int(begins.get(name, 0)), body))
    return tuple(arrays)


def _twists(times: Floats, poses: Floats) -> Floats:
    """Return velocities by the differences of places; turning is not told, shape (k, bodies, 6)."""
    velocities = np.full((*poses.shape[:2], 6), np.nan)
    if len(times) > 1:
        velocities[:, :, :3] = np.gradient(poses[:, :, :3], times, axis=0)
    return velocities
