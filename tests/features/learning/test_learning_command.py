"""`coopsim policy`, and the law `policy` of a scenario."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from coopsim import plugins
from coopsim.features.learning.command import policy
from coopsim.features.learning.encoding import Acting, Observed
from coopsim.features.learning.policy import main
from coopsim.features.learning.policy_file import Policy, PolicyFacts, save_policy
from coopsim.features.learning.tasks import TargetTask, task_of
from coopsim.inprocess import LocalServer
from coopsim.interfaces import FileParameter, WordsParameter
from coopsim.launch.controllers import arguments_of
from coopsim.robots import load
from coopsim.robots.registry import law_parameters
from coopsim.simulation import Simulation

SONARS, WIDTH = 11, 16


def ask(*words: str) -> Result:
    """Return what the command does."""
    return CliRunner().invoke(policy, words, standalone_mode=False)


def seeker(path: Path) -> Path:
    """Write a policy that turns towards its target and drives where that is ahead."""
    task = task_of("target")
    weights = np.zeros((WIDTH, 2))
    weights[SONARS + 1, 0], weights[SONARS + 2, 1] = 1.0, 2.0
    facts = PolicyFacts(task.name, tuple(task.observed), task.acting, 0.1, WIDTH)
    save_policy(path, facts, [(weights, np.zeros(2))])
    return path


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TargetTask, "limit", 40)


@pytest.mark.usefixtures("short")
def test_a_policy_is_trained_by_a_command(tmp_path: Path) -> None:
    path = tmp_path / "own.onnx"
    done = ask("train", "target", str(path), "--generations", "2")
    assert done.exit_code == 0, done.output
    assert "Target, 2 generations, best return" in done.output
    learnt = Policy(path)
    assert (learnt.facts.task, learnt.facts.width) == ("Target", WIDTH)


@pytest.mark.usefixtures("short")
def test_the_same_seed_trains_the_same_policy(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("a.onnx", "b.onnx", "c.onnx")]
    for path, seed in zip(files, ("3", "3", "4"), strict=True):
        ask("train", "target", str(path), "--generations", "1", "--seed", seed)
    first, second, with_another_seed = (path.read_bytes() for path in files)
    assert first == second != with_another_seed


def test_a_policy_that_heads_for_its_target_beats_chance(tmp_path: Path) -> None:
    done = ask("score", str(seeker(tmp_path / "seeker.onnx")), "--episodes", "20", "--json")
    scores = json.loads(done.stdout)
    assert list(scores) == ["policy", "law", "chance"]
    assert scores["policy"]["return"] > scores["chance"]["return"] + 1.0
    assert scores["policy"]["reached"] > scores["chance"]["reached"]


def test_scores_are_a_table_for_people(tmp_path: Path) -> None:
    lines = ask("score", str(seeker(tmp_path / "seeker.onnx")), "--episodes", "2").output.splitlines()
    assert lines[0].split() == ["driven", "by", "reached", "return"]
    assert [line.split()[0] for line in lines if line.split()[0] in ("policy", "law", "chance")] == [
        "policy",
        "law",
        "chance",
    ]


def test_robots_that_a_command_drives_come_to_their_target(tmp_path: Path) -> None:
    path, simulation = seeker(tmp_path / "seeker.onnx"), Simulation(load(TargetTask.scenario))

    target = np.array([3.0, 3.0])
    server = LocalServer(simulation, duration=4.0)
    before = float(np.hypot(*(target - simulation.engine.planar[0, :2])))
    codes = server.run(lambda: int(ask("run", str(path), "--robots", "robot1").return_value))
    assert codes == [0]
    assert float(np.hypot(*(target - simulation.engine.planar[0, :2]))) < before - 1.0


def test_a_file_that_is_no_policy_ends_the_law_with_its_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "text.onnx").write_text("hello")
    assert main(["--robots", "robot1", "--file", str(tmp_path / "text.onnx")]) == 1
    assert "expected a network as ONNX" in capsys.readouterr().err
    assert main(["--robots", "robot1", "--file", str(tmp_path / "none.onnx")]) == 1
    assert "none.onnx: no such policy" in capsys.readouterr().err


def test_a_policy_of_another_robot_is_refused_with_both_widths(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "other.onnx"
    facts = PolicyFacts("Own", (Observed("sonars"),), Acting(), 0.1, 5)
    save_policy(path, facts, [(np.zeros((5, 2)), np.zeros(2))])
    server = LocalServer(Simulation(load(TargetTask.scenario)), duration=1.0)
    assert server.run(lambda: main(["--robots", "robot1", "--file", str(path)])) == [1]
    assert f"with 5 numbers for each robot, and those here give {SONARS}" in capsys.readouterr().err


def test_policy_is_a_law_whose_file_lies_beside_the_scenario(tmp_path: Path) -> None:
    seeker(tmp_path / "own.onnx")
    text = Path(TargetTask.scenario).read_text(encoding="utf-8")
    section = "\n[CONTROLLER_1]\nrun policy\nrobots robot1\nfile own.onnx\nteam robot1 robot2\n"
    (tmp_path / "own.scenario").write_text(text + section, encoding="utf-8")
    (controller,) = load(tmp_path / "own.scenario").scenario.controllers
    assert "policy" in plugins.registered("controllers")
    assert [type(parameter) for parameter in law_parameters("policy") or ()] == [FileParameter, WordsParameter]
    arguments = arguments_of(controller)
    assert arguments == ["--robots", "robot1", "--file", str(tmp_path / "own.onnx"), "--team", "robot1", "robot2"]
