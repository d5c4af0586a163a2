"""Recordings of robots of several bodies, and of joints that come and go, are proved and played."""

from pathlib import Path

import pytest

from coopsim.features.proof.verify import verify
from coopsim.recording import Recording
from coopsim.replay.run_json import RUN, spec_of, spec_to_json
from coopsim.robots import RunSpec, load_type
from coopsim.scene import Object, RobotPlacement, Scenario, Settings, World
from coopsim.simulation import Simulation
from coopsim.state.edits import ClockReset, Insert, Remove, Restore, TakeSnapshot, Update
from coopsim.testkit.recorded_run import RecordedRun

BAR = """\
[OBJECT_1]
name bar
type box
size 0.1 2 0.1
position -2 0.75 0.4
mass 2
[JOINT_1]
name left
type hinge
bodies robot1 bar
anchor 0 0 0.4
limits -60 60
[JOINT_2]
name right
type support
bodies robot2 bar
anchor 0 0 0.4
"""


def make_spec(engine: str) -> RunSpec:
    """Return two robots with arms, and a crate that the arms reach."""
    crate = Object("crate", "box", (0.4, 0.4, 0.6), (-1.2, 0.4, 0.0), mass=2.0)
    robots = tuple(RobotPlacement(f"robot{i + 1}", "reacher", (-2.0, 1.5 * i, 0.0)) for i in range(2))
    return RunSpec(
        Scenario(World(objects=(crate,)), robots=robots, settings=Settings(engine=engine)),
        {"reacher": load_type("reacher")},
    )


def drive(run: RecordedRun) -> None:
    """Drive both robots, and turn their arms."""
    for name in ("robot1", "robot2"):
        run.simulation.command(name, "motors", 10, (0.2, 0.0))
        run.simulation.command(name, "shoulder", 10, (0.8,))


@pytest.mark.parametrize("engine", ["pymunk", "mujoco"])
def test_a_run_with_joints_that_come_and_go_is_done_again_bit_by_bit(tmp_path: Path, engine: str) -> None:
    spec = make_spec(engine)
    simulation, texts = Simulation(spec), {RUN: spec_to_json(spec)}
    with RecordedRun(simulation, tmp_path / "a.mcap", attachments=texts) as run:
        drive(run)
        run.tick(60)
        run.edit(Insert(BAR))
        run.edit(TakeSnapshot("joined"))
        run.tick(40)
        run.edit(Update("bar", "mass 3\n"))
        run.tick(20)
        run.edit(Remove("left"))
        run.tick(20)
        run.edit(Restore("joined"))
        run.tick(20)
        run.edit(Remove("robot1"))
        run.tick(10)
        run.edit(ClockReset())
        run.tick(10)

    with Recording.open(tmp_path / "a.mcap") as recording:
        assert spec_of(recording) == spec
        verdict = verify(recording, spec)
        layouts = [recording.layout(generation) for generation in sorted(recording.generations)]
    assert (verdict.identical, verdict.ticks, verdict.breaks) == (True, 180, ())
    assert [joint.name for joint in layouts[0].joints] == ["robot1.shoulder", "robot2.shoulder"]
    assert "left" in [joint.name for layout in layouts for joint in layout.joints]
