"""Leaves of a system drive robots from outside: the same as on board, and as the system by itself."""

import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from system_scenes import FOLLOWING, LEADER, ROVER

from coopsim.features.amsa.components import System, load_system
from coopsim.features.amsa.components.files import BUILT_IN
from coopsim.features.amsa.laws import components
from coopsim.features.studies.job import run_task
from coopsim.features.studies.study import StudyOptions, plan
from coopsim.inprocess import LocalServer
from coopsim.launch.controllers import arguments_of
from coopsim.robots import check, load
from coopsim.simulation import Simulation

ROOT = Path(__file__).parents[3]
COARSE = "\n[SIMULATION]\nstep 0.05\n"
SYSTEM = ["--robots", "rover", "leader", "--system", "challenge_physics"]
PLACES = "posXLeader leader.gps.x 10, posYLeader leader.gps.y 10, posXFollower gps.x 10, posYFollower gps.y 10"
INPUTS = ["--input", *f"{PLACES}, followerheading compass.heading".split()]
FOLLOWS = "motors.set_wheel_speeds normalizedPowerLeft normalizedPowerRight 0.015"
OUTPUTS = ["--output", *f"{FOLLOWS}, leader.motors.set_wheel_speeds leaderSpeedLeft leaderSpeedRight 0.1".split()]
WORN = ["--set", "MyNormalizePower.motorCoef=60,", "LeaderGPS.lostDataGPS=10"]
CONTROL = ["MyFollowerController", "MyNormalizePower"]
SENSED = ("gpsPosXLeader", "gpsPosYLeader", "gpsPosXfollower", "gpsPosYfollower", "followerheadingcompass")


def simulation(folder: Path, text: str) -> Simulation:
    path = folder / "scene.scenario"
    path.write_text(text, encoding="utf-8")
    return Simulation(load(path))


def law(made: Simulation, seconds: float, *arguments: str) -> None:
    server = LocalServer(made, duration=seconds)
    assert server.run(partial(components.main, [*SYSTEM, *arguments])) == [0]


def distance(made: Simulation) -> float:
    poses = {name: made.engine.planar[row] for row, name in enumerate(made.engine.names)}
    return 10.0 * float(abs(complex(*(poses["leader"] - poses["rover"])[:2])))


def test_three_ways_to_run_the_challenge_agree(tmp_path: Path) -> None:
    free = System(load_system("challenge"))
    free.initialize()
    for leaf, name, value in (("MyNormalizePower", "motorCoef", 60), ("LeaderGPS", "lostDataGPS", 10)):
        free.set_parameter(leaf, name, value)
    farthest = 0.0
    for instant in range(590, 601):
        free.run_until(instant / 10)
        farthest = max(farthest, float(free.value("distanceFollowerLeader")))

    settings = "\n[EVENT_1]\nat 0\nset rover.MyNormalizePower.motorCoef 60\nset rover.LeaderGPS.lostDataGPS 10\n"
    on_board = simulation(tmp_path, ROVER + LEADER + FOLLOWING + COARSE + settings)
    for _ in range(1200):
        on_board.tick()

    outside = simulation(tmp_path, ROVER + LEADER + COARSE)
    law(outside, 60.0, *INPUTS, *OUTPUTS, *WORN)
    measured = float(on_board.reading("rover", "data/distanceFollowerLeader")[0])
    # by itself the follower moves at 4 Hz, so the distance swings between its steps: the control law sees the largest
    assert measured == pytest.approx(farthest, abs=0.3)
    assert distance(outside) == pytest.approx(distance(on_board), abs=0.3)


