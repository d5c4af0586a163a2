"""Runs a scene with everything that could go astray, and prints hashes of its states, as JSON.

Noise, collisions, an object that is pushed, a timed event, robots that are inserted and removed, an instant that is
gone back to, and the state saved and put back in the midst of it.
"""

import json
import sys
import tempfile
from pathlib import Path

import xxhash

from coopsim.recording import versions
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.simulation.snapshot import restore, snapshot
from coopsim.state.edits import Checkpoint, Insert, Remove, Reset, Restore, TakeSnapshot

TICKS = 300
SET_VELOCITY = 10
SCENE = """
[FLOOR]
size 10 10 0.1
[WALL_1]
type box
size 10 0.2 0.5
position 0 3 0
mass 0
[OBJECT_1]
type box
name crate
size 0.4 0.4 0.4
position 0 0.1 0
mass 4
"""
ROBOTS = """
[WORLD]
file arena.world
[TARGET]
red 3 1 0
[ROBOT_1]
type single
name robot1
position -1 0 0
[ROBOT_2]
type single
name robot2
position 1 0.05 0
orientation 0 0 180
[ROBOT_3]
type bench
name robot3
position 0 2 0
orientation 0 0 70
[SIMULATION]
seed 5
[EVENT_1]
at 0.5
set robot1.sonars.noise 0.05
"""
LATE = "[ROBOT_1]\ntype single\nname late\nposition 2 -2 0\n"


def states(ticks: int = TICKS) -> list[str]:
    """Return a hash of all states so far, every ten ticks."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "arena.world").write_text(SCENE)
        file = Path(folder) / "a.scenario"
        file.write_text(ROBOTS)
        simulation = Simulation(load(file))
    seen, hashes, saved = xxhash.xxh3_128(), [], b""
    for tick in range(ticks):
        for number, place in enumerate(simulation.layout.robots):
            simulation.command(place.name, "motors", SET_VELOCITY, (0.4, 0.2 * (number - 1)))
        for edit in EDITS.get(tick, ()):
            apply(simulation, edit)
        if tick == 180:
            apply(simulation, Checkpoint())
            saved = snapshot(simulation)
        if tick == 260:
            restore(simulation, saved)
        simulation.tick()
        seen.update(simulation.state_hash())
        if tick % 10 == 9:
            hashes.append(seen.hexdigest())
    return hashes


EDITS = {
    60: (Insert(LATE),),
    100: (TakeSnapshot("here"),),
    150: (Restore("here"),),
    220: (Remove("robot3"),),
    240: (Reset(),),
}

if __name__ == "__main__":
    sys.stdout.write(json.dumps({"states": states(), "versions": versions()}))
