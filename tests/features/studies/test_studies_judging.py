"""A run is judged alike while it goes on and afterwards."""

from functools import partial
from pathlib import Path

import pytest

from coopsim.features.laws import formation
from coopsim.inprocess import DirectSource, LocalServer
from coopsim.metrics import Pieces, RunArrays
from coopsim.recording import Recording, Writer
from coopsim.replay.judging import RunJudge, formations_of, judged_recording
from coopsim.robots import RunSpec, load
from coopsim.simulation import Simulation
from coopsim.state import Record

SCENE = """\
[WORLD]
file arena
[TARGET]
red -0.6 0 0
[ROBOT_1]
type single
name robot1
position -2 0 0
[ROBOT_2]
type single
name robot2
position -2.7 0.4 0
[CONTROLLER_1]
run formation
robots robot1 robot2
shape line
spacing 0.9
[GOAL_1]
name there
robots robot1
reach red 0.8
within 20
[GOAL_2]
keep formation 0.5
until there
[GOAL_3]
avoid clearance 0.05
"""


def scene(tmp_path: Path) -> RunSpec:
    path = tmp_path / "a.scenario"
    path.write_text(SCENE)
    return load(path)


def test_the_places_of_a_formation_are_those_of_its_control_law(tmp_path: Path) -> None:
    (formation,) = formations_of(scene(tmp_path))
    assert formation.robots == ("robot1", "robot2")
    assert formation.places.tolist() == [[0.0, 0.0], [0.0, 0.9]]


def test_a_recording_is_judged_as_the_run_was_however_long_it_went_on(tmp_path: Path) -> None:
    spec = scene(tmp_path)
    judge, simulation, path = RunJudge(spec), Simulation(spec), tmp_path / "a.mcap"
    with Writer(path) as writer:
        writer.layout(simulation.layout)

        def published(record: Record) -> None:
            judge.add(simulation.layout, record)
            writer.write(record)

        server = LocalServer(simulation, duration=12.0, published=published, wait_for=("robot1", "robot2"))
        server.run(partial(formation.main, ["--robots", "robot1", "robot2", "--shape", "line", "--spacing", "0.9"]))
    assert judge.is_over
    verdict = judge.verdict()
    with Recording.open(path) as recording:
        again = judged_recording(recording, spec, spec.scenario.goals)
    assert again.to_json() == verdict.to_json()
    assert [goal.met for goal in verdict.goals] == [True, True, True]
    assert verdict.metrics["time"] == verdict.goals[0].at
    assert "goal there: reached after" in verdict.text


def test_what_waits_is_judged_while_a_run_goes_on_only_when_its_goals_may_be_decided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[int] = []
    rest = Pieces.rest

    def counted(pieces: Pieces) -> RunArrays:
        looks.append(len(rest(pieces).times))
        return rest(pieces)

    monkeypatch.setattr(Pieces, "rest", counted)
    spec = scene(tmp_path)
    judge, simulation = RunJudge(spec), Simulation(spec)
    source = DirectSource(simulation, published=lambda record: judge.add(simulation.layout, record))
    for _ in range(300):
        source.grant_tick()
        source.work()
    assert (looks, judge.is_over) == ([], False)
    assert judge.verdict().goals[0].met is False
    assert looks == [301]
