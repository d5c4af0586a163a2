"""Ticks of game robots: compiled or not, with calls that lie ready or without them, the bits are the same."""

import numpy as np
import pytest

from coopsim.features.games.devices import intelligence
from coopsim.robots import RunSpec, find_file, load
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.state.edits import SetStep

BEEP, GO_TO, SHOOT, SEQUENCE = 10, 12, 13, 16
TYPES = ("game_infantry", "brief", "game_amphibian", "alone")
FIELD = """\
[AREA_1]
type border
points -4 -4  4 -4  4 4  -4 4
[AREA_2]
type water
points 0.5 -1  1.5 -1  1.5 1  0.5 1
"""
ROBOT = """\
[ROBOT_{number}]
type {kind}
name {kind}
count 2
grid 1x2 0.7
position {place}
"""


@pytest.fixture(scope="module")
def field(tmp_path_factory: pytest.TempPathFactory) -> RunSpec:
    """Two robots of each share of the intelligence, and two without shooter, beeper, bumpers, border and sonars."""
    folder = tmp_path_factory.mktemp("field")
    whole = find_file("game_infantry", [".robot"]).read_text()
    (folder / "brief.robot").write_text(whole.replace("type        intelligence", "type intelligence\nshare commands"))
    parts = whole.split("[DEVICE_")
    lone = [
        parts[0],
        *(
            part
            for part in parts[1:]
            if any(f"type        {kind}\n" in part for kind in ("differential_drive", "pose"))
        ),
    ]
    (folder / "alone.robot").write_text("[DEVICE_".join(lone) + "[DEVICE_3]\ntype intelligence\nname intelligence\n")
    places = ("-2 0 0", "0 0 0", "2 0 0", "3 3 0")
    robots = [ROBOT.format(number=k + 1, kind=kind, place=places[k]) for k, kind in enumerate(TYPES)]
    (folder / "field.scenario").write_text(FIELD + "\n".join(robots))
    return load(folder / "field.scenario")


def play(simulation: Simulation, ticks: int) -> list[bytes]:
    """Return the hashes of ticks in which robots go, shoot, beep, touch each other and meet water and border."""
    hashes = []
    noise = np.random.default_rng(5)
    for tick in range(ticks):
        if tick % 200 == 0:
            for number, robot in enumerate(simulation.layout.robots):
                x, y = simulation.reading(robot.name, "pose")[:2] + noise.uniform(-0.6, 0.6, 2)
                steps = [GO_TO, x, y, BEEP, 0.0, 0.0, SHOOT, (number + 3) % 8, 0.0, GO_TO, y, x]
                simulation.command(
                    robot.name, "intelligence", SEQUENCE if tick % 400 else GO_TO, steps if tick % 400 else (x, y)
                )
                if robot.type.module("shooter") is not None:
                    simulation.command(robot.name, "shooter", 10, (float((number + 2) % 8),))
        simulation.tick()
        hashes.append(simulation.state_hash())
    return hashes


def test_a_compiled_tick_of_game_robots_has_the_bits_of_one_in_python(field: RunSpec) -> None:
    compiled, plain = Simulation(field), Simulation(field)
    plain.compiles = False
    assert play(compiled, 900) == play(plain, 900)
    assert compiled._compiled is not None
    assert plain._compiled is None
    assert np.array_equal(compiled.readings, plain.readings)
    readings = [compiled.reading(robot.name, "intelligence") for robot in compiled.layout.robots]
    assert max(reading[2] for reading in readings) > 0.0
    assert any(
        compiled.reading(robot.name, "shooter")[0] for robot in compiled.layout.robots if robot.type.module("shooter")
    )


def test_without_calls_by_address_robots_decide_the_same(field: RunSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = play(Simulation(field), 300)
    monkeypatch.setattr(intelligence.KernelSequence, "of", lambda _: None)
    assert play(Simulation(field), 300) == expected


def test_another_step_is_another_time_for_the_intelligence(field: RunSpec) -> None:
    stuck = []
    for step in (0.01, 0.02):
        simulation = Simulation(field)
        simulation.tick()
        apply(simulation, SetStep(step))
        robot = simulation.layout.robots[0].name
        simulation.command(robot, "intelligence", GO_TO, (-2.0, 0.0))
        for _ in range(5):
            simulation.tick()
        stuck.append(simulation.reading(robot, "intelligence")[5])
    assert stuck[0] > 0.0
    assert stuck[1] == pytest.approx(2.0 * stuck[0])
