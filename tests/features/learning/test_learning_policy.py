"""Policies: learnt in a batch, written as ONNX, and run over the network with the same states."""

import json
from pathlib import Path

import numpy as np
import onnx
import pytest

from coopsim.errors import BadFile, NoSuchFile
from coopsim.features.learning.batch import LearningBatch
from coopsim.features.learning.encoding import Acting, Observed
from coopsim.features.learning.evolving import Evolution
from coopsim.features.learning.policy import drive_by
from coopsim.features.learning.policy_file import Policy, PolicyFacts, save_policy
from coopsim.features.learning.tasks import task_of
from coopsim.inprocess import LocalServer
from coopsim.robots import load
from coopsim.simulation import Simulation

STEPS = 20


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    task = task_of("crossing")
    task.limit = 20  # type: ignore[misc]  # of this object alone
    evolution = Evolution(task, population=8, episodes=1)
    for _ in range(2):
        evolution.advance()
    path = tmp_path_factory.mktemp("policy") / "policy.onnx"
    evolution.save(path)
    evolution.close()
    return path


def driven_batch(file: Path) -> LearningBatch:
    """Return a world that a policy has driven for some steps."""
    batch, policy = LearningBatch(task_of("crossing"), 1, seed=5, resets=False), Policy(file)
    observations = batch.observe()
    for _ in range(STEPS):
        observations = batch.step(policy(observations)).observations
    return batch


def test_a_policy_drives_through_a_server_as_in_the_batch(file: Path) -> None:
    batch = driven_batch(file)
    simulation = Simulation(batch.worlds.spec(0))
    duration = STEPS * batch.task.every * batch.worlds.dt
    (code,) = LocalServer(simulation, duration=duration).run(lambda: drive_by(str(file), batch.robots, None))
    assert code == 0
    assert simulation.state_hash() == batch.worlds.state_hash(0)
    batch.close()


def test_a_policy_refuses_robots_without_its_modules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    facts = PolicyFacts("Own", (Observed("gps"),), Acting(), 0.1, 3)
    save_policy(tmp_path / "own.onnx", facts, [(np.zeros((3, 2)), np.zeros(2))])
    server = LocalServer(Simulation(load("formation")), duration=1.0)
    assert server.run(lambda: drive_by(str(tmp_path / "own.onnx"), ("robot1",), None)) == [1]
    assert "has no gps" in capsys.readouterr().err


def test_a_policy_file_keeps_its_facts(tmp_path: Path) -> None:
    facts = PolicyFacts("Own", (Observed("sonars", scale=2.0),), Acting(low=(0.0,), high=(1.0,)), 0.1, 3)
    weights = np.arange(3.0).reshape(3, 1) / 4.0
    save_policy(tmp_path / "own.onnx", facts, [(weights, np.zeros(1))])
    policy = Policy(tmp_path / "own.onnx")
    assert policy.facts == facts
    assert np.allclose(policy(np.ones((2, 4, 3), np.float32)), np.tanh(0.75))


def test_what_is_no_policy_is_refused(file: Path, tmp_path: Path) -> None:
    with pytest.raises(NoSuchFile, match="no such policy") as refused:
        Policy(tmp_path / "none.onnx")
    assert "coopsim policy train" in refused.value.cure  # not the cure of a scene
    (tmp_path / "text.onnx").write_text("hello")
    with pytest.raises(BadFile, match="expected a network as ONNX"):
        Policy(tmp_path / "text.onnx")
    for said, text in (("{}", "damaged"), ("", "does not say which task"), ('{"version": 99}', "got 99")):
        model = onnx.load(str(file))
        onnx.helper.set_model_props(model, {"coopsim.policy": said})
        onnx.save(model, str(tmp_path / "other.onnx"))
        with pytest.raises(BadFile, match=text):
            Policy(tmp_path / "other.onnx")
    model = onnx.load(str(file))
    facts = json.loads({entry.key: entry.value for entry in model.metadata_props}["coopsim.policy"])
    onnx.helper.set_model_props(model, {"coopsim.policy": json.dumps({**facts, "width": 3})})
    onnx.save(model, str(tmp_path / "other.onnx"))
    with pytest.raises(BadFile, match="its task gives 3"):
        Policy(tmp_path / "other.onnx")
