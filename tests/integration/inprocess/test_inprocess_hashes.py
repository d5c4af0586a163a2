"""A control law does the same in the simulation's process as over ZeroMQ in lockstep: equal states, tick by tick."""

from functools import partial
from pathlib import Path

from coopsim.features.laws import formation, wander
from coopsim.inprocess import LocalServer
from coopsim.recording import Recording
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.state import Record
from coopsim.testkit import Run

SECONDS = 4.0
WANDERING = """
[WORLD]
file maze
[ROBOT_1]
type single
name robot1
position -3 0 0
[ROBOT_2]
type single
name robot2
position 3 0 0
[SIMULATION]
seed 3
mode lockstep
[CONTROLLER_1]
run wander
robots robot1
speed 0.3
[CONTROLLER_2]
run wander
robots robot2
speed 0.4
"""


def over_zeromq(scenario: str, folder: Path) -> dict[int, bytes]:
    """Return the state hash of each tick of a run with the controllers of its scenario, out of its recording."""
    film = folder / "run.mcap"
    with Run(scenario, "--mode", "lockstep", "--duration", str(SECONDS), "--record", str(film)) as run:
        run.wait()
    with Recording.open(film) as recording:
        return {record.tick: record.header.state_hash for record in recording.records()}


def in_process(scenario: str, *programs: partial[int], robots: tuple[str, ...]) -> dict[int, bytes]:
    """Return the same of programs that are called in this process."""
    hashes: dict[int, bytes] = {}

    def keep(record: Record) -> None:
        hashes[record.tick] = record.header.state_hash

    server = LocalServer(Simulation(load(scenario)), duration=SECONDS, wait_for=robots, published=keep)
    assert server.run(*programs) == [0] * len(programs)
    return hashes


def test_the_formation_is_the_same_both_ways(tmp_path: Path) -> None:
    robots = ("robot1", "robot2", "robot3")
    arguments = ["--robots", *robots, "--shape", "triangle", "--spacing", "0.8", "--target", "red"]
    networked = over_zeromq("formation", tmp_path)
    local = in_process("formation", partial(formation.main, arguments), robots=robots)
    assert len(local) == round(SECONDS * 100) + 1
    assert local == networked


def test_two_laws_at_once_are_the_same_both_ways(tmp_path: Path) -> None:
    file = tmp_path / "wandering.scenario"
    file.write_text(WANDERING)
    laws = [partial(wander.main, ["--robots", f"robot{number}", "--speed", f"0.{number + 2}"]) for number in (1, 2)]
    networked = over_zeromq(str(file), tmp_path)
    local = in_process(str(file), *laws, robots=("robot1", "robot2"))
    assert len(set(local.values())) > 300
    assert local == networked