def test_the_control_law_alone_takes_the_place_of_leaves_on_board(tmp_path: Path) -> None:
    sim = simulation(tmp_path, ROVER + LEADER + FOLLOWING + COARSE)
    alone = simulation(tmp_path, ROVER + LEADER + FOLLOWING + COARSE)
    inputs = ", ".join(f"{name} data/{name}.value" for name in (*SENSED, "distanceFollowerLeader"))
    outputs = ", ".join(f"data/{name}.write {name}" for name in ("normalizedPowerLeft", "normalizedPowerRight"))
    law(sim, 30.0, "--leaf", *CONTROL, "--input", *inputs.split(), "--output", *outputs.split())
    for _ in range(600):
        alone.tick()
    assert sim.reading("rover", "MyNormalizePower")[-1] == 0.0  # it rests on board
    assert distance(sim) == pytest.approx(distance(alone), abs=0.3)
    assert distance(sim) > 15.5


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--leaf", "Folower"], "no component 'Folower'"),
        (["--leaf", *CONTROL], "MyFollowerController reads gpsPosXLeader, which no leaf here writes"),
        (["--input", "posXLeader", "gps.nothing"], "/rover/gps has no reading 'nothing'; it has: x, y"),
        (["--output", "other.motors.stop", "PowerLeft"], "other.motors.stop commands other, which is not among"),
        (["--input", "posXLeader"], "input: expected DATA PATH [FACTOR], got 'posXLeader'"),
        (["--set", "Kv"], "expected LEAF.NAME=VALUE, got 'Kv'"),
    ],
)
def test_mistakes_of_a_command_line_are_said(
    tmp_path: Path, arguments: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    server = LocalServer(simulation(tmp_path, ROVER + LEADER + COARSE), duration=1.0)
    assert server.run(partial(components.main, [*SYSTEM, *arguments])) == [1]
    assert expected in capsys.readouterr().err


def test_a_system_without_an_output_says_that_it_drives_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A window starts it with the usual settings, which bind no data to a module."""
    law(simulation(tmp_path, ROVER + LEADER + COARSE), 1.0)
    (line,) = capsys.readouterr().err.splitlines()
    assert "drives nothing, so rover, leader will not move: give output, PATH DATA..." in line
    assert "normalizedPowerLeft" in line, "what can be bound is named"
    law(simulation(tmp_path, ROVER + LEADER + COARSE), 1.0, *INPUTS, *OUTPUTS)
    assert capsys.readouterr().err == ""


def page_scenario(folder: Path) -> Path:
    """Return the scenario of the page on components, as it stands there."""
    text = (ROOT / "docs/components.md").read_text(encoding="utf-8")
    path = folder / "outside.scenario"
    path.write_text(text.split("<!-- file: outside.scenario -->\n```scenario\n")[1].split("```")[0], encoding="utf-8")
    return path


def test_the_section_of_the_page_drives_both_robots(tmp_path: Path) -> None:
    options = StudyOptions(duration=20.0)
    study = plan(page_scenario(tmp_path), ["simulation.step=0.05"], options)
    row = run_task(study.job, study.tasks[0])
    assert "error" not in row
    assert row["metrics"]["path_length_mean"] > 8.0
    worn = replace(study.tasks[0], values={"simulation.step": "0.05", "components.set": "MyNormalizePower.motorCoef=0"})
    stopped = run_task(study.job, worn)["metrics"]
    assert stopped["path_length_mean"] < 0.7 * row["metrics"]["path_length_mean"]  # the leader alone drives


@pytest.mark.parametrize(
    ("old", "new", "place", "expected"),
    [
        ("leader.gps.x", "leadr.gps.x", "14:20", "no robot 'leadr' (leadr → leader?)"),
        ("followerheading compass", "folowerheading compass", "14:", "no data 'folowerheading'"),
        ("gps.x 10, posYFol", "gps.where 10, posYFol", "14:", "rover gps has no reading 'where'"),
        ("normalizedPowerRight 0.015", "0.015", "15:", "motors.set_wheel_speeds takes 2 values"),
        ("motorCoef=60", "motorCoef=600", "16:", "MyNormalizePower: motorCoef"),
        ("motorCoef=60", "motorCof=60", "16:", "motorCof → motorCoef?"),
        ("LeaderGPS.lostDataGPS=10", "LeadrGPS.lostDataGPS=10", "16:", "no component 'LeadrGPS' (LeadrGPS → LeaderGPS"),
        ("set     My", "leaf    MyNormalizer\nset     My", "16:", "no component 'MyNormalizer'"),
        ("challenge_physics", "chalenge_physics", "13:", "chalenge_physics → challenge_physics?"),
        ("robots  rover leader", "robots  rover", "15:", "commands leader, which is not among the robots"),
        ("inp", "inpt ", "14:", "knows no key 'inpt'"),
    ],
)
def test_mistakes_of_a_section_are_said_with_their_place(
    tmp_path: Path, old: str, new: str, place: str, expected: str
) -> None:
    path = page_scenario(tmp_path)
    text = path.read_text(encoding="utf-8")
    assert text.count(old)
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    lines = [str(problem) for problem in check(path)]
    assert any(f"outside.scenario:{place}" in line and expected in line for line in lines), lines


def test_a_model_of_a_section_lies_beside_its_scenario(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = page_scenario(tmp_path)
    shutil.copy(BUILT_IN / "challenge_physics.amsa", tmp_path / "own.amsa")
    shutil.copy(BUILT_IN / "challenge_physics.amsatemplate", tmp_path)
    shutil.copy(BUILT_IN / "challenge.amsatemplate", tmp_path)
    path.write_text(path.read_text(encoding="utf-8").replace("challenge_physics", "own.amsa"), encoding="utf-8")
    monkeypatch.chdir("/")
    (section,) = load(path).scenario.controllers
    words = arguments_of(section)
    assert words[words.index("--system") + 1] == str(tmp_path / "own.amsa")
