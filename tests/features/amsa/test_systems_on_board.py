"""Systems of components as on-board programs: in the tick, in snapshots and hashes, and where leaves fail."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from system_scenes import (
    ALONE,
    FOLLOWING,
    LEADER,
    PLAIN,
    ROVER,
    STRANGE,
    STRANGE_MODEL,
    data,
    run,
    simulation,
)

from coopsim import plugins
from coopsim.devices.noise import noise_key
from coopsim.errors import BadFile
from coopsim.features.amsa.components import System, load_system
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.simulation.snapshot import checkpoint, restore, snapshot
from coopsim.state.edits import Remove, SetParameter


@pytest.fixture
def strange(tmp_path: Path) -> Iterator[str]:
    plugin = tmp_path / "strange.py"
    plugin.write_text(STRANGE, encoding="utf-8")
    (tmp_path / "strange.amsa").write_text(STRANGE_MODEL, encoding="utf-8")
    plugins.add(plugin)
    yield f"{ROVER}\n[SYSTEM_1]\nfile strange\nrobots rover\n"
    plugins.forget(plugin)


def test_the_follower_is_a_robot_that_keeps_its_distance(tmp_path: Path) -> None:
    sim = simulation(tmp_path, ROVER + LEADER + FOLLOWING)
    run(sim, 2500)
    poses = {name: sim.engine.planar[row] for row, name in enumerate(sim.engine.names)}
    assert poses["leader"][0] > 10.0
    assert poses["leader"][0] - poses["rover"][0] == pytest.approx(1.693, abs=0.02)
    assert data(sim, "posXLeader") == pytest.approx(10.0 * poses["leader"][0], abs=0.1)


def test_a_system_in_a_run_does_what_it_does_by_itself(tmp_path: Path) -> None:
    sim = simulation(tmp_path, ROVER + ALONE + "scenario scenario2\n")
    free = System(load_system("challenge"), seed=int(noise_key(0, "rover", "system")))
    free.initialize()
    for leaf, name, value in (
        ("MyNormalizePower", "motorCoef", 60),
        ("LeaderGPS", "lostDataGPS", 10),
        ("Leader", "behavior", 4),
        ("MyFollowerController", "Kv", 0.35),
    ):
        free.set_parameter(leaf, name, value)
    run(sim, 1234)
    free.run_until(12.34)
    assert {name: data(sim, name) for name in free.values()} == free.values()


def test_leaves_go_on_from_a_snapshot_as_if_nothing_had_been(tmp_path: Path) -> None:
    text = ROVER + LEADER + FOLLOWING + "scenario scenario2\n"
    sim = simulation(tmp_path, text)
    run(sim, 333)
    taken = snapshot(sim)
    checkpoint(sim)
    run(sim, 400)
    restored = simulation(tmp_path, text)
    restore(restored, taken)
    run(restored, 400)
    assert restored.state_hash() == sim.state_hash()
    assert data(restored, "posXLeader") == data(sim, "posXLeader")


def test_the_seed_decides_and_memory_is_hashed(tmp_path: Path) -> None:
    hashes = []
    for seed in (1, 1, 2):
        sim = simulation(tmp_path, ROVER + ALONE + "scenario scenario2\n", seed)
        run(sim, 120)
        hashes.append(sim.state_hash())
    assert hashes[0] == hashes[1] != hashes[2]


def test_a_reset_of_the_scenario_puts_rovers_back_and_keeps_parameters(tmp_path: Path) -> None:
    (tmp_path / "twice.amsascenario").write_text(
        "Scenario twice { ParamEvent at 0 on scenarioNode { scenarioNode.Kv = 0.3; } "
        "ParamEvent at 3 on scenarioNode { reset(); scenarioNode.Kw = 0.01; } }"
    )
    sim = simulation(tmp_path, ROVER + LEADER + FOLLOWING + "scenario twice\n")
    run(sim, 300)
    assert data(sim, "posXFollower") > 5.0
    run(sim, 1)
    assert abs(data(sim, "posXFollower")) < 0.2
    assert sim.time == pytest.approx(3.01)
    controller = sim.tables.block_of("rover").devices["MyFollowerController"]  # type: ignore[union-attr]
    assert [float(controller.parameters[name][0]) for name in ("Kv", "Kw")] == [0.3, 0.01]


def test_a_robot_that_goes_leaves_data_as_they_are_and_systems_go_on(tmp_path: Path) -> None:
    sim = simulation(tmp_path, ROVER + LEADER + FOLLOWING)
    run(sim, 500)
    apply(sim, Remove("leader"))
    before = data(sim, "posXLeader")
    run(sim, 500)
    assert not sim.failures.news
    assert data(sim, "posXLeader") == before
    assert data(sim, "posXFollower") > before - 18.0


def test_leaves_that_fail_are_switched_off_and_said_once(tmp_path: Path, strange: str) -> None:
    events = "[EVENT_1]\nat 0.1\nset rover.counter.fails 20\n"
    sim = simulation(tmp_path, strange + events)
    run(sim, 60)
    assert data(sim, "counted") == 19.0
    messages = [f"{news.module}: {news.text}" for news in sim.failures.news]
    assert sum("rover.counter" in message for message in messages) == 1
    assert any("no more" in message and "counter is switched off" in message for message in messages)
    assert not list(sim.failures)
    assert sim.reading("rover", "counter")[-1] == 0.0
    assert sim.reading("rover", "seen")[-1] == 1.0


def test_nan_switches_a_leaf_off_and_a_snapshot_keeps_that(tmp_path: Path, strange: str) -> None:
    sim = simulation(tmp_path, strange)
    apply(sim, SetParameter("rover", "counter", "odd", 5))
    run(sim, 10)
    assert data(sim, "counted") == 4.0
    restored = simulation(tmp_path, strange)
    restore(restored, snapshot(sim))
    run(restored, 10)
    assert data(restored, "counted") == 4.0
    assert not [news for news in restored.failures.news if "counter" in news.module]


def test_a_leaf_that_takes_longer_than_its_period_is_switched_off(tmp_path: Path, strange: str) -> None:
    sim = simulation(tmp_path, strange)
    run(sim, 5)
    assert any(news.module == "rover.slow" and "its period is 1 ms" in news.text for news in sim.failures.news)
    assert sim.reading("rover", "slow")[-1] == 0.0


def test_state_that_cannot_be_stored_is_said(tmp_path: Path, strange: str) -> None:
    sim = simulation(tmp_path, strange)
    run(sim, 3)
    said = [news.text for news in sim.failures.news if news.module == "rover.keeper"]
    assert len(said) == 1
    assert "kept (dict)" in said[0]


def test_truth_values_reach_a_leaf_as_such(tmp_path: Path, strange: str) -> None:
    sim = simulation(tmp_path, strange)
    apply(sim, SetParameter("rover", "seen", "flag", 1))
    run(sim, 5)
    assert data(sim, "noticed") == 1.0


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("file nothing\nrobots rover", "2:6: "),
        ("file challenge\nrobots rower", "no robot 'rower' (rower → rover?)"),
        ("robots rover", "needs the key 'file'"),
        ("file challenge\nrobots rover\ninput posXLeder gps.x", "no data 'posXLeder' (posXLeder → posXLeader?)"),
        ("file challenge\nrobots rover\ninput posXLeader gsp.x", "rover has no module 'gsp' (gsp → gps?)"),
        ("file challenge\nrobots rover\ninput posXLeader gps.w", "gps has no reading 'w'"),
        ("file challenge\nrobots rover\ninput posXLeader", "input takes DATA PATH [FACTOR]"),
        ("file challenge\nrobots rover\ninput posXLeader boss.gps.x", "no robot 'boss'"),
        ("file challenge\nrobots rover\noutput motors.set_velocity PowerLeft", "takes 2 values (v, w), got 1"),
        ("file challenge\nrobots rover\noutput motors.state PowerLeft PowerRight", "no command that is set 'state'"),
        ("file challenge\nrobots rover plain\ninput posXLeader gps.x", "plain has no module 'gps'"),
        ("file challenge\nrobots rover\nscenario scenaro1", "scenario1?"),
        ("file challenge\nrobots rover rover\nspeed 3", "knows no key 'speed'"),
    ],
)
def test_mistakes_of_a_section_are_told_with_their_place(tmp_path: Path, lines: str, expected: str) -> None:
    path = tmp_path / "scene.scenario"
    path.write_text(f"[SYSTEM_1]\n{lines}\n{ROVER}{PLAIN}", encoding="utf-8")
    with pytest.raises(BadFile) as problem:
        load(path)
    assert expected in str(problem.value)
    assert "scene.scenario:" in str(problem.value)


def test_two_systems_on_one_robot_are_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="rover has a module 'system' already"):
        simulation(tmp_path, ROVER + ALONE + ALONE.replace("SYSTEM_1", "SYSTEM_2"))


def test_a_hundred_systems_have_one_table(tmp_path: Path) -> None:
    crowd = "[ROBOT_1]\ntype rover\nname rover\ngrid 10x10 2\n"
    sim: Simulation = simulation(tmp_path, crowd + "\n[SYSTEM_1]\nfile challenge\nrobots rover*\n")
    run(sim, 30)
    assert [block.blueprint.name for block in sim.tables.blocks] == ["rover+challenge"]
    assert len({sim.reading(f"rover{n}", "data/posXLeader")[0] for n in range(1, 101)}) == 1
