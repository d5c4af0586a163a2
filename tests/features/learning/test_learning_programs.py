"""Programs of `examples/learning`: they learn, write their files, and go on from these."""

import csv
import pickle
import runpy
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coopsim.features.learning.policy_file import Policy
from coopsim.features.learning.tasks import TargetTask

FOLDER = Path(__file__).parents[3] / "examples" / "learning"


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(TargetTask, "limit", 12)
    monkeypatch.chdir(tmp_path)


def program(name: str) -> dict[str, Any]:
    """Return the names of a program with few worlds and short updates."""
    names = runpy.run_path(str(FOLDER / f"{name}.py"))
    names["main"].__globals__.update(WORLDS=4, HORIZON=6, EVERY=1, SCORED=2)
    return names


def run(names: dict[str, Any], monkeypatch: pytest.MonkeyPatch, *words: str) -> None:
    monkeypatch.setattr(sys, "argv", ["program", *words])
    names["main"]()


def test_slopes_of_a_network_are_those_of_its_outputs() -> None:
    names = program("ppo")
    for is_value in (False, True):
        network = names["Network"]((3, 5, 2), np.random.default_rng(1), is_value=is_value)
        network.parameters[:] = [array.astype(np.float64) + 0.1 for array in network.parameters]
        inputs, weights = np.random.default_rng(2).normal(size=(4, 3)), np.array([1.0, -2.0])
        network(inputs)
        slopes = network.gradients(np.tile(weights, (4, 1)))
        for array, slope in zip(network.parameters, slopes, strict=True):
            place = (0,) * array.ndim
            array[place] += 1e-6
            above = (network(inputs) * weights).sum()
            array[place] -= 2e-6
            below = (network(inputs) * weights).sum()
            array[place] += 1e-6
            assert slope[place] == pytest.approx((above - below) / 2e-6, rel=1e-5)


def test_an_update_makes_actions_with_advantages_likelier() -> None:
    names = program("ppo")
    learner = names["Learner"]("target", 1)
    rng = np.random.default_rng(3)
    seen = rng.uniform(-1.0, 1.0, (64, 16)).astype(np.float32)
    actions = np.tile(np.array([[0.6, -0.6]], np.float32), (64, 1))
    first = learner.policy(seen).mean(axis=0)
    for _ in range(30):
        away = (actions - learner.policy(seen)) / np.float32(learner.std)
        density = -0.5 * (away**2).sum(axis=-1, keepdims=True)
        learner._learn(seen, actions, density, np.ones((64, 1), np.float32), np.ones((64, 1), np.float32))
    last = learner.policy(seen).mean(axis=0)
    assert last[0] > first[0] + 0.1
    assert last[1] < first[1] - 0.1
    assert learner.value(seen).mean() > 0.3
    learner.batch.close()


@pytest.mark.usefixtures("short")
def test_steps_become_shorter_and_actions_less_by_chance_towards_the_end_of_the_time() -> None:
    learner = program("ppo")["Learner"]("target", 1)
    rates = []
    for spent in (0.0, 0.5, 1.0):
        learner.update(spent)
        rates.append((learner.adams[0].rate, learner.adams[1].rate, learner.std))
    learner.batch.close()
    assert np.allclose(rates, [(1e-3, 1e-3, 0.5), (5.5e-4, 5.5e-4, 0.325), (1e-4, 1e-4, 0.15)])


@pytest.mark.usefixtures("short")
def test_ppo_writes_its_curve_and_policy_and_goes_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run(program("ppo"), monkeypatch, "target", "--updates", "2")
    state = dict(np.load(tmp_path / "target.npz"))
    assert state["updates"] == 2
    run(program("ppo"), monkeypatch, "target", "--updates", "1", "--resume")
    after = dict(np.load(tmp_path / "target.npz"))
    assert (after["updates"], after["steps"]) == (3, 3 * 32)
    assert not np.array_equal(after["array0"], state["array0"])
    with (tmp_path / "target.csv").open() as file:
        assert [row["update"] for row in csv.DictReader(file)] == ["1", "2", "3"]
    policy = Policy(tmp_path / "target.onnx")
    assert policy.facts.task == "Target"
    assert policy(np.zeros((1, policy.facts.width), np.float32)).shape == (1, 2)


@pytest.mark.usefixtures("short")
def test_evolution_goes_on_from_its_search(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    words = ("target", "--episodes", "1", "--generations")
    run(program("evolution"), monkeypatch, *words, "2")
    first = pickle.loads((tmp_path / "target.pickle").read_bytes())
    run(program("evolution"), monkeypatch, *words, "1", "--resume")
    search, generation, _, returned = pickle.loads((tmp_path / "target.pickle").read_bytes())
    assert (search.generation, generation) == (3, 3)
    assert returned >= first[3]
    with (tmp_path / "target.csv").open() as file:
        assert [row[0] for row in csv.reader(file)] == ["1", "2", "3"]
    assert Policy(tmp_path / "target.onnx").facts.task == "Target"
