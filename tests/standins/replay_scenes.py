"""Recordings of real simulations, for the tests of playback."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgpack

from coopsim.recording import Writer
from coopsim.robots import RunSpec, load
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.simulation.snapshot import snapshot
from coopsim.state import MODES, Record, RecordHeader
from coopsim.state.edits import AppliedEdit, SceneEdit

STEP = 0.01
SCENE = """
[TARGET]
red 3 1 0
[ROBOT_1]
type single
name robot1
[ROBOT_2]
type single
name robot2
position 2 0 0
"""
NEWCOMER = "[ROBOT_3]\ntype single\nname robot3\nposition -2 0 0\n"
Edits = Mapping[int, list[SceneEdit | AppliedEdit]]


def spec(folder: Path) -> RunSpec:
    """Return two robots and a target."""
    file = folder / "pair.scenario"
    file.write_text(SCENE, encoding="utf-8")
    return load(file)


def record(
    path: Path,
    ticks: int,
    *,
    edits: Edits | None = None,
    mode: str = "real-time",
    close: bool = True,
    keyframes: bool = True,
    watch: Callable[[Simulation, Record], None] = lambda *_: None,
) -> Path:
    """Record a run of two robots that drive in circles, record 0 included; return the file.

    Args:
        path: A new file.
        ticks: How many ticks.
        edits: What is changed after a tick, in a record of its own.
        mode: What the records say.
        close: Whether the file is closed properly.
        keyframes: Whether there is a key frame each 100 ticks.
        watch: Told of every record.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    simulation = Simulation(spec(path.parent))
    writer = Writer(path, metadata={"scenario": "pair", "seed": 7, "engine": "pymunk"}, clock=lambda: 0.0)
    generation, revision = -1, 0

    def write(applied: list[dict[str, Any]]) -> None:
        nonlocal generation, revision
        if simulation.layout.generation != generation:
            generation = simulation.layout.generation
            writer.layout(simulation.layout)
        written = _record(simulation, revision, mode, applied)
        due = keyframes and simulation.tick_count % 100 == 0
        writer.write(written, snapshot(simulation) if due else None)
        watch(simulation, written)
        revision += 1

    write([])
    for tick in range(1, ticks + 1):
        for number, robot in enumerate(simulation.layout.robot):
            simulation.command(robot, "motors", 10, (0.2 + 0.05 * number, 0.4))
        simulation.tick()
        write([])
        for edit in (edits or {}).get(tick, []):
            applied = edit if isinstance(edit, AppliedEdit) else AppliedEdit(edit)
            apply(simulation, applied.edit)
            write([applied.to_plain()])
        if tick % 50 == 0:
            writer.flush()
    if close:
        writer.close()
    return path


def _record(simulation: Simulation, revision: int, mode: str, applied: list[dict[str, Any]]) -> Record:
    engine = simulation.engine
    engine.fill()
    edits = msgpack.packb(applied) if applied else b""
    header = RecordHeader(
        tick=simulation.tick_count,
        revision=revision,
        time_ns=simulation.time_ns,
        step_ns=simulation.step_ns,
        generation=simulation.layout.generation,
        mode=MODES.index(mode),
        bodies=len(engine.names),
        readings=simulation.readings.size,
        commands=simulation.commands.size,
        edits_bytes=len(edits),
        wall_ns=1000 * revision,
        state_hash=simulation.state_hash(),
    )
    arrays = (engine.poses, engine.twists, simulation.readings, simulation.commands)
    raw = header.pack() + b"".join(array.tobytes() for array in arrays) + edits
    return Record(raw.ljust(header.size, b"\0"))
