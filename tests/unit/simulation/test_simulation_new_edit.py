"""An edit is added by one file and one line of registration."""

from pathlib import Path

import pytest
from simulation_scenes import make_spec
from teleporting import Teleport, teleport

from coopsim.features.proof.verify import verify
from coopsim.recording import Recording
from coopsim.simulation import Simulation, edits
from coopsim.state.edits import EDITS, AppliedEdit, SceneEdit, UnknownEdit
from coopsim.testkit.recorded_run import RecordedRun
from coopsim.transport import Channel
from coopsim.transport.control import EditRequest

PLAIN = {"edit": "teleport", "robot": "robot1", "x": -3.0, "y": 1.0}
EDIT = Teleport("robot1", -3.0, 1.0)


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Register the edit for one test."""
    monkeypatch.setattr(EDITS, "_kinds", dict(EDITS._kinds))
    monkeypatch.setattr(edits, "_CARRY_OUT", dict(edits._CARRY_OUT))
    edits.register(Teleport, teleport)


def test_every_edit_of_the_scene_is_carried_out_by_somebody() -> None:
    declared = {EDITS[name] for name in EDITS.names if issubclass(EDITS[name], SceneEdit)}
    assert declared == set(edits._CARRY_OUT)


def test_without_registration_nobody_knows_it() -> None:
    assert AppliedEdit.from_plain(PLAIN).edit == UnknownEdit.of(PLAIN)


@pytest.mark.usefixtures("registered")
def test_a_new_edit_travels_to_the_source() -> None:
    host, source = Channel.pair()
    host.send(EditRequest(1, EDIT))
    assert source.wait(5.0) == [EditRequest(1, EDIT)]
    host.close()
    source.close()


@pytest.mark.usefixtures("registered")
def test_a_new_edit_is_carried_out_recorded_told_and_done_again(tmp_path: Path) -> None:
    spec = make_spec()
    with RecordedRun(Simulation(spec), tmp_path / "a.mcap") as run:
        run.edit(EDIT)
        run.tick(10)
        row = run.simulation.layout.robot["robot1"].body
        assert run.simulation.engine.planar[row, :2].tolist() == [-3.0, 1.0]
    with Recording.open(tmp_path / "a.mcap") as recording:
        applied = [edit for group in recording.edits() for edit in group.edits][-1]
        assert (applied.edit, applied.to_plain()) == (EDIT, PLAIN)
        assert applied.as_text() == "robot1 put at -3 1"
        verdict = verify(recording, spec)
    assert (verdict.identical, verdict.ticks) == (True, 10)
