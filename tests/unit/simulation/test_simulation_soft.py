"""Cloths and soft bodies, from text and message to file and proof (SwarmSimX, S-75)."""

from pathlib import Path

import pytest
from simulation_scenes import make_spec

from coopsim.errors import BadFile, EngineCannot
from coopsim.features.proof.verify import verify
from coopsim.inprocess import connect
from coopsim.recording import Recording
from coopsim.replay.run_json import RUN, spec_to_json
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.simulation.snapshot import restore, snapshot
from coopsim.state.edits import Insert, Remove, Reset, SetEngine, SetStep, Update
from coopsim.testkit.recorded_run import RecordedRun

WORLD = "[CLOTH_1]\nname sheet\nposition 0 0 0.8\nsize 0.6 0.4\norientation 0 90 0\nnodes 5 4\npins 1 1 1 4\n"
BALL = "[SOFT_1]\nname ball\ntype sphere\nposition 1 0 0\nsize 0.4 0.4 0.4\nnodes 3 3 3\ndamping 0.001\n"
SCENE = "[WORLD]\nfile soft.world\n[ROBOT_1]\ntype single\nname rover\nposition -1 0 0\n[SIMULATION]\nengine {}\n"


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    (tmp_path / "soft.world").write_text(WORLD)
    (tmp_path / "soft.scenario").write_text(SCENE.format("mujoco"))
    return tmp_path / "soft.scenario"


def position_of(simulation: Simulation, name: str) -> list[float]:
    position: list[float] = simulation.engine.poses[list(simulation.engine.names).index(name), :3].tolist()
    return position


def ticks(simulation: Simulation, count: int) -> None:
    for _ in range(count):
        simulation.tick()


def test_a_robot_pushes_a_hanging_cloth_aside_and_a_soft_ball_away(scene: Path) -> None:
    (scene.parent / "soft.world").write_text(WORLD.replace("position 0 0 0.8", "position 0 0 0.55") + BALL)
    simulation = Simulation(load(scene))
    ticks(simulation, 50)
    hanging, lying = position_of(simulation, "sheet_5_2"), position_of(simulation, "ball_2_2_2")
    simulation.command("rover", "motors", 10, (0.5, 0.0))
    ticks(simulation, 220)
    assert abs(hanging[0]) < 0.01
    assert position_of(simulation, "sheet_5_2")[0] > 0.05
    simulation.command("rover", "motors", 10, (0.5, 0.0))
    ticks(simulation, 180)
    assert position_of(simulation, "ball_2_2_2")[0] > lying[0] + 0.1
    assert position_of(simulation, "sheet_1_1") == pytest.approx([0.0, -0.2, 0.83], abs=0.02)


def test_a_run_with_a_cloth_is_recorded_and_done_again_bit_by_bit(scene: Path, tmp_path: Path) -> None:
    simulation = Simulation(load(scene))
    spec = simulation.spec
    with RecordedRun(simulation, tmp_path / "a.mcap", attachments={RUN: spec_to_json(spec)}) as run:
        run.tick(30)
        run.edit(Insert(BALL))
        run.tick(20)
        run.edit(Update("ball_1_1_1", "color red\n"))
        run.edit(Remove("sheet_5_1"))
        run.tick(20)
        run.edit(Reset("poses"))
        run.tick(20)

    with Recording.open(tmp_path / "a.mcap") as recording:
        rows = recording.layout(recording.generations[0]).entity
        assert (rows["sheet_2_3"].whole, rows["sheet_2_3"].cell) == ("sheet", (2, 3))
        verdict = verify(recording, spec)
    assert (verdict.identical, verdict.ticks, verdict.breaks) == (True, 90, ())


def test_a_snapshot_holds_it(scene: Path) -> None:
    simulation = Simulation(load(scene))
    apply(simulation, Insert(BALL))
    ticks(simulation, 30)
    again = Simulation(load(scene))
    restore(again, snapshot(simulation))
    restore(simulation, snapshot(simulation))
    for sim in (simulation, again):
        ticks(sim, 30)
    assert again.state_hash() == simulation.state_hash()
    assert again.scene.objects["ball_2_2_2"].soft is not None


def test_what_a_message_inserts_is_saved_and_read_as_the_same(scene: Path, tmp_path: Path) -> None:
    simulation = Simulation(load(scene))
    with connect(simulation) as sim:
        sim.world.insert(BALL)
        rows = {row.name: row for row in sim.scene().entities}
        assert (rows["ball_1_2_3"].whole, rows["ball_1_2_3"].cell) == ("ball", (1, 2, 3))
        assert (rows["rover"].whole, rows["rover"].cell) == ("", ())
        sim.world.save(str(tmp_path / "saved.scenario"))
        assert "soft" in sim.world.section("ball_1_1_1").text
    saved = load(tmp_path / "saved.scenario")
    assert {thing.name: thing for thing in saved.scenario.world.objects} == simulation.scene.objects
    text = (tmp_path / "saved.world").read_text()
    assert "soft        ball 1 1 1 " in text


def test_what_is_too_stiff_is_refused_and_nothing_has_changed(scene: Path) -> None:
    simulation = Simulation(load(scene))
    before = simulation.state_hash()
    with pytest.raises(EngineCannot, match=r"^message:1:1: 'ball' is too stiff for a step of 10 ms"):
        apply(simulation, Insert(BALL + "young 1e8\n"))
    with pytest.raises(BadFile, match=r"message:8:7: young must lie within 1 and 1e\+09 Pa, got -1"):
        apply(simulation, Insert(BALL + "young -1\n"))
    with pytest.raises(EngineCannot, match="has another material than the other nodes"):
        apply(simulation, Update("sheet_1_1", "soft sheet 1 1 1 -0.3 -0.2 0 1 0 0 0.1 0"))
    assert simulation.state_hash() == before
    assert "ball_1_1_1" not in simulation.scene.objects
    apply(simulation, Insert(BALL))
    with pytest.raises(EngineCannot, match=r"message:1:1: 'ball' is too stiff for a step of 50 ms"):
        apply(simulation, SetStep(0.05))
    ticks(simulation, 5)


@pytest.mark.parametrize("engine", ["pymunk", "kinematic", "flight"])
def test_engines_without_them_refuse_by_the_place(scene: Path, engine: str) -> None:
    with pytest.raises(EngineCannot, match=rf"soft\.world:1:1: the {engine} engine (cannot hold|has no joints)"):
        Simulation(load(scene), engine=engine)
    simulation = Simulation(load(scene))
    with pytest.raises(EngineCannot, match="sheet"):
        apply(simulation, SetEngine(engine))
    assert simulation.engine_name == "mujoco"
    refusing = Simulation(make_spec(1), engine=engine)
    with pytest.raises(EngineCannot, match=r"^message:1:1: "):
        apply(refusing, Insert(BALL))
    assert list(refusing.scene.objects) == list(Simulation(make_spec(1)).scene.objects)
