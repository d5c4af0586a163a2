"""Recordings that begin in the midst of a run in space, and continuations, begin with exactly what was there."""

from pathlib import Path

import pytest

from coopsim.features.proof.verify import verify
from coopsim.recording import Recording
from coopsim.replay.about import attachments, metadata
from coopsim.replay.continuing import Instant, continuation
from coopsim.replay.outcome import Outcome
from coopsim.replay.run_json import spec_of
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.simulation.snapshot import checkpoint, restore
from coopsim.state.edits import Restore, TakeSnapshot
from coopsim.testkit.recorded_run import RecordedRun

SCENE = """[SIMULATION]
engine mujoco
step 0.02
[WORLD]
file empty
[ROBOT_1]
type scout
orientation 0 0 0.52
[ROBOT_2]
type quadrotor
position 2 0 1
[ROBOT_3]
type abb_irb_120
position -2 0 0
"""


def recorded(simulation: Simulation, path: Path, **about: object) -> Path:
    """Record a run from where it stands, with a snapshot that is restored."""
    spec = simulation.origin
    said = {**metadata(spec, {}), **about}
    with RecordedRun(simulation, path, metadata=said, attachments=attachments(spec, {})) as run:
        run.tick(30)
        run.edit(TakeSnapshot("then"))
        run.tick(20)
        run.edit(Restore("then"))
        run.tick(30)
    return path


@pytest.fixture(scope="module")
def midst(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a recording that begins after 60 ticks."""
    folder = tmp_path_factory.mktemp("midst")
    (folder / "space.scenario").write_text(SCENE)
    simulation = Simulation(load(folder / "space.scenario"))
    simulation.command(simulation.layout.robots[2].name, "motors", 10, (0.3, 0.4))
    for _ in range(60):
        simulation.tick()
    return recorded(simulation, folder / "midst.mcap")


def test_a_recording_that_began_in_the_midst_is_proved(midst: Path) -> None:
    with Recording.open(midst) as recording:
        verdict = verify(recording, spec_of(recording))
    assert verdict.outcome is Outcome.IDENTICAL, verdict.difference
    assert verdict.ticks == 80


@pytest.mark.parametrize("tick", [60, 73, 90, 131])
def test_a_continuation_begins_as_recorded_and_its_recording_is_proved(midst: Path, tick: int, tmp_path: Path) -> None:
    with Recording.open(midst) as recording:
        spec = spec_of(recording)
        start = continuation(recording, spec, Instant(midst, tick=tick))
        wanted = next(block.hashes[row].tobytes() for block, row in _rows(recording) if int(block.ticks[row]) == tick)
    simulation = Simulation(spec)
    restore(simulation, start.state)
    checkpoint(simulation)
    assert start.exact
    assert simulation.state_hash() == wanted
    path = recorded(simulation, tmp_path / "on.mcap", parent=start.parent)
    with Recording.open(path) as recording:
        verdict = verify(recording, spec_of(recording))
    assert verdict.outcome is Outcome.IDENTICAL, verdict.difference


def _rows(recording: Recording):
    return [(block, row) for _, block in recording.blocks(0) for row in range(len(block))][::-1]
