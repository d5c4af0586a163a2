"""Another scene takes the place of everything while the simulation runs."""

from pathlib import Path

import msgpack
import pytest
from simulation_scenes import make_spec

from coopsim.errors import BadArgument, BadFile, EngineCannot
from coopsim.features.proof.verify import verify
from coopsim.recording import Recording
from coopsim.replay.run_json import RUN, spec_of, spec_to_json
from coopsim.robots import RunSpec
from coopsim.robots.plain import from_plain, to_plain
from coopsim.scene import Event
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.simulation.snapshot import restore, snapshot
from coopsim.state.edits import Describe, Edit, Insert, Load, Remove, Reset, Restore, TakeSnapshot, Update
from coopsim.testkit.recorded_run import RecordedRun

CRATE = "[OBJECT_1]\ntype box\nname box7\nsize 0.5 0.5 0.5\nposition -1 0 0\nmass 3\n"


def load(spec: RunSpec, file: str = "other.scenario") -> Edit:
    """Return the edit, as it comes out of a message or a recording."""
    edit = Load(file, to_plain(spec), {file: "[ROBOT_1]\n"})
    return Edit.from_plain(msgpack.unpackb(msgpack.packb(edit.to_plain())))


@pytest.fixture
def other() -> RunSpec:
    return make_spec(3, events=(Event(0.05, (("robot3.sonars.reach", "1.5"),)),))


def test_a_loaded_scene_takes_the_place_of_the_old_one(spec: RunSpec, other: RunSpec) -> None:
    simulation = Simulation(spec)
    for _ in range(10):
        simulation.tick()
    done = apply(simulation, load(other))
    assert done.params == ("other.scenario",)
    assert set(simulation.layout.robot) == {"robot1", "robot2", "robot3"}
    assert (simulation.tick_count, simulation.time_ns, simulation.resets) == (10, 0, 1)
    assert simulation.scene.names == Simulation(other).scene.names


def test_the_events_of_a_loaded_scene_begin_at_time_0(spec: RunSpec, other: RunSpec) -> None:
    simulation = Simulation(spec)
    for _ in range(20):
        simulation.tick()
    apply(simulation, load(other))
    for _ in range(5):
        simulation.tick()
    assert simulation.reading("robot3", "sonars").max() == 3.0
    simulation.tick()
    assert simulation.reading("robot3", "sonars").max() == 1.5


def test_a_reset_goes_back_to_what_was_loaded_last(spec: RunSpec, other: RunSpec) -> None:
    simulation = Simulation(spec)
    apply(simulation, load(other))
    apply(simulation, Remove("robot3"))
    apply(simulation, Reset())
    assert "robot3" in simulation.layout.robot


def test_what_cannot_be_loaded_leaves_everything_as_it_was(spec: RunSpec, other: RunSpec) -> None:
    simulation = Simulation(spec)
    for _ in range(5):
        simulation.tick()
    before, layout = simulation.state_hash(), simulation.layout
    simulation.command_limit = 10
    with pytest.raises(BadArgument, match="max-robots"):
        apply(simulation, load(other))
    simulation.command_limit = 1 << 20
    with pytest.raises(BadFile, match="expected a run to load, got str"):
        apply(simulation, Load("x", "pickled", {}))
    assert (simulation.state_hash(), simulation.layout, simulation.time) == (before, layout, pytest.approx(0.05))
    simulation.tick()


def test_an_engine_that_cannot_hold_the_scene_goes_on_with_the_old_one(
    spec: RunSpec, other: RunSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulation = Simulation(spec)
    kind = type(simulation.engine)

    def fail(*_: object, **__: object) -> None:
        raise EngineCannot("too much")

    before = simulation.state_hash()
    with monkeypatch.context() as patch:
        patch.setattr(kind, "__init__", fail)
        with pytest.raises(EngineCannot):
            apply(simulation, load(other))
    assert simulation.state_hash() == before
    simulation.tick()
    apply(simulation, Reset())
    assert set(simulation.layout.robot) == {"robot1", "robot2"}


def test_a_snapshot_knows_which_scene_it_is_of(spec: RunSpec, other: RunSpec) -> None:
    simulation = Simulation(spec)
    apply(simulation, TakeSnapshot("first"))
    apply(simulation, load(other))
    simulation.tick()
    taken = snapshot(simulation)
    again = Simulation(spec)
    restore(again, taken)
    assert again.state_hash() == simulation.state_hash()
    apply(again, Reset())
    assert "robot3" in again.layout.robot
    apply(simulation, Restore("first"))
    apply(simulation, Reset())
    assert "robot3" not in simulation.layout.robot


def test_the_source_says_who_is_there(spec: RunSpec) -> None:
    simulation = Simulation(spec)
    apply(simulation, Insert(CRATE))
    apply(simulation, Update("robot1", "color red"))
    content = from_plain(msgpack.unpackb(apply(simulation, Describe()).content))
    scene = simulation.scene
    assert content["floor"] == scene.floor
    assert content["objects"] == tuple(scene.objects.values())
    assert content["robots"] == tuple(scene.robots.values())
    assert content["targets"] == tuple(scene.targets.values())


def test_a_recording_with_a_load_in_it_is_verified_by_itself_c_74(
    spec: RunSpec, other: RunSpec, tmp_path: Path
) -> None:
    file = tmp_path / "run.mcap"
    with RecordedRun(Simulation(spec), file, attachments={RUN: spec_to_json(spec)}) as run:
        run.simulation.command("robot1", "motors", 10, (0.3, 0.1))
        run.tick(30)
        run.edit(load(other))
        run.tick(30)
        run.edit(Reset())
        run.tick(120)
    with Recording.open(file) as recording:
        (edit,) = [edit for group in recording.edits() for edit in group.edits if isinstance(edit.edit, Load)]
        assert edit.edit.files == {"other.scenario": "[ROBOT_1]\n"}
        verdict = verify(recording, spec_of(recording))
    assert (verdict.identical, verdict.ticks) == (True, 180)
