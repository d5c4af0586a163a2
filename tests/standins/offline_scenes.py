"""Recordings made in this process, and copies of them with something changed."""

from collections.abc import Callable, Container
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from coopsim.recording import Recording, Writer
from coopsim.replay.run_json import RUN, spec_to_json
from coopsim.robots import RunSpec, load_type
from coopsim.scene import Event, Object, RobotPlacement, Scenario, Settings, TargetSpec, World
from coopsim.simulation import Simulation
from coopsim.state import Record
from coopsim.state.edits import (
    ClockReset,
    DeviceCommand,
    Insert,
    Note,
    Pause,
    Remove,
    Restore,
    SetMode,
    SetParameter,
    SetStep,
    TakeSnapshot,
    Update,
)
from coopsim.testkit.recorded_run import RecordedRun

EVENTS = (Event(0.5, (("robot1.sonars.noise", "0.05"),)), Event(6.0, (), "all"))
LATE = "[ROBOT_1]\ntype single\nname late\nposition 1.0 0.1 0\n"


def make_spec(robots: int = 2, *, events: tuple[Event, ...] = (), **settings: Any) -> RunSpec:
    """Return a scene with robots in a row, a wall, a crate and a red target."""
    objects = (
        Object("wall_1", "box", (0.2, 10.0, 0.5), (5.0, 0.0, 0.0), is_wall=True),
        Object("crate", "box", (0.4, 0.4, 0.4), (2.0, 0.0, 0.0), mass=5.0),
    )
    placements = tuple(RobotPlacement(f"robot{i + 1}", "single", (-2.0, 1.5 * i, 0.0)) for i in range(robots))
    world, targets = World(objects=objects), (TargetSpec("red", (4.0, 3.0, 0.0)),)
    scenario = Scenario(world, targets, placements, events=events, settings=Settings(**settings))
    return RunSpec(scenario, {"single": load_type("single")})


def started(path: Path, spec: RunSpec | None = None, **about: Any) -> RecordedRun:
    """Return a run that is being recorded."""
    spec = spec or make_spec()
    texts = {RUN: spec_to_json(spec)}
    return RecordedRun(Simulation(spec), path, metadata={"scenario": "scene", **about}, attachments=texts)


def drive(run: RecordedRun, v: float = 0.4, w: float = 0.05, only: str = "") -> None:
    """Command all robots, or one."""
    for name in [only] if only else run.simulation.layout.robot:
        run.simulation.command(name, "motors", 10, (v, w))


def simple(path: Path, ticks: int = 250, *, w: float = 0.05, robots: int = 2) -> Path:
    """Record robots that drive in curves; after 100 ticks robot2 turns at `w`."""
    with started(path, make_spec(robots)) as run:
        drive(run)
        run.tick(min(ticks, 100))
        if ticks > 100:
            drive(run, w=w, only="robot2")
            run.tick(ticks - 100)
    return path


def eventful(path: Path) -> tuple[Path, RunSpec]:
    """Record everything that can happen to a run: edits of all kinds, events, contacts, another clock."""
    spec = make_spec(events=EVENTS)
    with started(path, spec) as run:
        run.tick(30)
        run.edit(Insert(LATE))
        run.edit(SetParameter("late", "target", "robots", "robot1"))
        run.edit(TakeSnapshot("a"))
        drive(run)
        run.tick(220)
        for pace in (Pause(), SetMode("free"), Note("stop")):
            run.edit(pace)
        run.edit(SetStep(0.02))
        run.tick(50)
        run.edit(Update("crate", "mass 9\n"))
        run.tick(50)
        run.edit(Restore("a"))
        run.tick(200)
        run.edit(DeviceCommand("robot1", "odometry", 12, [1.0, 2.0, 0.5]))
        run.edit(Remove("crate"))
        run.tick(20)
        run.edit(ClockReset())
        drive(run)
        run.tick(100)
    return path, spec


def bumping(path: Path, ticks: int = 450, *, noted: int = 0) -> Path:
    """Record robots that come to push each other and a crate; after tick `noted` comes an edit without effect."""
    spec = make_spec(3)
    near = tuple(
        replace(robot, position=(1.0 + 0.52 * index, 0.02 * index, 0.0))
        for index, robot in enumerate(spec.scenario.robots)
    )
    crate = replace(spec.scenario.world.objects[1], position=(2.6, 0.0, 0.0))
    world = replace(spec.scenario.world, objects=(spec.scenario.world.objects[0], crate))
    with started(path, replace(spec, scenario=replace(spec.scenario, robots=near, world=world))) as run:
        drive(run, w=0.0)
        run.tick(noted)
        if noted:
            run.edit(Note("seen", "robot1"))
        run.tick(ticks - noted)
    return path


Change = Callable[[Record, bytes | None], tuple[Record, bytes | None]]


def copy(source: Path, target: Path, *, without: Container[int] = (), change: Change | None = None) -> Path:
    """Write a recording anew, some of its records left out or changed.

    Args:
        without: Numbers of records that the recorder missed.
        change: Given each record and its key frame.
    """
    with (
        Recording.open(source) as old,
        Writer(target, metadata=old.metadata, attachments=old.attachments) as new,
    ):
        generation = -1
        number = 0
        for _, block in old.blocks():
            for row in range(len(block)):
                record, frame = block.record(row), block.keyframes.get(row)
                if number in without:
                    new.gap(1)
                else:
                    if record.generation != generation:
                        generation = record.generation
                        new.layout(old.layout(generation))
                    new.write(*(change(record, frame) if change else (record, frame)))
                number += 1
    return target


def rebuilt(record: Record, **changes: Any) -> Record:
    """Return a record with another header, other arrays or edits."""
    arrays = {name: changes.pop(name, getattr(record, name)) for name in ("poses", "twists", "readings", "commands")}
    end = record.header.arrays_end
    packed = changes.pop("edits", record._raw[end : end + record.header.edits_bytes])
    header = record.header._replace(**changes, edits_bytes=len(packed), keyframe_bytes=0)
    raw = header.pack() + b"".join(np.ascontiguousarray(array).tobytes() for array in arrays.values()) + packed
    return Record(raw + bytes(-len(raw) % 8))
